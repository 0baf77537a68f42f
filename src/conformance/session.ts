import { operationNodes } from '../../generated/conformance.js'
import { type BasisId, type OperationId, protocol } from '../../generated/operations.js'
import type { PlaybookList, TriggerRunRequest } from '../../generated/types.js'
import type { ParameterNode } from '../internal/contract-nodes.js'
import { hasId, isSuccess, startsRuns, successBasis, successStatus, successStatusBasis } from './contract.js'
import type { Exchange, RequestSpec } from './exchange.js'
import type { Ledger } from './ledger.js'
import type { ConformanceSettings } from './options.js'
import { bare, isBinding, type Message, quote, text } from './result.js'
import type { Transport } from './transport.js'
import type { Checked } from './validate.js'

export interface Check {
  name: string
  /** How many requests it sends without repetitions. */
  requests: number
  /** How many it sends at most, without repetitions; default `requests`. */
  maxRequests?: number
  /** How many runs it may start, faults of the service apart; default none. */
  runs?: number
  run(session: Session): Promise<void>
}

/** The state that the checks share. */
export interface Session {
  settings: ConformanceSettings
  transport: Transport
  ledger: Ledger
  facts: Facts
}

/** What earlier checks learnt from the service. */
export class Facts {
  /** The body of the last success of each operation. */
  readonly bodies: Partial<Record<OperationId, unknown>> = {}
  runId: string | undefined
  /** The capabilities of all steps in responses. */
  readonly capabilities = new Set<string>()
  /** The Service-Version of every request; undefined before one was accepted. */
  pin: string | undefined
  /** The status of the trigger that was meant to start a run. */
  triggerStatus: number | undefined
  /** The kinds of requests that get a 5xx even when they are right. */
  readonly down = new Set<string>()
}

export const bearer = (key: string): string => `Bearer ${key}`

/** A valid request with ids that do not exist. */
function requestFor(session: Session, operation: OperationId, changes: Partial<RequestSpec> = {}): RequestSpec {
  const { settings, facts } = session
  const path = Object.fromEntries(
    operationNodes[operation].parameters
      .filter((each) => each.in === 'path')
      .map((parameter) => [parameter.name, unknownId(parameter, sampleId(operation, facts))]),
  )
  const body = operationNodes[operation].request && JSON.stringify(requestBody(operation, settings))
  const headers = { ...(facts.pin !== undefined && { [protocol.versionHeader]: facts.pin }), ...changes.headers }
  return { operation, path, body, authorization: bearer(settings.apiKey), ...changes, headers }
}

/** Sends such a request, with retries where that is safe. */
export const send = (session: Session, operation: OperationId, changes?: Partial<RequestSpec>): Promise<Checked> =>
  session.transport.send(requestFor(session, operation, changes))

/** Sends such a request at any rate. */
export const sendNow = (session: Session, operation: OperationId, changes?: Partial<RequestSpec>): Promise<Checked> =>
  session.transport.send(requestFor(session, operation, changes), true)

/** What makes a trigger one of the named playbook, which is meant to start a run. */
export const startOf = (playbook: string): Partial<RequestSpec> => ({ path: { id: playbook }, startsRun: true })

/** A valid body; known for triggers only. */
export const requestBody = (
  operation: OperationId,
  { inputs = {} }: ConformanceSettings,
): Partial<TriggerRunRequest> => (startsRuns(operation) ? { inputs } : {})

/** An existing id of the kind that the operation takes. */
const sampleId = (operation: OperationId, { runId, bodies }: Facts): string | undefined => {
  const id = operation === 'getRun' ? runId : (bodies.listPlaybooks as PlaybookList | undefined)?.data[0]?.id
  return typeof id === 'string' ? id : undefined
}

/** An unused id of the same form as an existing one. */
function unknownId({ example }: ParameterNode, sample = String(example)): string {
  const prefix = /^[A-Za-z]+[_-]/.exec(sample)?.[0] ?? ''
  const id = prefix + sample.slice(prefix.length).replaceAll(/[A-Za-z0-9]/g, '0')
  return id === sample ? `${id}0` : id
}

/** Says that a response must have a status, and that the entry rests on it. */
export function expectStatus(
  { ledger }: Pick<Session, 'ledger'>,
  exchange: Exchange,
  { status, basis: id, what }: { status: number; basis: BasisId; what: Message },
): void {
  const { status: got } = exchange
  const location = operationNodes[exchange.operation].responses[status]?.location
  const details = { location, keyword: 'status', fact: text`${what} got ${got}` }
  const verb = isBinding(id) ? 'must get' : 'is assumed to get'
  if (got === status) ledger.passes(id, text`${what} gets ${status}`, exchange, { location })
  else if (exchange.failure) noResponse(ledger, id, what, exchange, location)
  else ledger.fails(id, text`${what} ${verb} ${status}, and got ${got}`, exchange, details)
}

function noResponse(ledger: Ledger, id: BasisId, what: Message, exchange: Exchange, location?: string): void {
  const why = bare(exchange.failure?.message ?? '')
  if (!isBinding(id)) ledger.skipped(id, text`No response came to ${what}: ${why}.`)
  else ledger.fails(id, text`${what} got no response: ${why}`, exchange, { location, keyword: 'no-response' })
}

/** Records that a response must be a success, with any 2xx. Returns whether its body can be used. */
export function expectSuccess(
  { ledger, facts }: Pick<Session, 'ledger' | 'facts'>,
  exchange: Checked,
  what: Message,
): boolean {
  const { operation, status } = exchange
  const id = successBasis(operation)
  const { location } = operationNodes[operation]
  const details = { location, keyword: 'status' }
  if (exchange.failure) noResponse(ledger, id, what, exchange, location)
  else if (exchange.looksLikeSuccess)
    ledger.fails('D03', text`${what} has the body of a success and the status ${status}`, exchange, details)
  else if (!isSuccess(status)) {
    ledger.fails(id, text`${what} must get a 2xx, and got ${status}${redirect(exchange)}`, exchange, details)
    if (MISSING.has(status) && !hasId(operation))
      ledger.fails('S01', text`${what} is not offered: it got ${status}`, exchange, details)
  }
  if (!isSuccess(status)) return false
  ledger.passes('D03', text`${what} gets ${status}`, exchange, { location })
  // A recording may leave the header out.
  if (exchange.request.headers.get('authorization')?.startsWith(bearer('')))
    ledger.passes('S23', 'the key as Bearer in the header Authorization is accepted', exchange, { location })
  // Basis: A12, A13.
  const assumed = successStatusBasis(operation)
  if (assumed) expectStatus({ ledger }, exchange, { status: successStatus(operation), basis: assumed, what })
  if (!exchange.isValid) return false
  ledger.passes(id, text`${what} responds with what the contract says`, exchange, { location })
  facts.bodies[operation] = exchange.body
  return true
}

/** Statuses that deny the resource: RFC 9110, sections 15.5.5, 15.5.6, 15.5.11 and 15.6.2. */
const MISSING = new Set([404, 405, 410, 501])

const redirect = ({ status, headers }: Exchange): Message =>
  status >= 300 && status < 400
    ? text` with a redirect to ${quote(headers.get('location') ?? 'nowhere')}; check the base URL`
    : ''
