import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { parse } from 'yaml'
import { type Contract, indexContract } from '../contract/index.js'
import { frozenPath, releasesOf } from '../release/frozen.js'
import { emitExamples } from './examples.js'
import { emitOperations } from './operations.js'
import { emitValidators, emitWorldCheck } from './validators.js'

/**
 * The sandbox of every frozen release, in the stage's `dist/releases/<date>/`: today's sandbox over the operations,
 * examples and validators of that release. Its responses are validated against the release, so
 * where today's behaviour does not fit an older contract it reports that instead of responding.
 */
export async function emitReleases(root: string, stage: string): Promise<void> {
  const dates = releasesOf(root).map(({ date }) => date)
  for (const date of dates) {
    const contract = indexContract(parse(await readFile(frozenPath(root, { date }, 'yaml'), 'utf8')))
    const sources = await sourcesOf(contract, dates)
    const isToday = await Promise.all(
      Object.entries(sources).map(async ([file, text]) => text === (await generatedText(stage, file))),
    )
    const folder = join(stage, 'dist/releases', date)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'sandbox.d.ts'), REEXPORT)
    await writeFile(join(folder, 'sandbox.js'), isToday.every(Boolean) ? REEXPORT : await bundleSandbox(root, sources))
  }
}

const REEXPORT = "export * from '../../src/sandbox/index.js'\nexport * from '../../src/sandbox/node.js'\n"

const generatedText = (stage: string, file: string) => readFile(join(stage, 'generated', file), 'utf8')

/** What the sandbox imports from `generated/`, by file, made of a frozen document. */
const sourcesOf = async (contract: Contract, dates: string[]): Promise<Record<string, string>> => ({
  'operations.ts': emitOperations(contract, dates),
  'examples.ts': emitExamples(contract),
  ...(await emitValidators(contract)),
  ...(await emitWorldCheck(contract)),
})

async function bundleSandbox(root: string, sources: Record<string, string>): Promise<string> {
  const ofTheRelease: Plugin = {
    name: 'generated modules of the release',
    setup(build) {
      const resolved = ({ path }: { path: string }) => ({ path: basename(path, '.js'), namespace: 'release' })
      build.onResolve({ filter: /\/generated\/\w+\.js$/ }, resolved)
      build.onResolve({ filter: /^\.\/\w+\.js$/, namespace: 'release' }, resolved)
      build.onLoad({ filter: /.*/, namespace: 'release' }, ({ path }) => ({
        contents: sources[`${path}.ts`] ?? sources[`${path}.js`] ?? '',
        loader: 'ts',
        resolveDir: join(root, 'generated'),
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
