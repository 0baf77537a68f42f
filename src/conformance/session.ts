import { operationNodes, type ParameterNode, schemaNodes } from '../../generated/conformance.js'
import { type BasisId, type OperationId, operations } from '../../generated/operations.js'
import type { PlaybookList, TriggerRunRequest } from '../../generated/types.js'
import { hasStatus, isSuccess, successBasis, successStatus, successStatusBasis } from './contract.js'
import type { Call, Exchange } from './exchange.js'
import { isSound } from './judge.js'
import { isFirm, type Ledger } from './ledger.js'
import type { Settings } from './options.js'
import { quote } from './text.js'
import type { Transport } from './transport.js'

/** What the checks share. */
export interface Session {
  settings: Settings
  transport: Transport
  ledger: Ledger
  /** What was learnt from the service so far. */
  facts: Facts
}

export interface Facts {
  /** The body of the last success of each operation. */
  bodies: Partial<Record<OperationId, unknown>>
  /** A run of the workspace. */
  runId: string | undefined
  /** The capabilities of steps that were seen. */
  capabilities: Set<string>
}

export const bearer = (key: string): string => `Bearer ${key}`

/** A request that is right but for its ids, which do not exist. */
export function callOf({ settings, facts }: Session, operation: OperationId, changes: Partial<Call> = {}): Call {
  const path = Object.fromEntries(
    operationNodes[operation].parameters
      .filter((each) => each.in === 'path')
      .map((parameter) => [parameter.name, unknownId(parameter, sampleId(operation, facts))]),
  )
  const body = operationNodes[operation].request && JSON.stringify(requestBody(settings))
  return { operation, path, body, authorization: bearer(settings.apiKey), ...changes }
}

export const requestBody = ({ inputs = {} }: Settings): TriggerRunRequest => ({ inputs })

/** Whether the operation names something by an id. */
export const hasId = (operation: OperationId): boolean => operations[operation].pathParameters.length > 0

/** An id that exists, of the kind that the operation takes. */
const sampleId = (operation: OperationId, { runId, bodies }: Facts): string | undefined =>
  operation === 'getRun' ? runId : (bodies.listPlaybooks as PlaybookList | undefined)?.data[0]?.id

/** An id of the same form as one that exists, and which nobody has given out. */
function unknownId({ example }: ParameterNode, sample = String(example)): string {
  const prefix = /^[A-Za-z]+[_-]/.exec(sample)?.[0] ?? ''
  const id = prefix + sample.slice(prefix.length).replaceAll(/[A-Za-z0-9]/g, '0')
  return id === sample ? `${id}0` : id
}

/** Says that an answer must have a status, and that the entry rests on it. Answers whether it has. */
export function expectStatus(
  { ledger }: Session,
  answer: Exchange,
  { status, basis: id, what, place }: { status: number; basis: BasisId; what: string; place?: string | undefined },
): boolean {
  const where = place ?? operationNodes[answer.operation].responses[status]?.place
  if (answer.status === status) ledger.holds(id, `${what} is answered ${status}`, answer, where)
  else if (answer.failure) unanswered(ledger, id, what, answer, where)
  else {
    const verb = isFirm(id) ? 'must be' : 'is assumed to be'
    ledger.breaks(id, `${what} ${verb} answered ${status}, and was answered ${answer.status}`, answer, where)
  }
  return answer.status === status
}

export function unanswered(ledger: Ledger, id: BasisId, what: string, answer: Exchange, place?: string): void {
  const message = `${what} got no answer: ${answer.failure?.message}`
  if (isFirm(id)) ledger.breaks(id, message, answer, place)
  else ledger.skips(id, `${message[0]?.toUpperCase()}${message.slice(1)}.`)
}

/** Says that an answer must be a success, with any 2xx. Answers whether it is one that can be worked with. */
export function expectSuccess({ ledger, facts }: Session, answer: Exchange, what: string): boolean {
  const { operation, status, body } = answer
  const id = successBasis(operation)
  const documented = successStatus(operation)
  const { place } = operationNodes[operation]
  if (answer.failure) {
    unanswered(ledger, id, what, answer, place)
    return false
  }
  if (!isSuccess(status)) {
    if (looksLikeSuccess(answer))
      ledger.breaks('D03', `${what} has the body of a success and the status ${status}`, answer, place)
    else
      ledger.breaks(
        id,
        `${what} must be answered with a 2xx, and was answered ${status}${redirect(answer)}`,
        answer,
        place,
      )
    return false
  }
  ledger.holds('D03', `${what} is answered ${status}`, answer, place)
  ledger.holds('S23', 'the key as Bearer in the header Authorization is taken', answer, place)
  const assumed = successStatusBasis(operation)
  const where = operationNodes[operation].responses[documented]?.place
  if (assumed && status === documented) ledger.holds(assumed, `${what} is answered ${status}`, answer, where)
  else if (assumed)
    ledger.breaks(assumed, `${what} is assumed to be answered ${documented}, and was answered ${status}`, answer, where)
  if (!isSound(answer)) return false
  ledger.holds(id, `${what} answers what the contract says`, answer, place)
  facts.bodies[operation] = body
  return true
}

const redirect = ({ status, headers }: Exchange): string =>
  status >= 300 && status < 400
    ? ` with a redirect to ${quote(headers.get('location') ?? 'nowhere')}; check the base URL`
    : ''

/** A body of the success although the status is none; only a schema that requires something tells them apart. */
function looksLikeSuccess(answer: Exchange): boolean {
  const { operation, headers, body } = answer
  const documented = successStatus(operation)
  const schema = operationNodes[operation].responses[documented]?.schema
  const required = schemaNodes[schema ?? '']?.required ?? []
  return required.length > 0 && body !== undefined && isSound({ ...answer, status: documented, headers, body })
}

/** The entries that a parameter and an answer both rest on. */
export const sharedBasis = (operation: OperationId, ids: readonly BasisId[], status: number): BasisId | undefined =>
  ids.find((id) => operationNodes[operation].responses[status]?.basis.includes(id))

/** The entry that an error of the contract rests on. */
export const errorBasis = (operation: OperationId, status: number): BasisId | undefined =>
  hasStatus(operation, status) ? operationNodes[operation].responses[status]?.basis.find(isFirm) : undefined
