import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { x } from 'tinyexec'

const require = createRequire(import.meta.url)

/** TypeScript 7 is native and five times as fast as the one that openapi-typescript needs, whose command is `tsc`. */
export const NATIVE_TSC = join(dirname(require.resolve('typescript-native/package.json')), 'bin/tsc')

/** Redocly's commands print colours and send telemetry unless these variables say otherwise. */
export const TOOL_ENV = { NO_COLOR: '1', FORCE_COLOR: '0', REDOCLY_TELEMETRY: 'off' }

/**
 * Runs a command to its end and returns its standard output. Its standard error shows only when it fails: on Node 20
 * Redocly prints a banner there at every call. A detached command does not receive the signals of the terminal, and when
 * it is aborted, everything that it has started ends too: the shells of npm forward no signal.
 *
 * @throws Error with what the command printed
 */
export async function run(
  command: string,
  args: string[],
  { cwd, signal, detached = false }: { cwd: string; signal?: AbortSignal; detached?: boolean },
): Promise<string> {
  const nodeOptions = { cwd, detached, env: TOOL_ENV }
  const child = x(command, args, { nodeOptions, ...(signal && { signal }) })
  const endGroup = () => {
    try {
      if (detached && child.pid) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has ended already, or it runs on Windows, which has no groups of processes.
    }
  }
  signal?.addEventListener('abort', endGroup, { once: true })
  const { exitCode, stdout, stderr } = await child
  signal?.removeEventListener('abort', endGroup)
  if (exitCode === 0) return stdout
  throw new Error(`${command} ${args[0]} failed: ${`${stdout}\n${stderr}`.trim() || `exit code ${exitCode}`}`)
}
