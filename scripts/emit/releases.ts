import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { parse } from 'yaml'
import { type Contract, indexContract } from '../contract/index.js'
import { frozenPath, releasesOf } from '../release/frozen.js'
import { RELEASES_DIST, type Stage } from '../stage.js'
import { withoutDocComments } from './dist.js'
import { emitExamples } from './examples.js'
import { emitOperations } from './operations.js'
import { emitTypes } from './types.js'
import { emitValidators, emitWorldCheck } from './validators.js'

/**
 * What is made of every frozen release: in `packages/releases/dist/` its document and its sandbox, which is today's over
 * the operations, examples and validators of the release, and in `dist/releases/` its types. The sandbox validates its
 * responses against the release, and reports where today's behaviour does not fit it.
 */
export async function emitReleases(root: string, stage: Stage): Promise<void> {
  const dates = releasesOf(root).map(({ date }) => date)
  for (const date of dates) {
    const document = await readFile(frozenPath(root, { date }, 'yaml'), 'utf8')
    const contract = indexContract(parse(document))
    stage.write(join('dist/releases', date, 'types.d.ts'), withoutDocComments(await emitTypes(contract)))
    stage.write(join(RELEASES_DIST, `${date}.yaml`), document)
    stage.write(join(RELEASES_DIST, date, 'sandbox.d.ts'), DECLARATIONS)
    stage.write(join(RELEASES_DIST, date, 'sandbox.js'), await bundleSandbox(root, await sourcesOf(contract, dates)))
  }
}

const DECLARATIONS = `export * from '@workflow-automation/contract/sandbox'
export * from '@workflow-automation/contract/sandbox/node'
`

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
