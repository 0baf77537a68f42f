import type { ServiceRequest as Incoming } from '../service/request.js'
import type { SerializedResponse as Reply } from '../service/respond.js'
import type { Fault } from './faults.js'
import type { Sandbox } from './index.js'

const PREFIX = '/__sandbox/'

/** Whether a request is for the control door. */
export const isControl = ({ path }: Incoming): boolean => path.startsWith(PREFIX)

/** Whether an address is of this machine only. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|::1|\[::1\])$/.test(host)

/**
 * What a test in another process needs of a sandbox: `GET keys | state | requests` and
 * `POST reset | advance | inject | runs/{id}/approve | runs/{id}/reject`.
 */
export async function answerControl(sandbox: Sandbox, incoming: Incoming, host: string): Promise<Reply> {
  if (isForeign(incoming, host)) return json(403, { message: 'A page of another origin may not control the sandbox.' })
  const command = `${incoming.method} ${incoming.path.slice(PREFIX.length)}`
  const run = /^POST runs\/([^/]+)\/(approve|reject)$/.exec(command)
  try {
    if (run) return json(200, sandbox[run[2] as 'approve' | 'reject'](decodeURIComponent(run[1] ?? '')))
    const perform = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined
    if (!perform) return json(404, { message: `There is no such command. These are: ${LIST}.` })
    const result = perform(sandbox, incoming.method === 'POST' ? await bodyOf(incoming) : undefined)
    return json(200, result ?? { ok: true })
  } catch (error) {
    return json(400, { message: error instanceof Error ? error.message : 'The command failed.' })
  }
}

const COMMANDS: Record<string, (sandbox: Sandbox, body: unknown) => unknown> = {
  'GET keys': ({ keys, playbooks }) => ({ keys, playbooks }),
  'GET state': ({ state }) => state,
  'GET requests': ({ requests }) => requests,
  'POST reset': (sandbox) => sandbox.reset(),
  'POST advance': (sandbox, body) => sandbox.advance((body as { ms: number }).ms),
  'POST inject': (sandbox, body) => sandbox.inject(body as Fault),
}

const LIST = [...Object.keys(COMMANDS), 'POST runs/{id}/approve', 'POST runs/{id}/reject'].join(', ')

const json = (status: number, body: unknown): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  text: JSON.stringify(body),
})

async function bodyOf(incoming: Incoming): Promise<unknown> {
  const body: unknown = JSON.parse((await incoming.text()) || '{}')
  if (typeof body !== 'object' || body === null) throw new TypeError('The body must be a JSON object.')
  return body
}

/**
 * A browser names the page that sends a request. On a loopback address another name than that of this machine is foreign
 * too: somebody has bound it there.
 */
function isForeign({ header }: Incoming, host: string): boolean {
  const name = header('host')?.replace(/:\d+$/, '') ?? ''
  return header('origin') !== null || (isLoopback(host) && !isLoopback(name))
}
