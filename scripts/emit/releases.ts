import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { parse } from 'yaml'
import { type Contract, indexContract } from '../contract.js'
import { frozenPath, releasesOf } from '../release/frozen.js'
import { emitExamples } from './examples.js'
import { emitOperations } from './operations.js'
import { emitValidators } from './validators/index.js'

/**
 * The sandbox of every frozen release, in `dist/releases/<date>/`: today's sandbox over the operations, examples and
 * validators of that release. What it answers is checked against the release, so where today's behaviour does not fit
 * an older contract it says so instead of answering.
 */
export async function emitReleases(contract: Contract, root: string, dist: string): Promise<void> {
  const dates = releasesOf(root).map(({ date }) => date)
  const today = await sourcesOf(contract, dates)
  for (const date of dates) {
    const frozen = parse(await readFile(frozenPath(root, { date }, 'yaml'), 'utf8'))
    const sources = await sourcesOf(indexContract(frozen), dates)
    const folder = join(dist, 'releases', date)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'sandbox.d.ts'), REEXPORT)
    const same = Object.entries(today).every(([name, text]) => sources[name] === text)
    await writeFile(join(folder, 'sandbox.js'), same ? REEXPORT : await bundleSandbox(root, sources))
  }
}

const REEXPORT = "export * from '../../src/sandbox/index.js'\nexport * from '../../src/sandbox/node.js'\n"

/** What the sandbox imports from `generated/`, by module name. */
const sourcesOf = async (contract: Contract, dates: string[]): Promise<Record<string, string>> => ({
  operations: emitOperations(contract, dates),
  examples: emitExamples(contract),
  validators: (await emitValidators(contract)).code,
})

async function bundleSandbox(root: string, sources: Record<string, string>): Promise<string> {
  const ofTheRelease: Plugin = {
    name: 'generated modules of the release',
    setup(build) {
      build.onResolve({ filter: /generated\/(operations|examples|validators)\.js$/ }, ({ path }) => ({
        path: path.replace(/^.*\/|\.js$/g, ''),
        namespace: 'release',
      }))
      build.onLoad({ filter: /.*/, namespace: 'release' }, ({ path }) => ({
        contents: sources[path] ?? '',
        loader: 'ts',
      }))
    },
  }
  const entry = "export * from './index.ts'\nexport * from './node.ts'"
  const result = await build({
    stdin: { contents: entry, resolveDir: join(root, 'src/sandbox'), loader: 'ts' },
    absWorkingDir: dirname(join(root, 'src')),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    external: ['srvx', 'srvx/*'],
    minify: true,
    write: false,
    plugins: [ofTheRelease],
  })
  return result.outputFiles[0]?.text ?? ''
}
