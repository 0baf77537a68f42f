import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { releases } from '../../generated/operations.js'
import { emitReleases } from '../../scripts/emit/releases.js'
import { pack } from '../../scripts/pack.js'
import { freeze } from '../../scripts/release/frozen.js'
import { openStage } from '../../scripts/stage.js'
import { repository } from '../support/project.js'
import { type Consumer, consumer, NAME } from './consumer.js'

const [date] = releases
let project: Consumer
beforeAll(async () => {
  project = await consumer()
})
afterAll(() => project.remove())

const compile = (file: string) => {
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', 'false']
  return project.tsc(file, ...options, '--types', '', '--lib', 'es2023,dom,dom.iterable')
}

it('the types of a frozen release compile code that is pinned to it, with openapi-fetch too, and none that uses what it lacks', async () => {
  project.write(
    'frozen.ts',
    `import createFetch from 'openapi-fetch'
     import type { paths, Run, RunInputs } from '${NAME}/releases/${date}/types'
     export const inputs: RunInputs = { customer: 'ACME' }
     export const isOver = ({ status }: Run): boolean => status === 'succeeded'
     const client = createFetch<paths>({ baseUrl: 'https://api.example.com/v1' })
     const { data } = await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })
     export const id: string | undefined = data?.playbook_id
     // @ts-expect-error A run has no region.
     export const region = (run: Run) => run.region`,
  )
  expect((await compile('frozen.ts')).printed).toBe('')
})

describe('the package of frozen releases', () => {
  const RELEASES = `${NAME}-releases`
  const cli = (...args: string[]) =>
    project.node(join(project.installed, 'dist/src/cli/index.js'), ...args, '--release', date)

  it('--release says how to install the package of frozen releases', async () => {
    const { code, printed } = await cli('sandbox', '--port', '0')
    expect(code).toBe(1)
    expect(printed).toBe(
      `Frozen releases are in a package of their own. Add it: npm install --save-dev ${RELEASES}@latest\n`,
    )
  })

  it('the package of frozen releases contains the document of each as it was frozen, and a sandbox that serves it', async () => {
    const { path } = await pack(join(repository, 'packages/releases'), project.root)
    const installed = join(project.root, 'node_modules', RELEASES)
    mkdirSync(installed, { recursive: true })
    execFileSync('tar', ['-xzf', path, '-C', installed, '--strip-components=1'])
    for (const each of releases)
      expect(readFileSync(join(installed, 'dist', `${each}.yaml`), 'utf8')).toBe(
        readFileSync(join(repository, 'openapi/releases', `${each}.yaml`), 'utf8'),
      )

    project.write(
      'sandbox.mjs',
      `import { createSandbox, listen } from '${RELEASES}/${date}'
       const server = await listen(createSandbox({ plan: false }), { port: 0 })
       const response = await fetch(server.baseUrl + '/playbooks', { headers: { authorization: 'Bearer key_valid' } })
       console.log(response.status)
       await server.close()`,
    )
    expect((await project.node('sandbox.mjs')).printed).toBe('200\n')
    const { printed } = await cli('sandbox', '--host', 'no host')
    expect(printed).toContain('There is no host "no host"')
  })
})

it('a client that names a release compiles against its types, and as any other without the package of releases', async () => {
  cpSync(join(repository, 'test/types/pinned.ts'), join(project.root, 'pinned.ts'))
  const folder = join(project.root, 'node_modules', `${NAME}-releases`)
  renameSync(folder, `${folder}-away`)
  const { printed } = await compile('pinned.ts')
  renameSync(`${folder}-away`, folder)
  // Every field is there: no error that the program expects.
  expect(printed.match(/^\S.*/gm)?.map((line) => /error (TS\d+)/.exec(line)?.[1])).toEqual(Array(6).fill('TS2578'))

  const PROVIDER = /\btype Provider = \{[\s\S]*?\n\}/
  const files = readdirSync(join(folder, 'dist', date)).map((name) => join(folder, 'dist', date, name))
  const file = files.find((each) => each.endsWith('.d.ts') && PROVIDER.test(readFileSync(each, 'utf8'))) ?? ''
  const withoutName = (provider: string) => provider.replace(/\bname\?: string;/, '')
  writeFileSync(file, readFileSync(file, 'utf8').replace(PROVIDER, withoutName))
  expect((await compile('pinned.ts')).printed).toBe('')
})

it('the tarball grows by at most 1.7 kB with each further release', async () => {
  const root = mkdtempSync(join(tmpdir(), 'more-releases-'))
  const document = parse(readFileSync(join(repository, 'generated/openapi.yaml'), 'utf8'))
  for (const part of ['src', 'generated', 'node_modules']) symlinkSync(join(repository, part), join(root, part))
  const months = ['01', '02', '03']
  for (const month of months) {
    const added = { type: 'string', description: `What release ${month} added.` }
    for (const schema of ['Run', 'Playbook', 'Provider'])
      document.components.schemas[schema].properties[`added_${month}`] = added
    const { get } = document.paths['/runs/{id}']
    document.paths[`/things-${month}/{id}`] = { get: { ...get, operationId: `getThing${month}` } }
    freeze(root, `2027-${month}-01`, `2.${Number(month)}.0`, { yaml: stringify(document), 'changes.json': '[]' })
  }
  const stage = openStage(root)
  await emitReleases(root, stage)
  cpSync(project.installed, join(root, 'package'), { recursive: true })
  cpSync(join(stage.folder, 'dist'), join(root, 'package/dist'), { recursive: true })
  const { size, files } = await pack(join(root, 'package'), root, { dryRun: true })
  rmSync(root, { recursive: true })

  const types = files.filter(({ path }) => /^dist\/releases\/2027-\d\d-01\/types\.d\.ts$/.test(path))
  expect(types).toHaveLength(months.length)
  expect(size - project.packed.size).toBeLessThanOrEqual(months.length * 1_700)
})
