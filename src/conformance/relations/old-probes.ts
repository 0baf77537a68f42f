import { operationNodes, schemaNodes } from '../../../generated/conformance.js'
import type { BasisId, OperationId } from '../../../generated/operations.js'
import { validateRequest } from '../../../generated/validators.js'
import { STATUS } from '../../internal/status.js'
import { errorBasis, hasId, isServerError, isSuccess, probedOperations, sharedBasis, startsRuns } from '../contract.js'
import type { RequestSpec } from '../exchange.js'
import type { ConformanceSettings } from '../options.js'
import { isBinding } from '../result.js'
import { bearer, type Check, expectStatus, requestBody, type Session, send, sendNow } from '../session.js'
import { downReason, isDown, isKnownDown } from './outage.js'

/** A request with one mistake, and the status that it must get. */
interface Probe {
  operation: OperationId
  what: string
  change: Partial<RequestSpec>
  status: number
  /** The entry that states the status; without one nothing is sent. */
  basis: BasisId | undefined
  /** Whether the status confirms an assumption, so that accepting the request shows nothing. */
  isOptional: boolean
}

export const probeChecks = (settings: ConformanceSettings): Check[] =>
  checksOf(settings, (probe) => !startsRuns(probe.operation) || !mayBeAccepted(probe))

/** The triggers that a service may accept. */
export const lenientChecks = (settings: ConformanceSettings): Check[] =>
  checksOf(settings, (probe) => startsRuns(probe.operation) && mayBeAccepted(probe))

const checksOf = (settings: ConformanceSettings, which: (probe: Probe) => boolean): Check[] =>
  probedOperations(settings)
    .flatMap((operation) => [
      ...credentialProbes(operation, settings.apiKey),
      ...unknownIdProbes(operation),
      ...parameterProbes(operation),
      ...bodyProbes(operation, settings),
    ])
    .filter(which)
    .map((probe) => ({
      name: `${probe.operation} ${probe.what}`,
      requests: 1,
      maxRequests: probe.change.body === undefined ? 1 : 2,
      runs: mayBeAccepted(probe) && canTrigger(probe, settings) ? 1 : 0,
      run: (session) => tryOut(session, probe),
    }))

/** By default the mistake must get what the contract says of the operation and the status. */
export const probeOf = (
  operation: OperationId,
  what: string,
  change: Probe['change'],
  status: number,
  basis = errorBasis(operation, status),
  isOptional = false,
): Probe => ({ operation, what, change, status, basis, isOptional })

/** Whether it may be sent with an existing id, which starts a run if it is accepted. */
const canTrigger = ({ operation, change, isOptional }: Probe, { trigger }: ConformanceSettings): boolean =>
  trigger !== undefined && startsRuns(operation) && change.body !== undefined && !isOptional

/** Whether nothing stated says that it must be refused. */
const mayBeAccepted = ({ basis, isOptional }: Probe): boolean =>
  isOptional || (basis !== undefined && !isBinding(basis))

/** Uses an unused id, so that nothing starts; a wrong body is sent with an existing id if that shows nothing. */
export async function tryOut(session: Session, probe: Probe): Promise<void> {
  const { operation, what, change, status, basis, isOptional } = probe
  if (basis === undefined) return
  const { ledger, facts, settings } = session
  let sent = change
  if (isKnownDown(session, operation, sent)) return ledger.skipped(basis, downReason(operation))
  let exchange = await send(session, operation, sent)
  const isLookedUpFirst = exchange.status === STATUS.notFound && hasId(operation) && change.path === undefined
  if (isLookedUpFirst && !isOptional && (status === STATUS.badRequest || status === STATUS.forbidden)) {
    if (!canTrigger(probe, settings)) return ledger.skipped(basis, LOOKED_UP_FIRST)
    sent = { ...change, path: { id: settings.trigger ?? '' }, startsRun: mayBeAccepted(probe) }
    exchange = await send(session, operation, sent)
  }
  const got = exchange.status
  if (await isDown(session, exchange, sent)) return ledger.skipped(basis, downReason(operation))
  if (sent.startsRun && isServerError(got)) return ledger.skipped(basis, `${operation} ${what} got ${got}.`)
  const mayBeRefused = QUOTA.has(got) || (got === STATUS.forbidden && !isSuccess(facts.triggerStatus ?? 0))
  if (startsRuns(operation) && change.authorization === undefined && mayBeRefused && got !== status)
    ledger.skipped(basis, `A trigger got ${got}: the run quota may be used up, or the key may lack the permission.`)
  else if (!isOptional || exchange.failure || got === status)
    expectStatus(session, exchange, { status, basis, what: `${operation} ${what}` })
  else if (isSuccess(got) || got === STATUS.notFound)
    ledger.skipped(basis, 'How inputs are checked is not shown, and a number as an input was not refused.')
}

const LOOKED_UP_FIRST = 'The service looks at the id before it looks at the rest. Name a playbook to trigger.'

/** RFC 9110, section 15.5.3; RFC 6585, section 4. */
export const QUOTA: ReadonlySet<number> = new Set([402, STATUS.rateLimited])

function credentialProbes(operation: OperationId, apiKey: string, id?: string): Probe[] {
  const credentials: [what: string, authorization: string | null, basis?: BasisId][] = [
    ['without a key', null],
    ['with a malformed key', 'Bearer'],
    ['with a wrong key', bearer('conformance-check-wrong-key')],
    ['with the key and more behind it', bearer(`${apiKey}0`)],
    ['with the key but for its end', bearer(shortened(apiKey))],
    ['with the key in another case', bearer(swapCase(apiKey))],
    ['with the key in another scheme', `Token ${apiKey}`, 'S23'],
    ['with the key and no scheme', apiKey, 'S23'],
  ]
  const ofId = id === undefined ? '' : 'of an id that exists '
  const path = id !== undefined && { path: { id } }
  return credentials
    .filter(([, authorization]) => authorization !== bearer(apiKey) && authorization !== bearer(''))
    .map(([what, authorization, basis]) =>
      probeOf(operation, ofId + what, { authorization, ...path }, STATUS.unauthorized, basis),
    )
}

/** The key without its last character, which a service accepts that compares only as much as is sent. */
export const shortened = (key: string): string => key.slice(0, -1)

export const swapCase = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))

/** Wrong credentials with existing ids. An accepted trigger starts a run, so triggers are sent only with `trigger`. */
export function realAuthChecks({ run, trigger, apiKey }: ConformanceSettings): Check[] {
  const check = (operation: OperationId, noun: string, idOf: (session: Session) => string | undefined): Check => ({
    name: `${operation} of a ${noun} that exists, with credentials that are wrong`,
    requests: credentialProbes(operation, apiKey).length,
    async run(session) {
      const id = idOf(session)
      if (id !== undefined) for (const each of credentialProbes(operation, apiKey, id)) await tryOut(session, each)
    },
  })
  return [
    ...((run ?? trigger) === undefined ? [] : [check('getRun', 'run', ({ facts }) => facts.runId)]),
    ...(trigger === undefined ? [] : [check('triggerRun', 'playbook', () => trigger)]),
  ]
}

/** A trigger with an unused id starts nothing. */
function unknownIdProbes(operation: OperationId): Probe[] {
  // Only the body of a trigger is known to be valid.
  const isRight = startsRuns(operation) || operationNodes[operation].request === undefined
  return hasId(operation) && isRight ? [probeOf(operation, 'with an id that does not exist', {}, STATUS.notFound)] : []
}

/** Every header and query parameter with values that the validators refuse. */
const parameterProbes = (operation: OperationId): Probe[] =>
  operationNodes[operation].parameters.flatMap((parameter) => {
    const { in: where, name, type, basis: ids } = parameter
    const basis = sharedBasis(operation, ids, STATUS.badRequest)
    const changeTo = (value: string) => ({ [where === 'query' ? 'query' : 'headers']: { [name]: value } })
    const isRefused = (value: string) =>
      (value !== '0' || type !== 'string') &&
      validateRequest(operation, changeTo(value)).some((problem) => problem.name === name)
    const values = where === 'path' || basis === undefined ? [] : ['0', 'malformed'].filter(isRefused)
    return values.map((value) =>
      probeOf(operation, `with ${name} "${value}"`, changeTo(value), STATUS.badRequest, basis),
    )
  })

function bodyProbes(operation: OperationId, settings: ConformanceSettings): Probe[] {
  const node = schemaNodes[operationNodes[operation].request ?? '']
  if (!node) return []
  const valid = requestBody(operation, settings)
  const probe = (what: string, body: string, basis?: BasisId, isOptional?: boolean) =>
    probeOf(operation, `with ${what}`, { body }, STATUS.badRequest, basis, isOptional)
  const json = (what: string, body: unknown, ...rest: [basis?: BasisId, isOptional?: boolean]) =>
    probe(what, JSON.stringify(body), ...rest)
  const properties = Object.entries(node.properties ?? {}).flatMap(([name, { schema = '' }]) => {
    const { values, valueType, basis: [own] = [] } = schemaNodes[schema] ?? { values: {} }
    if (values) return []
    const numbers = { ...valid, [name]: { conformance: 42 } }
    return [
      ...NO_OBJECTS.map(([what, value]) => json(`a body whose ${name} are ${what}`, { ...valid, [name]: value })),
      ...(valueType === 'string' ? [json(`a body whose ${name} hold a number`, numbers, own, true)] : []),
    ]
  })
  const unknown = sharedBasis(operation, node.basis, STATUS.badRequest)
  return [
    probe('a body that is not JSON', JSON.stringify(valid).slice(0, -1)),
    ...NO_OBJECTS.map(([what, value]) => json(`a body that is ${what}`, Array.isArray(value) ? [valid] : value)),
    ...(node.required ?? []).map((name) => json(`a body without ${name}`, { ...valid, [name]: undefined })),
    ...properties,
    json('a body that has an unknown property', { ...valid, conformance_check: {} }, unknown),
  ]
}

/** Values that are easily accepted instead of an object or a list. */
const NO_OBJECTS: readonly [what: string, value: unknown][] = [
  ['a text', 'conformance check'],
  ['a list', []],
  ['null', null],
]

/** A plan without API access may have no limit that a wait would help with, so a 429 is not waited out. */
export const hobbyCheck = (key: string): Check => ({
  name: `getCurrentWorkspace ${WITHOUT_ACCESS}`,
  requests: 1,
  async run(session) {
    const exchange = await sendNow(session, 'getCurrentWorkspace', { authorization: bearer(key) })
    const what = `getCurrentWorkspace ${WITHOUT_ACCESS}`
    if (isServerError(exchange.status)) session.ledger.skipped('A18', `${what} got ${exchange.status}.`)
    else expectStatus(session, exchange, { status: STATUS.forbidden, basis: 'A18', what })
  },
})

const WITHOUT_ACCESS = 'with the key of a plan without API access'
