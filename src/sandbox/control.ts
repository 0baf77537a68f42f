import { hasDuplicateName } from '../internal/duplicate-name.js'
import { optionProblems, throwIfProblems } from '../internal/options.js'
import { limitOf } from '../service/limit.js'
import { internalsOf, type Sandbox } from './create.js'
import type { Fault } from './faults.js'
import type { RunView } from './runs.js'

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

/**
 * Runs a command on a sandbox, such as `POST runs/run_1/approve`: the functions of a sandbox in process, for tests in
 * another process. No GET changes anything.
 */
export async function runCommand(
  sandbox: Sandbox,
  command: string,
  query: URLSearchParams,
  readBody: () => Promise<string>,
): Promise<unknown> {
  for (const { pattern, handle } of COMMANDS) {
    const [found, parameter = ''] = pattern.exec(command) ?? []
    if (found === undefined) continue
    const body = command.startsWith('POST ') ? parseBody(await readBody()) : {}
    return handle(sandbox, { parameter: decoded(parameter), body, query }) ?? { ok: true }
  }
  throw new ControlError(404, `There is no such command. These are: ${NAMES.join(', ')}.`)
}

interface Given {
  /** The parameter of the path. */
  parameter: string
  body: Record<string, unknown>
  query: URLSearchParams
}

const HANDLERS: Record<string, (sandbox: Sandbox, given: Given) => unknown> = {
  'GET keys': ({ keys, playbooks }) => ({ keys, playbooks }),
  'GET playbooks': listPlaybooks,
  'GET state': (sandbox, { query }) => readState(sandbox, query),
  'GET requests': (sandbox, { query }) => internalsOf(sandbox).log.records(...pageOf(query)),
  'GET faults': ({ faults }) => faults,
  'DELETE faults': (sandbox) => sandbox.clearFaults(),
  'POST reset': (sandbox) => sandbox.reset(),
  'POST advance': advance,
  'POST pause': (sandbox) => internalsOf(sandbox).clock.setPaused(true),
  'POST resume': (sandbox) => internalsOf(sandbox).clock.setPaused(false),
  'POST inject': (sandbox, { body }) => sandbox.inject(body as Fault),
  'DELETE faults/{number}': (sandbox, { parameter }) => internalsOf(sandbox).faults.remove(Number(parameter)),
  'GET runs/{id}': viewRun,
  'POST runs/{id}/approve': (sandbox, { parameter }) => sandbox.approve(parameter),
  'POST runs/{id}/reject': (sandbox, { parameter }) => sandbox.reject(parameter),
  'GET ': () => ({ message: 'The control interface of the sandbox.', commands: NAMES }),
}

const COMMANDS = Object.entries(HANDLERS).map(([name, handle]) => ({
  pattern: new RegExp(`^${name.replace('{number}', '(\\d+)').replace('{id}', '([^/]*)')}$`),
  handle,
}))

const NAMES = ['GET events', ...Object.keys(HANDLERS).filter((name) => name !== 'GET ')]

/** A part of a path; text that is no percent-encoding stays as it is. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** A run with its inputs, which events leave out when they are long. It is not moved. */
function viewRun(sandbox: Sandbox, { parameter: id }: Given): RunView {
  const view = internalsOf(sandbox).runs.view(id)
  if (!view) throw new ControlError(404, `There is no run with the id "${id}" in the sandbox.`)
  return view
}

function advance(sandbox: Sandbox, { body }: Given): void {
  throwIfProblems('advance', optionProblems(body, { ms: [() => true, 'a number of ms'] }))
  sandbox.advance(body.ms as number)
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

/** What `GET state` returns. */
export type ControlState = ReturnType<typeof readState>

/** `?workspace=` chooses one, `?after=<run id>&limit=` a page of the runs of each, `?last=` the newest instead, without long inputs. */
function readState(sandbox: Sandbox, query: URLSearchParams) {
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

/** A playbook as `GET playbooks` lists it. */
export type ControlPlaybook = ReturnType<typeof listPlaybooks>[number]

function listPlaybooks(sandbox: Sandbox) {
  return Object.entries(internalsOf(sandbox).world).flatMap(([workspace, { playbooks }]) =>
    Object.entries(playbooks).map(([name, { playbook, steps }]) => ({ workspace, name, playbook, steps })),
  )
}

/** @throws TypeError when a text is not a JSON object, or would be read differently by different readers */
export function parseBody(text: string): Record<string, unknown> {
  const body: unknown = JSON.parse(text || '{}')
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new TypeError('The body must be a JSON object.')
  if (hasDuplicateName(text, body)) throw new TypeError('The body has an object that names a property twice.')
  return body as Record<string, unknown>
}
