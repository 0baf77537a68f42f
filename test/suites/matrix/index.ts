/**
 * Installs the packed tarball into a project, and tries it on every runtime and under every compiler that it is for.
 *
 *     npm run suite -- matrix [--all] [part of a name …]
 *
 * What is downloaded is kept in `.matrix/`, so that only the first run needs the network.
 */
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pack } from '../../../scripts/pack.js'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { listen } from '../../../src/tools/sandbox/port/index.js'
import { browserRows, bundleEntry } from './browsers.js'
import { compilerRows } from './compilers.js'
import { jestRows } from './jest.js'
import { managerRows } from './managers.js'
import { auditRow, cloneRow } from './packing.js'
import { mswRow, type Outcome, processRows, type Row, sesRow, workerRow } from './runtimes.js'
import { installPackage, installTools, workshop } from './tools.js'

const TOGETHER = 2

async function main(root: string, args: string[]): Promise<boolean> {
  const wanted = args.filter((each) => each !== '--all')
  await mkdir(workshop(root), { recursive: true })
  process.stdout.write('Getting the tools ready …\n')
  const tools = await installTools(root)
  const project = await installPackage(root, (await pack(root, workshop(root))).path)
  await cp(join(import.meta.dirname, 'suite'), join(project, 'suite'), { recursive: true })
  const sandbox = await listen(createSandbox({ plan: false }))
  try {
    const site = { tools, project, server: sandbox.baseUrl }
    // The longest first, so that none is left alone at the end.
    const rows = [
      ...(args.includes('--all') ? [cloneRow(root)] : []),
      auditRow(project),
      ...(await compilerRows(root, tools, project)),
      ...managerRows(root, site),
      ...(await jestRows(root, site)),
      ...browserRows(site),
      workerRow(site, (entry) => bundleEntry(site, entry)),
      ...processRows(site),
      mswRow(site),
      sesRow(site),
    ]
    const chosen = rows.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)))
    return await runRows(chosen)
  } finally {
    await sandbox.close()
  }
}

/** Runs all, a few at a time, prints the table and returns whether all passed. */
async function runRows(rows: Row[]): Promise<boolean> {
  const waiting = [...rows]
  const outcomes = new Map<string, Outcome>()
  const width = Math.max(...rows.map(({ name }) => name.length)) + 2
  const work = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const from = performance.now()
      const outcome = await row.run().catch((error): Outcome => ({ passed: 0, failed: [(error as Error).message] }))
      outcomes.set(row.name, outcome)
      process.stdout.write(
        `${row.name.padEnd(width)}${verdictOf(outcome).padEnd(12)}${seconds(performance.now() - from)} s\n`,
      )
      for (const failure of outcome.failed) process.stdout.write(`  ${failure.replaceAll('\n', '\n  ')}\n`)
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, work))
  const sum = (count: (outcome: Outcome) => number) =>
    [...outcomes.values()].reduce((total, outcome) => total + count(outcome), 0)
  const failed = sum((outcome) => outcome.failed.length)
  process.stdout.write(`\n${sum(({ passed }) => passed)} passed, ${failed} failed\n`)
  return failed === 0
}

const verdictOf = ({ passed, failed, skipped }: Outcome): string => {
  if (skipped) return `skipped: ${skipped} `
  return failed.length > 0 ? `${failed.length} failed` : `${passed} passed`
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1).padStart(5)

main(process.cwd(), process.argv.slice(2)).then(
  (passed) => process.exit(passed ? 0 : 1),
  (error) => {
    process.stderr.write(`The matrix could not be run: ${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  },
)
