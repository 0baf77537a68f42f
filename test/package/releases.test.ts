import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
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
import { type AddressInfo, createServer } from 'node:net'
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

const compile = (text: string) => {
  project.write('pinned.ts', text)
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--skipLibCheck', 'false']
  return project.tsc('pinned.ts', ...options, '--types', '', '--lib', 'es2023,dom,dom.iterable')
}

describe('the types of a frozen release', () => {
  it('the types of a frozen release compile code that is pinned to the release, with openapi-fetch too', async () => {
    const { printed } = await compile(`
      import createFetch from 'openapi-fetch'
      import type { paths, Run, RunInputs } from '${NAME}/releases/${date}/types'
      export const inputs: RunInputs = { customer: 'ACME' }
      export const isOver = ({ status }: Run): boolean => status === 'succeeded'
      const client = createFetch<paths>({ baseUrl: 'https://api.example.com/v1' })
      const { data } = await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } } })
      export const id: string | undefined = data?.playbook_id`)
    expect(printed).toBe('')
  })

  it('the types of a frozen release do not compile code that uses what the release lacks', async () => {
    const { printed } = await compile(`
      import type { Run } from '${NAME}/releases/${date}/types'
      export const region = (run: Run) => run.region`)
    expect(printed).toContain("Property 'region' does not exist")
  })
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
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    expect((await cli('sandbox', '--port', String(port))).printed).toContain(`Port ${port} is in use`)
    other.close()
  })
})

describe('a client that names a release', () => {
  const pinned = (code: string) => `import { createClient } from '${NAME}'
    const options = { baseUrl: 'https://api.example.com/v1', apiKey: 'key' }
    const pinned = createClient({ ...options, serviceVersion: '${date}' })
    const newest = createClient(options)
    ${code}`
  const NAMES = {
    'a method': 'export const name = (await pinned.listProviders()).data[0]?.name',
    'a call by path': "const { data } = await pinned.GET('/providers'); export const name = data?.data[0]?.name",
    'a loop over pages': "for await (const provider of pinned.paginate('listProviders')) provider.name",
    'a call that names the release': `export const name = (await newest.listProviders({}, { serviceVersion: '${date}' })).data[0]?.name`,
    'a call by path that names the release': `export const name = (await newest.GET('/providers', { serviceVersion: '${date}' })).data?.data[0]?.name`,
    'a client whose type is named': `const named: import('${NAME}').PinnedClient<'${date}'> = pinned
      export const name = (await named.listProviders()).data[0]?.name`,
  }
  const RUN = "await pinned.waitForRun('run_1', { onUpdate: ({ steps }) => steps.length })"
  const OTHERS = `export const names = [
      (await newest.listProviders()).data[0]?.name,
      (await createClient({ ...options, serviceVersion: '2999-01-01' }).listProviders()).data[0]?.name,
    ]`
  const PROVIDER = /\btype Provider = \{[\s\S]*?\n\}/
  /** The file with the schemas of the release. */
  function declarations(): string {
    const folder = join(project.root, 'node_modules', `${NAME}-releases`, 'dist', date)
    const files = readdirSync(folder).filter((each) => each.endsWith('.d.ts'))
    const file = files.find((each) => PROVIDER.test(readFileSync(join(folder, each), 'utf8')))
    return join(folder, file ?? '')
  }

  it('a client that names a release compiles against its types, also without the package of releases', async () => {
    const code = pinned(
      [...Object.values(NAMES).map((each) => `{ ${each.replace('export ', '')} }`), RUN, OTHERS].join('\n'),
    )
    expect((await compile(code)).printed).toBe('')
    const folder = join(project.root, 'node_modules', `${NAME}-releases`)
    renameSync(folder, `${folder}-away`)
    const { printed } = await compile(`${code}\nexport const wrong: number = pinned.cache`)
    renameSync(`${folder}-away`, folder)
    expect(printed).toMatch(/^pinned\.ts\(\d+,\d+\): error TS2322: .*\n$/)
  })

  it.each(Object.entries(NAMES))('a field that the release lacks does not compile in %s', async (_, code) => {
    const file = declarations()
    const before = readFileSync(file, 'utf8')
    const withoutName = (provider: string) => provider.replace(/\bname\?: string;/, '')
    writeFileSync(file, before.replace(PROVIDER, withoutName))
    const { printed } = await compile(pinned(`${code}\n${OTHERS}`))
    writeFileSync(file, before)
    expect(printed).toMatch(/^pinned\.ts\(\d+,\d+\): error TS2339: Property 'name' does not exist.*\n$/)
  })
})

describe('the packed tarball after ten more releases', () => {
  it('the tarball still has at most 307 kB after ten more releases', async () => {
    const root = mkdtempSync(join(tmpdir(), 'ten-releases-'))
    const document = parse(readFileSync(join(repository, 'generated/openapi.yaml'), 'utf8'))
    for (const part of ['src', 'generated', 'node_modules']) symlinkSync(join(repository, part), join(root, part))
    for (let month = 1; month <= 10; month++) {
      const added = { type: 'string', description: `What release ${month} added.` }
      for (const schema of ['Run', 'Playbook', 'Provider'])
        document.components.schemas[schema].properties[`added_${month}`] = added
      const { get } = document.paths['/runs/{id}']
      document.paths[`/things-${month}/{id}`] = { get: { ...get, operationId: `getThing${month}` } }
      freeze(root, `2027-${String(month).padStart(2, '0')}-01`, `2.${month}.0`, {
        yaml: stringify(document),
        'changes.json': '[]',
      })
    }
    const stage = openStage(root)
    await emitReleases(root, stage)
    cpSync(project.installed, join(root, 'package'), { recursive: true })
    cpSync(join(stage.folder, 'dist'), join(root, 'package/dist'), { recursive: true })
    const { size, files } = await pack(join(root, 'package'), root, { dryRun: true })
    rmSync(root, { recursive: true })

    const types = files.filter(({ path }) => /^dist\/releases\/2027-\d\d-01\/types\.d\.ts$/.test(path))
    expect(types).toHaveLength(10)
    expect(size).toBeLessThanOrEqual(307_000)
  })
})
