import { duplicateName } from '../../../internal/http/json.js'
import { percentDecoded } from '../../../internal/http/url.js'
import { limitOf } from '../../../internal/limits/limit.js'
import { optionProblems, rule, throwIfProblems } from '../../../internal/options.js'
import type { PointInTime } from '../clock.js'
import type { Fault } from '../faults/types.js'
import type { RequestFilter } from '../log/index.js'
import { MAX_TIMEOUT, requireFilter, WorldGoneError } from '../log/waiting.js'
import type { RunView } from '../runs/store.js'
import { engineOf, type Sandbox } from '../sandbox.js'
import type { SandboxSnapshot } from '../snapshot.js'
import { TIMED_OUT, WORLD_GONE } from '../world/name.js'

/** A command that fails, with the status and code of its response. */
export class ControlError extends Error {
  override name = 'ControlError'
  constructor(
    readonly status: number,
    message: string,
    readonly code = CODES[status] ?? 'bad_request',
  ) {
    super(message)
  }
}

const CODES: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  [TIMED_OUT]: 'timeout',
  [WORLD_GONE]: 'world_gone',
  503: 'no_space',
}

/**
 * Runs a command on a sandbox, such as `POST runs/run_1/approve`: the functions of a sandbox in process, for tests in
 * another process. No GET changes anything.
 */
export async function executeCommand(
  sandbox: Sandbox,
  command: string,
  { readBody, ...request }: CommandRequest,
): Promise<unknown> {
  for (const { pattern, parameters, handle } of COMMANDS) {
    const [found, encoded = ''] = pattern.exec(command) ?? []
    if (found === undefined) continue
    requireQuery(request.query, parameters)
    const parameter = percentDecoded(encoded) ?? encoded
    const body = command.startsWith('POST ') ? parseBody(await readBody()) : {}
    return (await handle(sandbox, { ...request, parameter, body })) ?? { ok: true }
  }
  throw new ControlError(404, `Unknown command; expected one of: ${namesOf(request.isWorld).join(', ')}.`)
}

/** The request of a command, without its path. */
interface CommandRequest {
  query: URLSearchParams
  readBody(): Promise<string>
  /** The base URL of the API, as the caller addresses it; undefined in process. */
  baseUrl?: string
  /** Whether the sandbox is a world of a server. */
  isWorld?: boolean
  /** Aborted when the caller leaves. */
  signal?: AbortSignal | undefined
}

/** The input of a command's function. */
interface CommandInput extends Omit<CommandRequest, 'readBody'> {
  /** The parameter of the path. */
  parameter: string
  body: Record<string, unknown>
}

const HANDLERS: Record<string, (sandbox: Sandbox, given: CommandInput) => unknown> = {
  'GET keys': ({ keys, playbooks }) => ({ keys, playbooks }),
  'GET playbooks': listPlaybooks,
  'GET state': (sandbox, { query }) => readState(sandbox, query),
  'GET requests': (sandbox, { query }) => engineOf(sandbox).log.records(filterOf(sandbox, query), limitIn(query)),
  'GET requests/next': nextRequest,
  'GET rules': (sandbox, { baseUrl }) => ({ ...sandbox.clientRules(), ...(baseUrl && { baseUrl }) }),
  'POST exercise': (sandbox) => sandbox.exercise(),
  'GET waiting': (sandbox) => sandbox.waitingRuns(),
  'GET snapshot': (sandbox) => sandbox.snapshot(),
  'GET export': (sandbox) => sandbox.export(),
  'POST restore': (sandbox, { body }) => sandbox.restore(body as unknown as SandboxSnapshot),
  'GET faults': ({ faults }) => faults,
  'DELETE faults': (sandbox) => sandbox.clearFaults(),
  'POST reset': (sandbox) => sandbox.reset(),
  'POST advance': (sandbox, { body }) => sandbox.advance(only('ms', body) as number),
  'POST pause': (sandbox) => sandbox.pause(),
  'POST resume': (sandbox) => sandbox.resume(),
  'POST time': (sandbox, { body }) => sandbox.setTime(only('time', body) as PointInTime),
  'POST inject': (sandbox, { body }) => ({ ok: true, number: engineOf(sandbox).faults.inject(body as Fault) }),
  'DELETE faults/{number}': removeFault,
  'GET runs/{id}': viewRun,
  'POST runs/{id}/approve': (sandbox, given) => sandbox.approve(viewRun(sandbox, given).run.id),
  'POST runs/{id}/reject': (sandbox, given) => sandbox.reject(viewRun(sandbox, given).run.id),
  'GET ': (_, { isWorld }) => ({
    message: 'The control interface of the sandbox.',
    commands: namesOf(isWorld),
  }),
}

const FILTER_PARAMETERS = ['operation', 'status', 'key', 'body', 'after']

/** The parameters that the query of a command may have. */
const PARAMETERS: Readonly<Record<string, readonly string[]>> = {
  'GET state': ['workspace', 'after', 'limit', 'last'],
  'GET requests': [...FILTER_PARAMETERS, 'limit'],
  'GET requests/next': [...FILTER_PARAMETERS, 'timeout'],
}

/** @throws TypeError for a parameter that the command does not have */
function requireQuery(query: URLSearchParams, parameters: readonly string[]): void {
  const unknown = [...query.keys()].find((name) => !parameters.includes(name))
  if (unknown === undefined) return
  const expected = parameters.length > 0 ? `one of: ${parameters.join(', ')}` : 'none'
  throw new TypeError(`Unknown query parameter "${unknown}"; expected ${expected}.`)
}

const COMMANDS = Object.entries(HANDLERS).map(([name, handle]) => ({
  parameters: PARAMETERS[name] ?? [],
  pattern: new RegExp(`^${name.replace('{number}', '(\\d+)').replace('{id}', '([^/]*)')}$`),
  handle,
}))

/** Only outside of a world. */
export const LIST_WORLDS = 'GET worlds'

/** The names of the commands; the first ones are handled by `port/dispatch.ts`. */
const namesOf = (isWorld = false): string[] => [
  'GET events',
  'GET health',
  ...(isWorld ? [] : [LIST_WORLDS]),
  ...Object.keys(HANDLERS).filter((name) => name !== 'GET '),
]

/** A run with its inputs. Reading it does not move it. */
function viewRun(sandbox: Sandbox, { parameter: id }: CommandInput): RunView {
  const view = engineOf(sandbox).runs.view(id)
  if (!view) throw new ControlError(404, `There is no run with the id "${id}" in the sandbox.`)
  return view
}

function removeFault(sandbox: Sandbox, { parameter: number }: CommandInput): void {
  if (!engineOf(sandbox).faults.remove(Number(number))) throw new ControlError(404, `There is no fault ${number}.`)
}

/** The only property that a body may have. */
function only(name: string, body: CommandInput['body']): unknown {
  throwIfProblems('The body', optionProblems(body, { [name]: rule(() => true, 'a value') }))
  return body[name]
}

/** Waits for a request, up to `?timeout=` ms. */
async function nextRequest(sandbox: Sandbox, { query, signal }: CommandInput): Promise<unknown> {
  const filter = filterOf(sandbox, query)
  const timeout = Math.min(MAX_TIMEOUT, numberIn(query, 'timeout', 5_000))
  return sandbox.waitForRequest(filter, { timeout, signal }).catch((error) => {
    throw new ControlError(error instanceof WorldGoneError ? WORLD_GONE : TIMED_OUT, error.message)
  })
}

const limitIn = (query: URLSearchParams): number => numberIn(query, 'limit', Number.POSITIVE_INFINITY)

/** The filter in a query; `body` is JSON. */
function filterOf(sandbox: Sandbox, query: URLSearchParams): RequestFilter {
  const filter: RequestFilter = {
    ...(query.has('operation') && { operation: query.get('operation') as never }),
    ...(query.has('key') && { key: query.get('key') as string }),
    ...(query.has('body') && { body: jsonIn('query parameter "body"', query.get('body') ?? '') }),
    ...(query.has('status') && { status: numberIn(query, 'status', 0) }),
    ...(query.has('after') && { after: numberIn(query, 'after', 0) }),
  }
  return requireFilter(filter, engineOf(sandbox))
}

function numberIn<Fallback>(query: URLSearchParams, name: string, fallback: Fallback): number | Fallback {
  const text = query.get(name)
  if (text === null) return fallback
  if (!/^\d+$/.test(text)) throw new TypeError(`The query parameter "${name}" must be an integer, but is "${text}".`)
  return Number(text)
}

/** What `GET state` returns. */
export type ControlState = ReturnType<typeof readState>

/** The query may choose a `workspace`, and of its runs a page (`after=<run id>&limit=`) or the newest (`last=`). */
function readState(sandbox: Sandbox, query: URLSearchParams) {
  const { runs, limits, workspaces, settings, events, log, clock, epoch, keys } = engineOf(sandbox)
  const last = numberIn(query, 'last', undefined)
  const wanted = query.get('workspace')
  const after = query.get('after') ?? undefined
  const chosen = workspaces.filter(({ name }) => wanted === null || wanted === name)
  return {
    epoch: epoch(),
    event: events.last(),
    lastRequest: log.last(),
    time: new Date(clock.runNow()).toISOString(),
    paused: clock.isPaused(),
    progress: settings.progress,
    speed: settings.speed,
    maxRuns: settings.maxRuns,
    maxRequests: settings.maxRequests,
    workspaces: chosen.map((each) => ({
      name: each.name,
      workspace: each.workspace,
      plan: each.limit.plan,
      limit: limitOf(each.limit.plan) || null,
      tokens: limits.tokens(each.limit),
      keys: [...keys].flatMap(([value, { name, workspace, allowed }]) =>
        workspace === each ? [{ name, value, operations: allowed && [...allowed] }] : [],
      ),
      runs: last === undefined ? runs.list(each.name, after, limitIn(query)) : runs.last(each.name, last),
      runCount: runs.count(each.name),
    })),
  }
}

/** A playbook as `GET playbooks` lists it. */
export type ControlPlaybook = ReturnType<typeof listPlaybooks>[number]

function listPlaybooks(sandbox: Sandbox) {
  return Object.entries(engineOf(sandbox).world).flatMap(([workspace, { playbooks }]) =>
    Object.entries(playbooks).map(([name, { playbook, steps }]) => ({ workspace, name, playbook, steps })),
  )
}

/** @throws TypeError unless a body is a JSON object without duplicate properties, which readers treat differently */
export function parseBody(text: string): Record<string, unknown> {
  const body = jsonIn('body', text || '{}')
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new TypeError('The body must be a JSON object.')
  const duplicate = duplicateName(text)
  if (duplicate !== undefined) throw new TypeError(`The body has the property "${duplicate}" twice.`)
  return body as Record<string, unknown>
}

/** @throws TypeError with what the parser says, when the text is not JSON */
function jsonIn(where: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new TypeError(`The ${where} is not JSON: ${(error as Error).message}.`)
  }
}
