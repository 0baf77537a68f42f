/**
 * Runs a client around the sandbox, in its correct form and with faults planted, each at two seeds:
 *
 *     node --import tsx test/suites/interop/client-rules.ts FAULT,FAULT,… COMMAND …
 *
 * The command gets the fault as FAULT, and as INJECT what it has to inject first. Fails unless each fault is found and the
 * correct form keeps every rule.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Report } from '../../../src/tools/conformance/index.js'

/** What is planted: the entry that it breaks, whether that fails or is advice, and a fault that shows it. */
const FAULTS: Record<string, { basis: string; outcome: 'fail' | 'warning'; inject?: object }> = {
  'retries at once': { basis: 'S33', outcome: 'fail' },
  'waits half as long': {
    basis: 'S33',
    outcome: 'fail',
    inject: { operation: 'listPlaybooks', status: 429, retryAfter: 2 },
  },
  'ignores Retry-After': {
    basis: 'S33',
    outcome: 'fail',
    inject: { operation: 'listPlaybooks', status: 429, retryAfter: 2 },
  },
  'resends after a loss': { basis: 'D10', outcome: 'fail' },
  'resends by its library': { basis: 'D10', outcome: 'fail' },
  'resends after a timeout': { basis: 'D10', outcome: 'fail', inject: { operation: 'triggerRun', delay: 4_000 } },
  'resends after a 502': { basis: 'D10', outcome: 'fail', inject: { operation: 'triggerRun', status: 502 } },
  'resends after a 503': { basis: 'D10', outcome: 'fail', inject: { operation: 'triggerRun', status: 503 } },
  'forgets the key': { basis: 'S23', outcome: 'fail' },
  'pins to no date': { basis: 'S40', outcome: 'fail' },
  'lists each time': { basis: 'S38', outcome: 'warning' },
  'keeps no pace': { basis: 'S34', outcome: 'warning' },
}

const SEEDS = [1, 2]

async function main([list = '', ...command]: string[]): Promise<void> {
  const faults = list.split(',')
  const unknown = faults.filter((each) => !FAULTS[each])
  if (unknown.length > 0) throw new Error(`There is no fault ${unknown.join(', ')}.`)
  // Most of the time they wait.
  const problems = await Promise.all(
    SEEDS.flatMap((seed) => ['', ...faults].map((fault) => tryOut(command, fault, seed))),
  )
  if (problems.some(Boolean)) throw new Error(problems.filter(Boolean).join('\n'))
}

async function tryOut(command: string[], fault: string, seed: number): Promise<string | undefined> {
  const file = `rules-${fault.replaceAll(' ', '-') || 'correct'}-${seed}.json`
  const { basis, outcome, inject } = FAULTS[fault] ?? {}
  const cli = join(import.meta.dirname, '../../../dist/src/tools/cli/index.js')
  const env = { ...process.env, FAULT: fault, INJECT: inject ? JSON.stringify(inject) : '' }
  const args = [cli, 'sandbox', '--exercise', '--seed', String(seed), '--report', file, '--', ...command]
  const { code, printed } = await run(args, env)
  const report: Report | undefined = await readFile(file, 'utf8').then(JSON.parse, () => undefined)
  const found = report?.findings.filter((each) => each.outcome === 'fail' || each.outcome === 'warning') ?? []
  const isRight =
    report !== undefined &&
    code === (outcome === 'fail' ? 1 : 0) &&
    (fault === '' ? found.length === 0 : found.some((each) => each.basis === basis && each.outcome === outcome))
  return isRight ? undefined : `${fault || 'The correct form'} at seed ${seed} exited with ${code}:\n${printed}`
}

const run = (args: string[], env: NodeJS.ProcessEnv) =>
  new Promise<{ code: number; printed: string }>((resolve) => {
    const child = execFile(process.execPath, args, { env, timeout: 120_000 }, (_, out, error) =>
      resolve({ code: child.exitCode ?? 1, printed: out + error }),
    )
  })

main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
