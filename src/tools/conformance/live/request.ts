import { type OperationId, operationNodes, operations, protocol } from '../../../../generated/contract.js'
import type { TriggerRunRequest } from '../../../../generated/types.js'
import { isTrigger, mediaTypeOf } from '../../../internal/contract/operations.js'
import { hasId, isPaged, isSafe, TRIGGER } from '../judge/contract.js'
import type { SentRequest } from '../judge/exchange.js'
import type { ConformanceSettings } from '../options.js'

/** A request as a check asks for it. What it leaves out is that of the plainest valid one. */
export interface TestRequest {
  operation: OperationId
  /** The id in the path; default one that does not exist. */
  id?: string | undefined
  query?: Readonly<Record<string, string>> | undefined
  /** An empty one is left out. */
  headers?: Readonly<Record<string, string>> | undefined
  body?: string | Uint8Array<ArrayBuffer> | undefined
  /** What follows the path, such as a slash: another address, which no client needs. */
  suffix?: string | undefined
  /** The whole Authorization header, or null for none; default that of the API key. */
  authorization?: string | null | undefined
  /** Whether its key may be accepted, such as the right one elsewhere; default without an `authorization`. */
  mayBeAccepted?: boolean | undefined
  /** Whether it may start a run: on purpose, or because it is only assumed that a service refuses it. */
  startsRun?: boolean | undefined
}

/** How a request differs from another one. */
export type Change = Partial<Omit<TestRequest, 'operation'>>

/** What is sent of a complete request. */
export function sentRequestOf(request: TestRequest, { baseUrl }: ConformanceSettings): SentRequest {
  const { operation, id = '', body, suffix = '', authorization = null } = request
  const { method, path } = operations[operation]
  const query = new URLSearchParams(request.query).toString()
  const headers = new Headers({ accept: 'application/json' })
  if (body !== undefined) headers.set('content-type', mediaTypeOf(operation))
  for (const [name, value] of Object.entries(request.headers ?? {}))
    if (value === '') headers.delete(name)
    else headers.set(name, value)
  if (authorization !== null) headers.set('authorization', authorization)
  const ownPath = path.replaceAll(/\{[^}]+\}/g, () => encodeURIComponent(wellFormed(id)))
  return { method, url: baseUrl + ownPath + suffix + (query && `?${query}`), headers, body }
}

/** A service may send half of a surrogate pair in an id, which no URL can have. */
const wellFormed = (text: string): string => text.replaceAll(/\p{Cs}/gu, '\ufffd')

/** A trigger of a playbook that was named, which is meant to start a run. */
export const startOf = (playbook: string): TestRequest => ({ operation: TRIGGER, id: playbook, startsRun: true })

/** The body of a trigger with these inputs. */
export const bodyWith = (inputs: object = {}, operation: OperationId = TRIGGER): string =>
  JSON.stringify(requestBody(operation, inputs))

/** A valid body; known for triggers only. */
export const requestBody = (operation: OperationId, inputs: object = {}): Partial<TriggerRunRequest> =>
  isTrigger(operation) ? { inputs: inputs as TriggerRunRequest['inputs'] } : {}

/** A body without inputs, which a playbook may take as well: who may trigger it is another question. */
export const withoutInputs = (operation: OperationId): Change => (isTrigger(operation) ? { body: bodyWith() } : {})

/** A kind of a right request: known to be right once it was seen to succeed. */
export interface Variant {
  operation: OperationId
  /** What it is besides a request of its operation; empty for the plain one. */
  name: string
  change: Change
  /** Whether it is the one with most in it. */
  isFull?: boolean
}

export const titleOf = ({ operation, name }: Pick<Variant, 'operation' | 'name'>): string =>
  name ? `${operation} ${name}` : operation

/** The kinds of requests of an operation, the plain one first and the one with everything last. */
export function variantsOf(operation: OperationId, settings: ConformanceSettings): readonly [Variant, ...Variant[]] {
  const pin = pinOf(operation, settings)
  const pinned = pin === undefined ? undefined : { headers: { [protocol.versionHeader]: pin } }
  const query = isPaged(operation) ? { query: pageQuery(2, 1) } : { query: { conformance: 'check' } }
  const name = isPaged(operation) ? 'with page=2' : 'with an unknown parameter'
  const queried: Variant = { operation, name, change: { ...query, headers: UNPINNED } }
  const plain: Variant = { operation, name: '', change: {} }
  if (!pinned) return [plain, { ...queried, isFull: true }]
  const full = { operation, name: `${name}, ${PINNED}`, change: { ...query, ...pinned }, isFull: true }
  return [plain, { operation, name: PINNED, change: pinned }, queried, full]
}

export const UNPINNED = { [protocol.versionHeader]: '' }
export const PINNED = 'pinned to a release'
export const pageQuery = (page: number, size: number) => ({ page: String(page), per_page: String(size) })

/** The release to pin to; undefined when the operation cannot be pinned. */
export function pinOf(operation: OperationId, { serviceVersion }: ConformanceSettings): string | undefined {
  const parameter = operationNodes[operation].parameters.find(({ name }) => name === protocol.versionHeader)
  return parameter && (serviceVersion ?? String(parameter.example))
}

/** Whether what was given lets a request of the operation go to something that exists. */
export const mayExist = (operation: OperationId, { run, triggers }: ConformanceSettings): boolean =>
  !hasId(operation) || (isSafe(operation) ? run !== undefined || triggers.length > 0 : triggers.length > 0)
