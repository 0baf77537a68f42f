import { operationNodes, rules } from '../../generated/conformance/nodes.js'
import { type BasisId, type OperationId, operations, protocol } from '../../generated/operations.js'
import type { Run, TriggerRunRequest } from '../../generated/types.js'
import { STATUS } from '../internal/status.js'
import { isTrigger } from '../internal/trigger.js'
import type { ParameterNode } from '../runtime/contract-nodes.js'
import { collectionOf, hasId, isChosen, isPaged, isSafe, isSuccess, listOf, successBasis } from './contract.js'
import type { RequestSpec } from './exchange.js'
import type { Checked } from './judge/exchange.js'
import { failed, type Result } from './judge/result.js'
import type { FollowedRun } from './judge/runs.js'
import { isListEnvelope } from './judge/semantics.js'
import { bearer, type ConformanceSettings } from './options.js'
import { LeftOutError, type Transport } from './transport.js'

/** The order of a check, in which each step finds what it needs. */
export const PHASES = [
  // When none of these gets through, nothing else would.
  'plain requests',
  'before runs',
  'triggers',
  'while running',
  'wrong requests',
  'to the ends of runs',
  'after runs',
  // From here on the quota of runs may be used up.
  'while many run',
  'what all responses show',
  'the rate limit',
  'wrong triggers',
] as const
export type Phase = (typeof PHASES)[number]

/** What is checked. */
export type Relation =
  | 'reading'
  | 'credentials'
  | 'lists'
  | 'workspaces'
  | 'permission'
  | 'a plan without API access'
  | 'runs'
  | 'ids'
  | 'bodies'
  | 'inputs'
  | 'parameters'
  | 'unrelated'
  | 'repetition'
  | 'the rate limit'

/** One part of a check, which may be left out when the depth does not allow it. */
export interface Step {
  /** Progress names it. */
  relation: Relation
  /** 0 belongs to every check; of the others, the depth takes those of a smaller number first. */
  priority: number
  /** What it varies, the same for several operations. */
  variation?: string | undefined
  /** What it is tried on, such as a kind of request: with relation, phase and variation its identity, by which a seed chooses. */
  subject: string
  /** How many operations a variation is tried on before those that were tried on none get less; default 1. */
  weight?: number | undefined
  /** How many requests it sends without repetitions. */
  requests: number
  /** How many it sends at most, without repetitions; default `requests`. */
  maxRequests?: number
  /** How many of these are polls, which the depth does not bound. */
  polls?: number
  /** How long it waits for runs that take a few seconds, in ms; default no time. */
  waits?: number
  /** How many of these are triggers, which take nothing from the rate. Basis: S36. */
  triggers?: number
  /** How many runs it may start, faults of the service apart; default none. */
  runs?: number
  /** Where in the order it belongs; default where its relation does. */
  phase?: Phase | undefined
  /** Whether it keeps to no rate, and polls in between would disturb it. */
  hasOwnPace?: true
  /** A step without it only announces what others send. */
  run?: (session: Session) => Promise<void>
}

/** What the steps share. */
export interface Session {
  settings: ConformanceSettings
  transport: Transport
  facts: Facts
  /** Adds what a step finds, as it finds it. */
  add(results: Result | readonly Result[]): void
  /** Says something of the service that is right but worth knowing. */
  remark(text: string): void
}

/** What was learnt from the service. */
export class Facts {
  /** The last success of each kind of request, by its title. */
  readonly seen = new Map<string, Checked>()
  /** The body of the last success of each operation. */
  readonly bodies: Partial<Record<OperationId, unknown>> = {}
  /** The ids of existing resources by collection, such as `runs`. */
  readonly ids = new Map<string, Set<string>>()
  /** What a resource belongs to, by collection and id: a step is one of its run. */
  private readonly owners = new Map<string, string>()
  /** The capabilities of all steps in responses. */
  readonly capabilities = new Set<string>()
  /** The Service-Version of every request; undefined before one was accepted. */
  pin: string | undefined
  /** The operations that refuse this pin. */
  readonly unpinned = new Set<OperationId>()
  /** The status of the trigger that was meant to start a run. */
  triggerStatus: number | undefined
  /** The kinds of requests that get a 5xx even when they are right. */
  readonly down = new Set<string>()
  /** The operations that look up the id before they look at the body or the permission. */
  readonly lookedUpFirst = new Set<OperationId>()
  /** The runs that were triggered here. */
  readonly followed: FollowedRun[] = []
  /** What another workspace lists, too: whether by design shows when it may trigger it. */
  readonly common: Result[] = []
  readonly theirs = new Set<unknown>()
  /** The id of the other workspace. */
  theirWorkspace: unknown
  /** The playbooks of the other workspace. */
  theirPlaybooks: unknown
  /** The last response of each run of this workspace, and which states of runs were read as others. */
  readonly runs = new Map<string, Run>()
  readonly tried = new Set<string>()
  /** The items of all lists by Authorization, operation and id. */
  readonly items = new Map<string | null, Map<string, { id: string; item: string; exchange: Checked }>>()
  /** The first list of each operation and key. */
  readonly lists = new Map<string, Checked>()
  /** How many wrong keys got a 429 instead of a 401. */
  throttled = 0

  addId(collection: string, id: unknown): void {
    if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) return
    const known = this.ids.get(collection) ?? new Set()
    this.ids.set(collection, known.add(id))
  }

  addItems(exchange: Checked, data: readonly unknown[]): void {
    const key = exchange.request.headers.get('authorization')
    const known = this.items.get(key) ?? new Map()
    this.items.set(key, known)
    for (const item of data) {
      const { id } = Object(item) as { id?: unknown }
      if (typeof id === 'string') known.set(`${exchange.operation} ${id}`, { id, item: JSON.stringify(item), exchange })
    }
  }

  /** `isPart` is a page of a list. */
  addBody(operation: OperationId, body: unknown, isPart = false): void {
    if (!isPart) this.bodies[operation] = body
    if (isListEnvelope(body)) for (const item of body.data) this.addId(listOf(operation), Object(item).id)
  }

  /** Notes the parts of a resource that have ids, such as the steps of a run, as what belongs to it. */
  addParts(id: string, resource: object): void {
    for (const [collection, parts] of Object.entries(resource))
      for (const part of Array.isArray(parts) ? parts : []) {
        this.addId(collection, Object(part).id)
        if (typeof Object(part).id === 'string') this.owners.set(`${collection} ${part.id}`, id)
      }
  }

  /** The newest existing id of the kind that the operation takes: a service may delete old runs. */
  idFor(operation: OperationId): string | undefined {
    return [...(this.ids.get(collectionOf(operation)) ?? [])].at(-1)
  }

  /** The path of an operation with this id in the last place, and before it what that belongs to, or else what exists. */
  pathTo(operation: OperationId, id: string): Record<string, string> {
    const names = operations[operation].pathParameters
    const owner = this.owners.get(`${collectionOf(operation)} ${id}`)
    return Object.fromEntries(
      names.map((name, index) => {
        const existing = [...(this.ids.get(collectionOf(operation, name)) ?? [])].at(-1)
        return [name, index === names.length - 1 ? id : (owner ?? existing ?? id)]
      }),
    )
  }
}

/** A valid request with ids that do not exist. */
function requestFor(session: Session, operation: OperationId, changes: Partial<RequestSpec> = {}): RequestSpec {
  const { settings, facts } = session
  const parameter = operationNodes[operation].parameters.findLast((each) => each.in === 'path')
  const known = [...(facts.ids.get(collectionOf(operation)) ?? [])]
  const path = parameter && facts.pathTo(operation, unknownId(parameter, known))
  const body = operationNodes[operation].request && JSON.stringify(requestBody(operation, settings))
  const pin = facts.unpinned.has(operation) ? undefined : facts.pin
  const headers = { ...(pin !== undefined && { [protocol.versionHeader]: pin }), ...changes.headers }
  const common = { operation, body, authorization: bearer(settings.apiKey) }
  return { ...common, ...changes, path: changes.path ?? path, headers }
}

/** Sends such a request, with retries where that is safe. */
export async function send(session: Session, operation: OperationId, changes?: Partial<RequestSpec>): Promise<Checked> {
  // A relation of one operation may look at another one, which the service may not have.
  if (!isChosen(session.settings, operation)) throw new LeftOutError()
  const spec = requestFor(session, operation, changes)
  const exchange = note(session, operation, await session.transport.send(spec), changes)
  if (!isRefusedAtOnce(session, exchange, changes)) return exchange
  const { status } = exchange
  const again = note(session, operation, await session.transport.send(spec), changes)
  const message = `${operation} worked before, and must not get ${status} with the same key: it got ${status}, and ${again.status} when it was sent again`
  session.add(
    failed(status === STATUS.unauthorized ? rules.invalidKey : successBasis(operation), message, {
      exchange,
      keyword: 'status',
    }),
  )
  return exchange
}

/** Whether a plain request that succeeded before is refused in the middle of others that succeed. */
function isRefusedAtOnce(
  { facts }: Session,
  { operation, status, isOutage }: Checked,
  changes: Partial<RequestSpec> = {},
) {
  const { authorization, query, headers, body } = changes
  // A page that is asked for may be missing, and is not forbidden.
  const isPage = query !== undefined && Object.keys(query).every((name) => /^(page|per_page)$/.test(name))
  const isPlain = authorization === undefined && (!query || isPage) && !headers && body === undefined
  if (!isPlain || isOutage || !isSafe(operation) || hasId(operation) || !facts.seen.has(operation)) return false
  return status === STATUS.unauthorized || status === STATUS.forbidden || (status === STATUS.notFound && !query)
}

/** Sends such requests of an operation at the same time. */
export async function sendTogether(
  session: Session,
  operation: OperationId,
  changes: readonly Partial<RequestSpec>[],
): Promise<Checked[]> {
  const specs = changes.map((each) => requestFor(session, operation, each))
  const exchanges = await session.transport.sendTogether(specs)
  return exchanges.map((exchange, index) => note(session, operation, exchange, changes[index]))
}

function note(session: Session, operation: OperationId, exchange: Checked, changes?: Partial<RequestSpec>): Checked {
  if (isPaged(operation) && isSuccess(exchange.status) && isListEnvelope(exchange.body))
    session.facts.addItems(exchange, exchange.body.data)
  const isOwn = changes?.authorization === undefined && isSafe(operation) && isSuccess(exchange.status)
  if (isOwn && exchange.isValid) session.facts.addBody(operation, exchange.body, changes?.query !== undefined)
  return exchange
}

/** Sends such a request at any rate. */
export const sendNow = (session: Session, operation: OperationId, changes?: Partial<RequestSpec>): Promise<Checked> =>
  session.transport.send(requestFor(session, operation, changes), { now: true })

/** The path of an operation that takes one id. */
export const pathOf = (operation: OperationId, id: string): Record<string, string> =>
  Object.fromEntries(operations[operation].pathParameters.map((name) => [name, id]))

/** What makes a trigger one of the named playbook, which is meant to start a run. */
export const startOf = (operation: OperationId, playbook: string): Partial<RequestSpec> => ({
  path: pathOf(operation, playbook),
  startsRun: true,
})

/** A valid body; known for triggers only. */
export const requestBody = (
  operation: OperationId,
  { inputs = {} }: ConformanceSettings,
): Partial<TriggerRunRequest> => (isTrigger(operation) ? { inputs } : {})

/** A body without inputs, which a playbook may take as well: who may trigger it is another question. */
export const withoutInputs = (operation: OperationId, settings: ConformanceSettings): Partial<RequestSpec> =>
  isTrigger(operation) ? { body: JSON.stringify(requestBody(operation, { ...settings, inputs: {} })) } : {}

/**
 * Another text of the same form: each digit is replaced by one digit and each letter by one letter, which is hexadecimal. A
 * prefix stays, and so do the digits by which a UUID says what it is. RFC 9562, section 4.
 */
export function ofSameForm(id: string, digit: string, letter: string): string {
  const prefix = UUID.test(id) ? '' : (/^[A-Za-z\d]*[A-Za-z][A-Za-z\d]*[_-](?=.)/.exec(id)?.[0] ?? '')
  const isUuid = UUID.test(id.slice(prefix.length))
  return id.replaceAll(/[A-Za-z0-9]/g, (each, at: number) => {
    if (at < prefix.length || (isUuid && [14, 19].includes(at - prefix.length))) return each
    return each <= '9' ? digit : each <= 'Z' ? letter.toUpperCase() : letter
  })
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** An unused id of the same form as existing ones. */
function unknownId({ example }: ParameterNode<BasisId>, known: readonly string[]): string {
  const sample = known.at(-1) ?? String(example)
  let id = ofSameForm(sample, '0', 'a')
  while (id === sample || known.includes(id)) id += '0'
  return id
}
