import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { parse } from 'yaml'
import { type Contract, indexContract } from '../contract/index.js'
import { frozenPath, releaseDates } from '../release/frozen.js'
import { RELEASES_DIST, type Stage } from '../stage.js'
import { withoutDocComments } from './dist.js'
import { emitExamples } from './examples.js'
import { emitFields } from './fields.js'
import { emitOperations } from './operations.js'
import { emitTypes } from './types.js'
import { emitValidators, emitWorldCheck } from './validators.js'

/**
 * What is made of every frozen release: in `packages/releases/dist/` its document, its changes, its sandbox and what a
 * service needs to handle its requests, which are today's over the operations, examples and validators of the release, and
 * in `dist/releases/` its types. The sandbox validates its responses against the release, and reports where today's
 * behaviour does not fit it.
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
    for (const [wing, entry] of Object.entries(ENTRIES))
      await bundle(join(stage.folder, date), wing, entry(date), join(stage.folder, RELEASES_DIST, date, `${wing}.js`))
  }
}

const DECLARATIONS = `export * from '@workflow-automation/contract/sandbox'
export * from '@workflow-automation/contract/sandbox/node'
`

/** What the sandbox imports from `generated/`, by file, made of a frozen document. */
const sourcesOf = async (contract: Contract, dates: string[]): Promise<Record<string, string>> => ({
  'operations.ts': emitOperations(contract, dates),
  'examples.ts': emitExamples(contract),
  'service/fields.ts': emitFields(contract),
  ...(await emitValidators(contract)),
  ...(await emitWorldCheck(contract)),
})

/** The modules of a release, by the wing of `src/` that they are made of. */
const ENTRIES: Record<string, (date: string) => string> = {
  sandbox: () => "export * from './index.ts'\nexport * from './node.ts'",
  service: (date) => `import { contract } from './contract.ts'
export const defineRelease = (operations) => ({ date: '${date}', contract, operations })`,
}

/** Bundles a wing of a folder with `src/` and `generated/`. */
const bundle = (folder: string, wing: string, contents: string, outfile: string) =>
  build({
    stdin: { contents, resolveDir: join(folder, 'src', wing), loader: 'ts' },
    absWorkingDir: folder,
    preserveSymlinks: true,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    minify: true,
    outfile,
  })
