import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { parse } from 'yaml'
import { type Contract, indexContract } from '../contract/index.js'
import { frozenPath, releaseDates } from '../release/frozen.js'
import { RELEASES_DIST, type Stage } from '../stage.js'
import { withoutDocComments } from './dist.js'
import { emitExamples } from './examples.js'
import { emitOperations } from './operations.js'
import { emitTypes } from './types.js'
import { emitValidators, emitWorldCheck } from './validators.js'

/**
 * What is made of every frozen release: in `packages/releases/dist/` its document, its changes and its sandbox, which is today's over
 * the operations, examples and validators of the release, and in `dist/releases/` its types. The sandbox validates its
 * responses against the release, and reports where today's behaviour does not fit it.
 */
export async function emitReleases(root: string, stage: Stage): Promise<void> {
  const dates = releaseDates(root)
  for (const date of dates) {
    const document = await readFile(frozenPath(root, date, 'yaml'), 'utf8')
    const contract = indexContract(parse(document))
    stage.write(join('dist/releases', date, 'types.d.ts'), withoutDocComments(await emitTypes(contract)))
    stage.write(join(RELEASES_DIST, `${date}.yaml`), document)
    stage.write(
      join(RELEASES_DIST, date, 'changes.json'),
      await readFile(frozenPath(root, date, 'changes.json'), 'utf8'),
    )
    stage.write(join(RELEASES_DIST, date, 'sandbox.d.ts'), DECLARATIONS)
    for (const [file, text] of Object.entries(await sourcesOf(contract, dates)))
      stage.write(join(date, 'generated', file), text)
    await symlink(join(root, 'src'), join(stage.folder, date, 'src'), 'junction')
    await bundleSandbox(join(stage.folder, date), join(stage.folder, RELEASES_DIST, date, 'sandbox.js'))
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

/** Bundles the sandbox of a folder with `src/` and `generated/`. */
const bundleSandbox = (folder: string, outfile: string) =>
  build({
    stdin: {
      contents: "export * from './index.ts'\nexport * from './node.ts'",
      resolveDir: join(folder, 'src/sandbox'),
      loader: 'ts',
    },
    absWorkingDir: folder,
    preserveSymlinks: true,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    external: ['srvx', 'srvx/*'],
    minify: true,
    outfile,
  })
