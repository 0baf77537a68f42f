import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { extname } from 'node:path'
import { isatty } from 'node:tty'
import type { Report } from '../../conformance/index.js'
import type { Sandbox } from '../../sandbox/index.js'
import type { SandboxServer } from '../../sandbox/port/index.js'
import { EXIT, UsageError } from '../exit.js'
import { err, jsonOf } from '../screen.js'
import { codeOfSignal, onInterrupt, SAME_SIGNAL } from '../signals.js'
import { FORMATS, printTable, writeToGithub } from '../verify/output.js'
import { checkOutputs, writeWhole } from '../writable-files.js'

/** The variable with the control token, which the command reads and gives. */
export const CONTROL_TOKEN = 'WORKFLOW_CONTROL_TOKEN'

/** Of a shell, for a command that is not found, and for one that cannot be executed. */
const NOT_FOUND = 127
const NOT_EXECUTABLE = 126

/** What makes a report, by the ending of its file. */
const RENDERERS: Readonly<Record<string, (report: Report) => string>> = {
  '.json': jsonOf,
  ...Object.fromEntries(Object.values(FORMATS).map(({ ending, render }) => [ending, render])),
}

/** @throws ConformanceError when the file cannot be written; UsageError for an ending that names no format */
export async function checkReportFile(file: string | undefined): Promise<void> {
  if (file === undefined) return
  if (!RENDERERS[extname(file)])
    throw new UsageError(`--report ${file} must end in ${Object.keys(RENDERERS).join(' or ')}.`)
  await checkOutputs({ '--report': file })
}

/**
 * Runs a command against a sandbox, and prints on standard error whether it has kept the rules of the service. Returns the
 * exit code of the command if that is not 0, else 1 for a broken rule.
 */
export async function runAround(
  command: readonly string[],
  { sandbox, server }: { sandbox: Sandbox; server: SandboxServer },
  { report: file, exercise }: { report?: string; exercise?: true },
): Promise<number> {
  const [key = ''] = Object.values(sandbox.keys)
  const code = await run(command, {
    WORKFLOW_BASE_URL: server.baseUrl,
    WORKFLOW_API_KEY: key,
    SANDBOX_URL: server.url,
    ...(server.controlToken !== undefined && { [CONTROL_TOKEN]: server.controlToken }),
    ...withoutProxy(new URL(server.url).hostname.replaceAll(/[[\]]/g, '')),
  })
  const report = server.clientRules()
  await server.close()
  if ([NOT_FOUND, NOT_EXECUTABLE].includes(code) && report.requests === 0) return code
  printTable(report, err)
  if (!report.passed) err.line(ON_PURPOSE)
  // Any request exercises the rule on the key.
  if (report.requests > 0 && report.summary.exercised <= 1 && !exercise) err.line(EXERCISE)
  if (file !== undefined) await writeWhole(file, RENDERERS[extname(file)]!(report))
  if (process.env.GITHUB_ACTIONS === 'true') await writeToGithub(report)
  return code !== 0 ? code : report.passed ? EXIT.done : EXIT.failed
}

const ON_PURPOSE =
  'Requests that are wrong on purpose, such as those of a fuzzer, were judged as all others: they break rules, too.'
const EXERCISE =
  'Nothing but the key was exercised. To produce a 429, a lost response and more, once each: sandbox --exercise -- COMMAND.'

/** Clients that use the proxy of the environment would ask it for the sandbox. Programs read one or the other name. */
function withoutProxy(host: string): NodeJS.ProcessEnv {
  const { NO_PROXY, no_proxy: lower } = process.env
  return {
    NO_PROXY: [NO_PROXY ?? lower, host].filter(Boolean).join(','),
    no_proxy: [lower ?? NO_PROXY, host].filter(Boolean).join(','),
  }
}

/** Runs a command with more in its environment. Its output is passed through, and signals are passed on. */
async function run(command: readonly string[], more: NodeJS.ProcessEnv): Promise<number> {
  let child: ChildProcess | undefined
  try {
    child = spawnCommand(command, { ...process.env, ...more })
  } catch (error) {
    return notStarted(command, error as NodeJS.ErrnoException)
  }
  if (!child) return notStarted(command, { code: 'ENOENT' })
  // A terminal sends Ctrl-C to all processes in its foreground: sent again, it ends a program that is already ending.
  const isSent = isatty(0) || isatty(2)
  const stopListening = onInterrupt((signal) => {
    if (signal !== 'SIGINT' || !isSent) child.kill(signal)
  }, SAME_SIGNAL)
  const code = await new Promise<number>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => resolve(notStarted(command, error)))
    child.once('exit', (code, signal) => {
      if (code === NOT_FOUND) notStarted(command, { code: 'ENOENT' })
      resolve(code ?? codeOfSignal(signal ?? 'SIGKILL'))
    })
  })
  stopListening()
  return code
}

/** Says why a command was not started, and returns the code that a shell gives. */
function notStarted([name]: readonly string[], { code, message }: Partial<NodeJS.ErrnoException>): number {
  const isFound = code !== 'ENOENT'
  err.line(
    isFound
      ? `The command ${name} cannot be executed: ${message}.`
      : `The command ${name} was not found, or exited with 127.`,
  )
  return isFound ? NOT_EXECUTABLE : NOT_FOUND
}

/** Windows runs `.cmd` files, such as npm and npx, in a shell alone, which does not say whether it has found them. */
function spawnCommand([name = '', ...rest]: readonly string[], env: NodeJS.ProcessEnv): ChildProcess | undefined {
  if (process.platform !== 'win32') return spawn(name, rest, { stdio: 'inherit', env })
  if (spawnSync('where', ['/q', name]).status !== 0) return undefined
  const line = [name, ...rest].map((text) => `"${text.replaceAll('"', '""')}"`).join(' ')
  return spawn(line, { stdio: 'inherit', env, shell: true })
}
