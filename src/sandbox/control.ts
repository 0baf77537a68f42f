import { optionProblems, throwIfProblems } from '../internal/options.js'
import { limitOf } from '../service/limit.js'
import { MAX_BODY, type ServiceRequest } from '../service/request.js'
import { type SerializedResponse, serialize } from '../service/respond.js'
import { internalsOf, type Sandbox } from './create.js'
import type { Fault } from './faults.js'
import { canonicalHost } from './hosts.js'
import type { RunView } from './runs.js'

/** The path before the commands. */
export const CONTROL = '/__sandbox'

/** Which requests may control a sandbox on a port. */
export interface ControlAccess {
  /** The allowed hosts in the `Host` header, in their canonical form. */
  isAllowedHost(host: string): boolean
  /** The token that `Authorization: Bearer <token>` must contain; undefined for none. */
  token: string | undefined
}

/** A command that fails, with the status and code of its response. */
export class ControlError extends Error {
  override name = 'ControlError'
  constructor(
    readonly status: number,
    message: string,
    readonly code?: string,
  ) {
    super(message)
  }
}

/** The response to a failed command. */
export const failureOf = (error: unknown): SerializedResponse => {
  const { status = 400, code, message = 'The request failed.' } = Object(error) as Partial<ControlError>
  return json(status, { error: code ?? 'bad_request', message })
}

/** @throws ControlError when the request may not control the sandbox; without `access` none may */
export function requireAccess(request: ServiceRequest, access: ControlAccess | undefined): void {
  if (!access) throw new ControlError(404, 'The control interface is off.')
  const host = (request.header('host') ?? '').toLowerCase()
  const name = canonicalHost(host.replace(/:\d+$/, ''))
  if (name === undefined || !access.isAllowedHost(name))
    throw new ControlError(403, `The host "${host}" may not control the sandbox. Allow it with --allowed-host.`)
  const origin = request.header('origin')
  const foreign = origin !== null && origin.toLowerCase() !== `http://${host}`
  if (foreign || request.header('sec-fetch-site') === 'cross-site')
    throw new ControlError(403, `A page of another origin may not control the sandbox. ${PASTE}`)
  const token = request.header('authorization')?.replace(/^Bearer +/i, '')
  if (access.token !== undefined && token !== access.token)
    throw new ControlError(
      401,
      'The control token is missing or wrong. Send the token that the sandbox printed when it started as Authorization: Bearer.',
    )
}

const PASTE = 'If you followed a link to the console, paste its address into the address bar of the browser instead.'

/**
 * Runs a command on a sandbox: the functions of a sandbox in process, for tests in another process.
 * No GET changes anything.
 */
export async function handleControl(
  sandbox: Sandbox,
  request: ServiceRequest,
  command: string,
): Promise<SerializedResponse> {
  const query = new URLSearchParams(request.query)
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const run = method === 'POST' ? /^runs\/([^/]*)\/(approve|reject)$/.exec(command) : null
  if (run) return json(200, sandbox[run[2] as 'approve' | 'reject'](decoded(run[1])))
  const shown = method === 'GET' ? /^runs\/([^/]*)$/.exec(command) : null
  if (shown) return json(200, viewRun(sandbox, decoded(shown[1])))
  const fault = method === 'DELETE' ? /^faults\/(\d+)$/.exec(command) : null
  if (fault) return json(200, clearFault(sandbox, Number(fault[1])))
  const handle = COMMANDS.get(`${method} ${command}`)
  if (!handle) throw new ControlError(404, `There is no such command. These are: ${LIST}.`)
  return json(200, handle(sandbox, method === 'POST' ? await bodyOf(request) : {}, query) ?? { ok: true })
}

type Command = (sandbox: Sandbox, body: Record<string, unknown>, query: URLSearchParams) => unknown

const COMMANDS = new Map<string, Command>([
  ['GET keys', ({ keys, playbooks }) => ({ keys, playbooks })],
  ['GET playbooks', listPlaybooks],
  ['GET state', readState],
  ['GET requests', (sandbox, _, query) => internalsOf(sandbox).log.records(...pageOf(query))],
  ['GET faults', ({ faults }) => faults],
  ['DELETE faults', (sandbox) => sandbox.clearFaults()],
  ['POST reset', (sandbox) => sandbox.reset()],
  ['POST advance', advance],
  ['POST pause', (sandbox) => setPaused(sandbox, true)],
  ['POST resume', (sandbox) => setPaused(sandbox, false)],
  ['POST inject', (sandbox, body) => sandbox.inject(body as Fault)],
])

const ALL = [
  'GET events',
  ...COMMANDS.keys(),
  'DELETE faults/{number}',
  'GET runs/{id}',
  'POST runs/{id}/approve',
  'POST runs/{id}/reject',
]
const LIST = ALL.join(', ')
COMMANDS.set('GET ', () => ({ message: 'The control interface of the sandbox.', commands: ALL }))

/** A part of a path; text that is no percent-encoding stays as it is. */
function decoded(part = ''): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** A run with its inputs, which events leave out when they are long. It is not moved. */
function viewRun(sandbox: Sandbox, id: string): RunView {
  const view = internalsOf(sandbox).runs.view(id)
  if (!view) throw new ControlError(404, `There is no run with the id "${id}" in the sandbox.`)
  return view
}

function clearFault(sandbox: Sandbox, number: number): { ok: true } {
  const { faults, emitFaults } = internalsOf(sandbox)
  faults.remove(number)
  emitFaults()
  return { ok: true }
}

function advance(sandbox: Sandbox, body: object): void {
  throwIfProblems('advance', optionProblems(body, { ms: [() => true, 'a number of ms'] }))
  sandbox.advance((body as { ms: number }).ms)
}

function setPaused(sandbox: Sandbox, paused: boolean): void {
  const { clock, emitClock } = internalsOf(sandbox)
  clock.setPaused(paused)
  emitClock()
}

/** How many items a list returns at most. */
const MAX_PAGE = 1_000

function pageOf(query: URLSearchParams): [after: number, limit: number] {
  return [wholeNumber(query, 'after', 0), Math.min(MAX_PAGE, wholeNumber(query, 'limit', MAX_PAGE))]
}

export function wholeNumber<Fallback>(query: URLSearchParams, name: string, fallback: Fallback): number | Fallback {
  const text = query.get(name)
  if (text === null) return fallback
  if (!/^\d+$/.test(text))
    throw new TypeError(`The query parameter "${name}" must be a whole number, and is "${text}".`)
  return Number(text)
}

/** `?workspace=` chooses one, `?after=<run id>&limit=` a page of the runs of each, `?last=` the newest instead, without long inputs. */
function readState(sandbox: Sandbox, _: unknown, query: URLSearchParams): unknown {
  const { runs, limits, workspaces, settings, events, log, clock, epochId, keys } = internalsOf(sandbox)
  const last = query.has('last') ? Math.min(MAX_PAGE, wholeNumber(query, 'last', MAX_PAGE)) : undefined
  const only = query.get('workspace')
  const after = query.get('after') ?? undefined
  const limit = Math.min(MAX_PAGE, wholeNumber(query, 'limit', MAX_PAGE))
  const chosen = workspaces.filter(({ name }) => only === null || only === name)
  return {
    epoch: epochId(),
    event: events.last(),
    lastRequest: log.last(),
    paused: clock.isPaused(),
    progress: settings.progress,
    speed: settings.speed,
    workspaces: chosen.map((each) => ({
      name: each.name,
      workspace: each.workspace,
      plan: each.limit.plan,
      limit: limitOf(each.limit.plan) || null,
      tokens: limits.tokens(each.limit),
      keys: [...keys].flatMap(([value, { name, workspace, allowed }]) =>
        workspace === each ? [{ name, value, operations: allowed && [...allowed] }] : [],
      ),
      runs: last === undefined ? runs.list(each.name, after, limit) : runs.last(each.name, last),
      runCount: runs.count(each.name),
    })),
  }
}

function listPlaybooks(sandbox: Sandbox): unknown {
  return Object.entries(internalsOf(sandbox).world).flatMap(([workspace, { playbooks }]) =>
    Object.entries(playbooks).map(([name, { playbook, steps }]) => ({ workspace, name, playbook, steps })),
  )
}

export const json = (status: number, body: unknown): SerializedResponse => serialize({ status, body })

/** @throws TypeError when the body is not a JSON object */
export async function bodyOf(request: ServiceRequest): Promise<Record<string, unknown>> {
  const text = await request.text(MAX_BODY)
  if (text === undefined) throw new TypeError('The body is too large.')
  const body: unknown = JSON.parse(text || '{}')
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new TypeError('The body must be a JSON object.')
  return body as Record<string, unknown>
}
