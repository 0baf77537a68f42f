import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pack, settleModes } from '../../scripts/pack.js'
import { repository } from '../support/project.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reproducible-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A copy of what is packed, with files of that mode and time. */
function copy(name: string, mode: number, time: Date): string {
  const to = join(folder, name)
  const parts = ['dist/src', 'dist/generated', 'generated', 'package.json', 'LICENSE', 'README.md', 'AGENTS.md']
  const present = readdirSync(repository)
  for (const part of parts.filter((each) => present.includes(each.split('/')[0] as string)))
    cpSync(join(repository, part), join(to, part), { recursive: true })
  for (const path of readdirSync(to, { recursive: true }) as string[]) {
    const file = join(to, path)
    if (!statSync(file).isFile()) continue
    chmodSync(file, mode)
    utimesSync(file, time, time)
  }
  return to
}

describe('npm pack', () => {
  it('npm pack writes the same bytes in another folder, at another time and with other file modes', async () => {
    const copies = [
      copy('here', 0o644, new Date('2026-01-01')),
      copy('in another folder', 0o600, new Date('2027-02-02')),
      copy('shared', 0o666, new Date()),
    ]
    const tarballs: Buffer[] = []
    for (const root of copies) {
      await settleModes(root)
      tarballs.push(readFileSync((await pack(root, root)).path))
    }
    const [first, ...others] = tarballs as [Buffer, ...Buffer[]]
    for (const other of others) expect(first.equals(other)).toBe(true)
  })
})
