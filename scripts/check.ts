import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { budgetProblems, budgetsOf, figuresText, measure, writeBudgets } from './budgets.js'
import { emitDist } from './emit/dist.js'
import { GUIDES } from './emit/docs/guides.js'
import { generate } from './emit/index.js'
import { changesText, compare, versionProblems } from './release/document.js'
import { type Diagnostic, exitWithError, throwIfProblems } from './support/diagnostics.js'
import { openStage } from './support/stage.js'

/**
 * `npm run check` fails unless
 * - `generated/` and `docs/guides/` are what `openapi/` makes,
 * - the version of the document fits the changes since the last release, which it prints by whom they concern,
 * - nothing is larger than `budgets.json` allows.
 *
 * `--budgets` prints the budgets. It changes files only with `--write-budgets`, which sets them to the present sizes.
 *
 * @throws BuildError with everything that fails
 */
async function check(root: string): Promise<void> {
  const { values } = parseArgs({ options: { budgets: { type: 'boolean' }, 'write-budgets': { type: 'boolean' } } })
  using stage = openStage(root, process.stdout)
  const { files, guides } = generate(root, stage)
  const generated = join(stage.folder, 'generated')
  stage.step('drift', [files, guides], () =>
    throwIfProblems(['generated', GUIDES].flatMap((folder) => driftProblems(root, stage.folder, folder))),
  )
  const compared = stage.step('compare', [files], () => compare(root, join(generated, 'openapi.yaml')))
  stage.step('version', [compared], async () => throwIfProblems(versionProblems(root, await compared)))
  const dist = stage.step('dist', [files], () => emitDist(root, stage.folder))
  const measured = stage.step('measure', [dist], () => measure(root, stage.folder))
  stage.step('budgets', [measured], async () => {
    if (values['write-budgets']) writeBudgets(root, await measured)
    throwIfProblems(budgetProblems(budgetsOf(root), await measured))
  })
  // What has changed is printed whatever fails.
  const failure = await stage.settled().catch((error: unknown) => ({ error }))
  const comparison = await compared.catch(() => undefined)
  if (comparison) process.stdout.write(`\n${changesText(comparison)}`)
  if (failure) throw failure.error
  if (values.budgets || values['write-budgets'])
    process.stdout.write(`\n${figuresText(budgetsOf(root), await measured)}\n`)
}

function driftProblems(root: string, stage: string, folder: string): Diagnostic[] {
  const [made, there] = [join(stage, folder), join(root, folder)]
  const contentOf = (path: string) => existsSync(path) && readFileSync(path, 'latin1')
  const filesIn = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => statSync(join(folder, file)).isFile())
  const files = new Set([made, there].filter(existsSync).flatMap(filesIn))
  const stale = [...files].filter((file) => contentOf(join(made, file)) !== contentOf(join(there, file)))
  const message = 'This is not what openapi/ makes. Run "npm run build" and commit the result.'
  return stale.map((file) => ({ file: join(folder, file), rule: 'drift', message }))
}

check(process.cwd()).catch(exitWithError)
