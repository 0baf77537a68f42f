import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { pack, settleModes } from '../../../scripts/pack.js'
import { makeSbom } from '../../../scripts/sbom.js'
import { dependencyNames, NAME } from '../../package/consumer.js'
import { repository } from '../../support/project.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reproducible-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The tarball of a copy of what is packed, whose files have that mode and time. */
async function packed(name: string, mode: number, time: Date): Promise<Buffer> {
  const root = join(folder, name)
  for (const part of ['dist/src', 'dist/generated', 'generated', 'package.json', 'LICENSE', 'README.md', 'AGENTS.md'])
    cpSync(join(repository, part), join(root, part), { recursive: true })
  for (const path of readdirSync(root, { recursive: true }) as string[]) {
    const file = join(root, path)
    if (!statSync(file).isFile()) continue
    chmodSync(file, mode)
    utimesSync(file, time, time)
  }
  await settleModes(root)
  return readFileSync((await pack(root, root)).path)
}

it('npm pack writes the same bytes in another folder, at another time and with other file modes', async () => {
  const first = await packed('here', 0o666, new Date('2026-01-01'))
  const second = await packed('in another folder', 0o600, new Date('2027-02-02'))
  expect(first.equals(second)).toBe(true)
})

it('the SBOM lists the run-time dependencies and what is bundled, each with license and digest, the same every time', async () => {
  const bundled = ['ajv', 'preact']
  const [sbom, again] = await Promise.all([makeSbom(repository, bundled), makeSbom(repository, bundled)])
  expect(sbom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: NAME } } })
  expect(sbom.components.map(({ name }) => name).sort()).toEqual([...dependencyNames(repository), ...bundled].sort())
  for (const component of sbom.components)
    expect(component).toMatchObject({ licenses: [{ license: { id: 'MIT' } }], hashes: [{ alg: 'SHA-512' }] })
  expect(JSON.stringify(sbom)).not.toContain(repository)
  expect(again).toEqual(sbom)
})
