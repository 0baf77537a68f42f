import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { binary, finish, repository } from '../../support/project.js'
import { workshop } from '../matrix/tools.js'

/** A test of a peer, by its file and name, and whether it passes over ours. */
export interface Outcome {
  test: string
  passed: boolean
}

/** The tests of a peer, which are taken from a checkout of its repository and run over ours. */
interface Suite {
  /** The repository, and the tag whose tests differ as our list says. */
  source: string
  run(checkout: string, folder: string): Promise<Outcome[]>
}

export const SUITES: Record<string, Suite> = {
  'openapi-fetch': {
    source: 'openapi-ts/openapi-typescript at openapi-fetch@0.17.0',
    async run(checkout, folder) {
      await copy(join(checkout, 'packages/openapi-fetch'), folder, ['test'])
      // These test types, the functions that ours uses, or what needs a network.
      for (const each of ['e2e', 'bench', 'examples', 'no-strict-null-checks', 'path-based-client', 'types.test.ts'])
        await rm(join(folder, 'test', each), { recursive: true, force: true })
      await rm(join(folder, 'test/common/create-client-e2e.test.js'))
      await mkdir(join(folder, 'src'))
      const ours = stand('openapi-fetch')
      await writeFile(join(folder, 'src/index.ts'), `export * from '${ours}'\nexport { default } from '${ours}'\n`)
      return await vitest(folder, { globals: true, restoreMocks: true })
    },
  },
  ofetch: {
    source: 'unjs/ofetch at v2.0.0-alpha.3',
    async run(checkout, folder) {
      await copy(checkout, folder, ['src', 'test/index.test.ts'])
      // For h3, which its tests start.
      await symlink(join(repository, 'test/node_modules'), join(folder, 'node_modules'), 'junction')
      return await vitest(folder, { setupFiles: [stand('global-fetch')] })
    },
  },
  ky: {
    source: 'sindresorhus/ky at v1.14.3',
    async run(checkout, folder) {
      await copy(checkout, folder, ['source', 'test', 'tsconfig.json'])
      // These need browsers.
      for (const each of ['browser', 'with-page']) await rm(join(folder, `test/${each}.ts`), { force: true })
      return await ava(checkout, folder)
    },
  },
}

const stand = (name: string): string => join(import.meta.dirname, `${name}.ts`)

async function copy(from: string, to: string, names: string[]): Promise<void> {
  await rm(to, { recursive: true, force: true })
  for (const name of names) await cp(join(from, name), join(to, name), { recursive: true })
}

interface Report {
  testResults: { name: string; message: string; assertionResults: { fullName: string; status: string }[] }[]
}

async function vitest(folder: string, test: object): Promise<Outcome[]> {
  await writeFile(join(folder, 'vitest.config.ts'), `export default ${JSON.stringify({ test })}`)
  const output = join(folder, 'results.json')
  const { printed } = await finish(binary('vitest'), ['run', '--reporter=json', `--outputFile=${output}`], folder)
  const text = await readFile(output, 'utf8').catch(() => {
    throw new Error(printed)
  })
  const { testResults } = JSON.parse(text) as Report
  return testResults.flatMap((file) => {
    if (file.assertionResults.length === 0) throw new Error(`${file.name}: ${file.message}`)
    const path = relative(join(folder, 'test'), file.name)
    return file.assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ fullName, status }) => ({ test: `${path}: ${fullName}`, passed: status === 'passed' }))
  })
}

/** What the tests of ky import, installed at the versions of the checkout. */
const NEEDED =
  /^(ava|body-parser|busboy|delay|expect-type|express|jest-leak-detector|pify|raw-body|tsx|typescript|@type-challenges.utils|@sindresorhus.tsconfig|playwright)$/

async function ava(checkout: string, folder: string): Promise<Outcome[]> {
  const manifest = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8'))
  const devDependencies = Object.entries<string>(manifest.devDependencies).filter(([name]) => NEEDED.test(name))
  const nodeArguments = ['--import=tsx/esm', `--import=${pathToFileURL(stand('global-fetch'))}`]
  const own = { name: 'ky', type: 'module', devDependencies: Object.fromEntries(devDependencies) }
  const settings = { ...manifest.ava, nodeArguments, timeout: '2m' }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...own, ava: settings }))
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  const installed = await finish('npm', ['install', ...quiet], folder)
  if (installed.code !== 0) throw new Error(installed.printed)
  const outcomes = await tap(folder, 'test/*.ts')
  // Many measure times, which a machine that is busy with the others makes longer: what fails is tried once more alone.
  const failing = outcomes.filter(({ passed }) => !passed)
  if (failing.length === 0) return outcomes
  const titles = failing.map(({ test }) => `--match=${test.slice(test.indexOf(': ') + 2)}`)
  const again = await tap(folder, '--serial', '--concurrency=1', ...titles, 'test/*.ts')
  const passes = new Set(again.filter(({ passed }) => passed).map(({ test }) => test))
  return outcomes.map(({ test, passed }) => ({ test, passed: passed || passes.has(test) }))
}

async function tap(folder: string, ...args: string[]): Promise<Outcome[]> {
  const { printed } = await finish(process.execPath, ['node_modules/ava/entrypoints/cli.mjs', '--tap', ...args], folder)
  const outcomes = [...printed.matchAll(/^(ok|not ok) \d+ - (\S+) › (.*)$/gm)]
  if (outcomes.length === 0) throw new Error(printed)
  return outcomes
    .filter(([, , , title]) => !/ # (TODO|SKIP)/.test(title ?? ''))
    .map(([, result, file, title]) => ({ test: `${file}: ${title}`, passed: result === 'ok' }))
}

/** Where the tests of a peer are run; git ignores it. Those of ky have packages of their own. */
export const folderOf = (name: string): string => join(workshop(repository), 'peers', name)
