import { rules } from '../../../../../generated/conformance/nodes.js'
import type { BasisId, OperationId } from '../../../../../generated/operations.js'
import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { errorBasis, excusesOf, hasId, isBinding, isSuccess } from '../../judge/contract.js'
import type { Checked } from '../../judge/judge.js'
import { failed, type Result, resultOf, skipped } from '../../judge/result.js'
import { statusResults } from '../../judge/status.js'
import type { ConformanceSettings } from '../../options.js'
import { type Change, startOf } from '../request.js'
import { send, sendTogether } from '../send.js'
import { fullShape, type Shape, titleOf } from '../shapes.js'
import type { Session, Step } from '../step.js'
import { type Attempt, isThrottledKey, whyInconclusive } from './inconclusive.js'
import { downReason, isDown, isKnownDown } from './is-down.js'

/** A request with one mistake, and the status that it must get. */
export interface Probe extends Pick<Step, 'relation' | 'variation' | 'priority' | 'weight' | 'phase'> {
  /** What the mistake is made in; default the operation. */
  subject?: string | undefined
  operation: OperationId
  /** The mistake, such as `without a key`. */
  what: string
  /** Undefined while what it needs is not known. */
  change(session: Session): Change | undefined
  /** The request that the change is made to; default the one with most in it, and an id that does not exist. */
  base?: ((session: Session, operation: OperationId) => Shape | undefined) | undefined
  status: number
  /** The entry that states the status; default what the contract says of it. Without one nothing is sent. */
  basis?: BasisId | undefined
  /** Statuses that are as good. */
  orElse?: readonly number[] | undefined
  /** The statuses that other mistakes of the request would get. */
  also?: readonly number[] | undefined
  /** Whether the status is only one that a service may give, so that accepting the request shows nothing. */
  isOptional?: boolean | undefined
  /** The body may be sent to an existing id, which starts a run if it is accepted. */
  hasWrongBody?: boolean
}

/** The weight of a mistake that many services are known to make. */
export const USUAL = 4

/** A step for each probe, without those whose status no entry states. */
export const probeSteps = (probes: readonly Probe[], settings: ConformanceSettings): Step[] =>
  probes.flatMap((probe) => {
    const { relation, operation, status, what, priority, weight, phase, hasWrongBody } = probe
    const { variation = what, subject = operation } = probe
    const basis = probe.basis ?? errorBasis(operation, status)
    if (basis === undefined) return []
    const runs = mayBeAccepted(probe, basis) && canTrigger(probe, settings) ? 1 : 0
    const run = (session: Session) => tryOut(session, probe, basis)
    const triggers = isTrigger(operation) ? 1 : 0
    const maxRequests = hasWrongBody ? 2 : 1
    return [{ relation, variation, subject, priority, weight, phase, requests: 1, maxRequests, triggers, runs, run }]
  })

/** Whether it may be sent with an existing id, which starts a run if it is accepted. */
const canTrigger = ({ operation, hasWrongBody, isOptional }: Probe, { trigger }: ConformanceSettings): boolean =>
  trigger !== undefined && isTrigger(operation) && hasWrongBody === true && !isOptional

/** Whether nothing stated says that it must be refused. */
const mayBeAccepted = ({ isOptional }: Probe, basis: BasisId): boolean => isOptional === true || !isBinding(basis)

export async function tryOut(session: Session, probe: Probe, basis: BasisId): Promise<void> {
  const { operation, status, relation, what: variation, base = fullOfUnknown, also = [] } = probe
  const shape = base(session, operation)
  const change = probe.change(session)
  if (!shape || !change) return
  const what = [titleOf(shape), variation].join(shape.name ? ', ' : ' ')
  const request: Change = { ...merged(shape.change(session) ?? {}, change), relation }
  if (isKnownDown(session, operation, request)) return session.add(skipped(basis, downReason(operation)))
  if (isThrottled(session, status)) return session.add(skipped(basis, 'Wrong keys got 429 again and again.'))
  const { sent, exchange } = await sendProbe(session, probe, basis, request)
  if (!exchange) return session.add(skipped(basis, LOOKED_UP_FIRST))
  const excused = excusesOf(status, also)
  const orElse = [...(probe.orElse ?? []), ...excused]
  const reason = await explainInconclusive(session, probe, { sent, exchange, what, orElse })
  if (reason) return session.add(skipped(basis, reason))
  session.add(statusResults(exchange, { status, basis, what, orElse, relation, variation }))
  if (also.length > 0) session.add(orderResults(exchange, what, status, excused))
}

/** Uses an unused id, so that nothing starts; an existing one if that shows nothing, and none if it would start a run. */
async function sendProbe(
  session: Session,
  probe: Probe,
  basis: BasisId,
  request: Change,
): Promise<{ sent: Change; exchange?: Checked }> {
  const { operation, status, isOptional } = probe
  const { facts, settings } = session
  const needsId =
    (status === STATUS.badRequest || status === STATUS.forbidden) &&
    hasId(operation) &&
    !isOptional &&
    request.path === undefined
  if (!needsId) return { sent: request, exchange: await send(session, operation, request) }
  if (!facts.lookedUpFirst.has(operation) || !canTrigger(probe, settings)) {
    const exchange = await send(session, operation, request)
    if (exchange.status !== STATUS.notFound) return { sent: request, exchange }
    facts.lookedUpFirst.add(operation)
  }
  if (!canTrigger(probe, settings)) return { sent: request }
  const sent = { ...request, ...startOf(operation, settings.trigger ?? ''), startsRun: mayBeAccepted(probe, basis) }
  return { sent, exchange: await send(session, operation, sent) }
}

/** Why a response does not show whether the mistake is refused; undefined when it does. */
async function explainInconclusive(
  session: Session,
  { operation, status, isOptional = false }: Probe,
  { sent, exchange, what, orElse }: { sent: Change; exchange: Checked; what: string; orElse: readonly number[] },
): Promise<string | undefined> {
  const { facts } = session
  const { status: got, isOutage = false } = exchange
  const attempt: Attempt = {
    ...{ operation, what, expected: status, orElse, isOptional, got, isOutage },
    isDown: !isOutage && (await isDown(session, exchange, sent)),
    startsRun: sent.startsRun === true,
    isOwnKey: sent.authorization === undefined,
    triggerStatus: facts.triggerStatus,
    hasStarted: facts.hasStarted,
  }
  if (isThrottledKey(attempt)) facts.throttled++
  return whyInconclusive(attempt)
}

/** What a request gets that is wrong in another way as well: either of its errors. Basis: A46. */
function orderResults(exchange: Checked, what: string, status: number, excused: readonly number[]): Result[] {
  const { status: got } = exchange
  if (got !== status && !excused.includes(got)) return []
  const message = `${what}: assumed ${status} first, got ${got}`
  return [resultOf(rules.checkOrder, got === status, message, { exchange, keyword: 'order' })]
}

/** After several wrong keys a service may refuse any more of them for a while. */
const isThrottled = ({ facts }: Session, status: number): boolean =>
  status === STATUS.unauthorized && facts.throttled >= MOST_THROTTLED
const MOST_THROTTLED = 3

/** Sends requests that must be refused at the same time; a success among them fails the entry. */
export async function refuseTogether(
  session: Session,
  operation: OperationId,
  changes: readonly Change[],
  expected: { relation: string; basis: BasisId; status: number; what: string },
): Promise<void> {
  const { relation, basis, status, what } = expected
  const exchanges = await sendTogether(
    session,
    operation,
    changes.map((change) => ({ ...change, relation })),
  )
  const accepted = exchanges.find(
    (each, index) => changes[index]?.authorization !== undefined && isSuccess(each.status),
  )
  const message = `${operation} ${what}, among simultaneous requests: expected ${status}, got ${accepted?.status}`
  if (accepted)
    session.add(
      failed(basis, message, {
        exchange: accepted,
        keyword: 'status',
        relation,
        variation: `${what}, among simultaneous requests`,
      }),
    )
}

/** The same request as that with most in it, to an id that does not exist. */
const fullOfUnknown = (session: Session, operation: OperationId): Shape => {
  const full = fullShape(session, operation)
  return { ...full, change: () => ({ ...full.change(session), path: undefined }) }
}

const merged = (right: Change, change: Change): Change => ({
  ...right,
  ...change,
  query: { ...right.query, ...change.query },
  headers: { ...right.headers, ...change.headers },
})

const LOOKED_UP_FIRST = 'The service looks at the id before it looks at the rest. Name a playbook to trigger.'
