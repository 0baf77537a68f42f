import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { build, type Plugin } from 'esbuild'
import { parse } from 'yaml'
import { indexContract } from '../contract/index.js'
import { frozenPath, releasesOf } from '../release/frozen.js'
import { emitExamples } from './examples.js'
import { emitOperations } from './operations.js'
import { emitValidators, emitWorldValidator } from './validators/index.js'

/**
 * The sandbox of every frozen release, in the stage's `dist/releases/<date>/`: today's sandbox over the operations,
 * examples and validators of that release. Its responses are validated against the release, so
 * where today's behaviour does not fit an older contract it reports that instead of responding.
 */
export async function emitReleases(root: string, stage: string): Promise<void> {
  const dates = releasesOf(root).map(({ date }) => date)
  const generated = (file: string) => readFile(join(stage, 'generated', file), 'utf8')
  const today = await generated('openapi.yaml')
  const sourcesOfToday = {
    operations: await generated('operations.ts'),
    examples: await generated('examples.ts'),
    validators: await generated('validators.js'),
    world: await generated('world.js'),
  }
  const sandboxOf = async (frozen: string) => {
    if (frozen === today) return REEXPORT
    const sources = await sourcesOf(frozen, dates)
    return isDeepStrictEqual(sources, sourcesOfToday) ? REEXPORT : bundleSandbox(root, sources)
  }
  for (const date of dates) {
    const frozen = await readFile(frozenPath(root, { date }, 'yaml'), 'utf8')
    const folder = join(stage, 'dist/releases', date)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'sandbox.d.ts'), REEXPORT)
    await writeFile(join(folder, 'sandbox.js'), await sandboxOf(frozen))
  }
}

const REEXPORT = "export * from '../../src/sandbox/index.js'\nexport * from '../../src/sandbox/node.js'\n"

/** What the sandbox imports from `generated/`, by module name, made of a frozen document. */
async function sourcesOf(frozen: string, dates: string[]): Promise<Record<string, string>> {
  const contract = indexContract(parse(frozen))
  return {
    operations: emitOperations(contract, dates),
    examples: emitExamples(contract),
    validators: (await emitValidators(contract)).code,
    world: (await emitWorldValidator(contract)).code,
  }
}

async function bundleSandbox(root: string, sources: Record<string, string>): Promise<string> {
  const ofTheRelease: Plugin = {
    name: 'generated modules of the release',
    setup(build) {
      build.onResolve({ filter: /generated\/(operations|examples|validators|world)\.js$/ }, ({ path }) => ({
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
    absWorkingDir: root,
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
