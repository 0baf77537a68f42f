import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { extname } from 'node:path'
import type { Report } from '../../conformance/index.js'
import { renderTable } from '../../conformance/report/table.js'
import type { Sandbox } from '../../sandbox/index.js'
import type { SandboxServer } from '../../sandbox/node.js'
import { EXIT } from '../exit.js'
import { codeOfSignal, onInterrupt, SAME_SIGNAL } from '../signals.js'
import { colourOf, FORMATS, jsonOf, writeToGithub } from '../verify/output.js'
import { checkOutputs, writeWhole } from '../writable-files.js'

/** Of a shell, for a command that is not found. */
const NOT_FOUND = 127

/** What makes a report, by the ending of its file. */
const RENDERERS: Readonly<Record<string, (report: Report) => string>> = {
  '.json': jsonOf,
  ...Object.fromEntries(Object.values(FORMATS).map(({ ending, render }) => [ending, render])),
}

/** @throws ConformanceError when the file cannot be written; Error for an ending that names no format */
export async function checkReportFile(file: string | undefined): Promise<void> {
  if (file === undefined) return
  if (!RENDERERS[extname(file)]) throw new Error(`--report ${file} must end in ${Object.keys(RENDERERS).join(' or ')}.`)
  await checkOutputs({ '--report': file })
}

/**
 * Runs a command against a sandbox, and prints on standard error whether it has kept the rules of the service. Returns the
 * exit code of the command if that is not 0, else 1 for a broken rule.
 */
export async function runAround(
  command: readonly string[],
  { sandbox, server }: { sandbox: Sandbox; server: SandboxServer },
  file: string | undefined,
): Promise<number> {
  const [key = ''] = Object.values(sandbox.keys)
  const code = await run(command, {
    WORKFLOW_BASE_URL: server.baseUrl,
    WORKFLOW_API_KEY: key,
    SANDBOX_URL: server.url,
  })
  const report = server.clientRules()
  await server.close()
  if (code === NOT_FOUND && report.requests === 0) return code
  const width = process.stderr.isTTY ? Math.min(process.stderr.columns, 120) : Infinity
  process.stderr.write(renderTable(report, { colour: colourOf(process.stderr), width }))
  if (file !== undefined) await writeWhole(file, RENDERERS[extname(file)]!(report))
  if (process.env.GITHUB_ACTIONS === 'true') await writeToGithub(report)
  return code !== 0 ? code : report.passed ? EXIT.done : EXIT.failed
}

/** Runs a command with more in its environment. Its output is passed through, and signals are passed on. */
async function run(command: readonly string[], more: NodeJS.ProcessEnv): Promise<number> {
  const child = start(command, { ...process.env, ...more })
  const stopListening = child && onInterrupt((signal) => child.kill(signal), SAME_SIGNAL)
  const code = child ? await endOf(child) : NOT_FOUND
  stopListening?.()
  if (code === NOT_FOUND) process.stderr.write(`The command ${command[0]} was not found, or exited with 127.\n`)
  return code
}

const endOf = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') resolve(NOT_FOUND)
      else reject(error)
    })
    child.once('exit', (code, signal) => resolve(code ?? codeOfSignal(signal ?? 'SIGKILL')))
  })

/** Windows runs `.cmd` files, such as npm and npx, in a shell alone, which does not say whether it has found them. */
function start([name = '', ...rest]: readonly string[], env: NodeJS.ProcessEnv): ChildProcess | undefined {
  if (process.platform !== 'win32') return spawn(name, rest, { stdio: 'inherit', env })
  if (spawnSync('where', ['/q', name]).status !== 0) return undefined
  const line = [name, ...rest].map((text) => `"${text.replaceAll('"', '""')}"`).join(' ')
  return spawn(line, { stdio: 'inherit', env, shell: true })
}
