/**
 * Rehearses changes of the contract: makes each in a copy of the project, then all of them together, and runs what a
 * maintainer would run.
 *
 *     npm run suite -- rehearsal [change …] [--steps build,lint,check,test,interop] [--alone | --together]
 *
 * Without arguments each change is built, linted and checked alone, and then all of them together are tested and given to
 * the tools of others as well: that takes as long as one change. A change that is named runs all steps. Changes are pages
 * of Markdown, among them those of CONTRIBUTING.md and docs/maintaining.md, word for word.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repository } from '../../support/project.js'
import { type Change, readChanges } from './changes.js'
import { type Copy, copyRepository } from './copy.js'
import { apply } from './page.js'

/** The commands of the steps, in their order. */
const STEPS = {
  build: 'npm run --silent build',
  lint: 'npm run --silent lint',
  check: 'npm run --silent check',
  // vitest.config.ts leaves out what a person decides.
  test: 'REHEARSAL=1 npx vitest run --project fast --silent --reporter=default',
  interop: 'npm run --silent suite -- interop --quick',
} as const
type Step = keyof typeof STEPS
const QUICK: readonly Step[] = ['build', 'lint', 'check']

const TOGETHER = 'all together'

/** The most files of tests that a change may ask a maintainer to edit. */
const MOST_TESTS = 3

/** How much of what a step printed is shown when it fails. */
const LAST_LINES = 40

interface Row {
  name: string
  /** The files that a maintainer edits, and those of them below `test/`. */
  files: string[]
  tests: string[]
  failed: Step | 'apply' | undefined
  seconds: number
}

async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { steps: { type: 'string' }, alone: { type: 'boolean' }, together: { type: 'boolean' } },
  })
  const all = readChanges()
  const names = all.map(({ name }) => name)
  for (const name of positionals)
    if (!names.includes(name)) throw new Error(`There is no change "${name}". Choose from ${names.join(', ')}.`)
  const chosen = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const steps = (values.steps?.split(',') ?? Object.keys(STEPS)) as Step[]
  for (const step of steps)
    if (!(step in STEPS)) throw new Error(`There is no step "${step}". Choose from ${Object.keys(STEPS).join(', ')}.`)
  const alone = values.steps || positionals.length > 0 ? steps : QUICK
  const copy = copyRepository()
  const rows: Row[] = []
  if (!values.together)
    for (const change of chosen) {
      const before = all.filter(({ name }) => name === change.after)
      rows.push(await rehearse(copy, change.name, [...before, change], alone))
    }
  if (!values.alone && chosen.length > 1) rows.push(await rehearse(copy, TOGETHER, chosen, steps))
  process.stdout.write(`\n${tableOf(rows)}\n`)
  return rows.every(({ failed }) => !failed)
}

async function rehearse(copy: Copy, name: string, changes: Change[], steps: readonly Step[]): Promise<Row> {
  const from = performance.now()
  copy.reset()
  const edits = changes.flatMap((change) => change.edits)
  const files = [...new Set(edits.flatMap((edit) => (edit.kind === 'command' ? [] : [edit.file])))]
  const tests = files.filter((file) => file.startsWith('test/'))
  const row = (failed?: Row['failed']): Row => ({
    name,
    files,
    tests,
    failed,
    seconds: (performance.now() - from) / 1000,
  })
  process.stdout.write(`\n== ${name}\n`)
  if (tests.length > MOST_TESTS * changes.length) {
    process.stdout.write(`The change edits too many tests: ${tests.join(', ')}\n`)
    return row('apply')
  }
  try {
    for (const edit of edits) await apply(copy.root, edit, () => copy.commit())
  } catch (error) {
    process.stdout.write(`${(error as Error).message}\n`)
    return row('apply')
  }
  for (const step of steps) {
    const begun = performance.now()
    // Several changes at once are more than the budgets allow, which a maintainer then raises.
    const more = step === 'check' && name === TOGETHER ? ' -- --write-budgets' : ''
    const { code, printed } = await copy.run(STEPS[step] + more)
    process.stdout.write(
      `${step.padEnd(8)}${code === 0 ? 'passed' : 'failed'}  ${Math.round((performance.now() - begun) / 1000)} s\n`,
    )
    if (code !== 0) {
      const log = join(repository, '.build', `${name.replaceAll(' ', '-')}-${step}.log`)
      writeFileSync(log, printed)
      process.stdout.write(`${printed.split('\n').slice(-LAST_LINES).join('\n')}\n… of ${log}\n`)
      return row(step)
    }
  }
  return row()
}

function tableOf(rows: Row[]): string {
  const cells = rows.map(({ name, files, tests, failed, seconds }) => [
    name,
    files.length - tests.length,
    tests.length,
    (seconds / 60).toFixed(1),
    failed ? `failed: ${failed}` : 'passed',
  ])
  return [['change', 'files edited', 'tests adapted', 'minutes', ''], ['---', '--:', '--:', '--:', '---'], ...cells]
    .map((each) => `| ${each.join(' | ')} |`)
    .join('\n')
}

main().then(
  (passed) => process.exit(passed ? 0 : 1),
  (error) => {
    process.stderr.write(`The rehearsal did not start: ${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  },
)
