import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { run } from './run.js'
import type { Outcome, Row, Site } from './runtimes.js'
import { workshop } from './tools.js'

/** What a project installs beside the package: each `fetch` of `suite/fetches.js`, at the version of the repository. */
const FETCHES = [
  ...['cross-fetch', 'fetch-cookie', 'isomorphic-fetch', 'make-fetch-happen', 'node-fetch', 'node-fetch-3', 'undici'],
  'zx-7',
]

interface Manager {
  name: string
  install: string[]
  /** Runs Node in the project. */
  node: string[]
  files?: Record<string, string>
}

/** The tarball installed by each package manager, and one program with each `fetch`. */
export function managerRows(root: string, { tools, server }: Pick<Site, 'tools' | 'server'>): Row[] {
  const yarn = [process.execPath, join(tools, '@yarnpkg/cli-dist/bin/yarn.js')]
  const managers: Manager[] = [
    {
      name: 'npm',
      install: ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund'],
      node: [process.execPath],
    },
    {
      name: 'pnpm',
      install: [process.execPath, join(tools, 'pnpm/bin/pnpm.cjs'), 'install', '--ignore-scripts'],
      node: [process.execPath],
    },
    {
      name: 'yarn PnP',
      install: [...yarn, 'install', '--no-immutable', '--mode=skip-build'],
      node: [...yarn, 'node'],
      files: { '.yarnrc.yml': 'nodeLinker: pnp\nenableTelemetry: false\n', 'yarn.lock': '' },
    },
    {
      name: 'bun',
      install: [join(tools, '@oven/bun-linux-x64/bin/bun'), 'install', '--ignore-scripts'],
      node: [process.execPath],
    },
  ]
  return [
    ...managers.map((manager) => ({
      name: `Installed by ${manager.name}, each fetch`,
      run: () => installAndRun(root, manager, server),
    })),
    { name: 'Parcel 2', run: () => bundleWithParcel(root, tools) },
  ]
}

async function installAndRun(root: string, { name, install, node, files = {} }: Manager, server: string) {
  const { dependencies } = JSON.parse(await readFile(join(root, 'test/package.json'), 'utf8'))
  const fetches = Object.fromEntries(FETCHES.map((each) => [each, dependencies[each]]))
  const folder = await emptyProject(root, name, fetches, files)
  await cp(join(import.meta.dirname, 'suite'), join(folder, 'suite'), { recursive: true })
  const installed = await start(install, folder)
  if (installed.code !== 0) return failure('install', installed)
  const { keys, playbooks } = createSandbox()
  const tried = await start([...node, 'suite/fetches.js', server, keys.valid, playbooks.succeeds], folder)
  const last = tried.stdout.trim().split('\n').at(-1) ?? ''
  return tried.code === 0 && last.startsWith('{') ? (JSON.parse(last) as Outcome) : failure('program', tried)
}

/** Parcel reads no `exports` unless it is told to, as the table of supported versions says. */
async function bundleWithParcel(root: string, tools: string): Promise<Outcome> {
  const folder = await emptyProject(root, 'parcel', {}, {})
  const installed = await start(['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund'], folder)
  if (installed.code !== 0) return failure('install', installed)
  const outcome: Outcome = { passed: 0, failed: [] }
  const bundle = async (entry: string, works: boolean) => {
    await writeFile(join(folder, 'app.js'), `import * as all from '${NAME}${entry}'\nconsole.log(Object.keys(all))\n`)
    const parcel = [process.execPath, join(tools, 'parcel/lib/bin.js'), 'build', 'app.js', '--no-cache']
    const { code, stdout, stderr } = await start(parcel, folder)
    if ((code === 0) === works) outcome.passed++
    else outcome.failed.push(`${NAME}${entry} ended with ${code}: ${(stderr || stdout).slice(-1_000)}`)
  }
  await bundle('', true)
  await bundle('/sandbox', false)
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  const guide = await readFile(join(root, 'docs/guides/package-reference.md'), 'utf8')
  const setting = JSON.parse(`{${/- Parcel, in package.json: `(.*)`/.exec(guide)?.[1] ?? ''}}`)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, ...setting }))
  await bundle('/sandbox', true)
  return outcome
}

const NAME = '@workflow-automation/contract'

async function emptyProject(root: string, name: string, others: object, files: Record<string, string>) {
  const folder = join(workshop(root), 'managers', name.replaceAll(' ', '-'))
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  await cp(join(workshop(root), 'project/contract.tgz'), join(folder, 'contract.tgz'))
  const dependencies = { [NAME]: 'file:./contract.tgz', ...others }
  const manifest = { name: 'consumer', private: true, type: 'module', dependencies }
  for (const [file, text] of Object.entries({ 'package.json': JSON.stringify(manifest), ...files }))
    await writeFile(join(folder, file), text)
  return folder
}

const start = ([command = '', ...args]: string[], folder: string) => run(command, args, folder)

const failure = (step: string, { code, stdout, stderr }: Awaited<ReturnType<typeof run>>): Outcome => ({
  passed: 0,
  failed: [`${step} ended with ${code}: ${(stderr || stdout).trim().slice(-2_000)}`],
})
