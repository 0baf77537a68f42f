import type { BasisId, OperationId } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { errorBasis, hasId, isBinding, isServerError, isSuccess, startsRuns } from '../contract.js'
import { skipped } from '../judge/result.js'
import { statusResults } from '../judge/status.js'
import type { ConformanceSettings } from '../options.js'
import { downReason, isDown, isKnownDown } from '../outage.js'
import { type Results, type Session, type Step, send, startOf } from '../session.js'
import { type Change, fullShape, type Shape, titleOf } from './shapes.js'

/** A request with one mistake, and the status that it must get. */
export interface Probe {
  relation: string
  operation: OperationId
  /** The mistake, such as `without a key`. */
  what: string
  change(session: Session): Change | undefined
  /** The request that the change is made to; default the one with most in it, and an id that does not exist. */
  base?: ((session: Session, operation: OperationId) => Shape | undefined) | undefined
  status: number
  /** The entry that states the status; default what the contract says of it. Without one nothing is sent. */
  basis?: BasisId | undefined
  /** Statuses that are as good. */
  orElse?: readonly number[]
  /** Whether the status is only one that a service may give, so that accepting the request shows nothing. */
  isOptional?: boolean
  /** How many operations it is tried on before others are tried on more; default 1. */
  weight?: number | undefined
  /** The body may be sent to an existing id, which starts a run if it is accepted. */
  hasWrongBody?: boolean
}

/** The weight of a mistake that many services are known to make. */
export const USUAL = 4

/** A step of one such request; undefined when no entry states its status. */
export function stepOf(probe: Probe, tier: number, settings: ConformanceSettings): Step[] {
  const basis = probe.basis ?? errorBasis(probe.operation, probe.status)
  if (basis === undefined) return []
  const runs = mayBeAccepted(probe, basis) && canTrigger(probe, settings) ? 1 : 0
  const maxRequests = probe.hasWrongBody ? 2 : 1
  return [
    {
      relation: probe.relation,
      variation: probe.what,
      weight: probe.weight,
      tier,
      requests: 1,
      maxRequests,
      runs,
      run: (session) => tryOut(session, { ...probe, basis }),
    },
  ]
}

/** Whether it may be sent with an existing id, which starts a run if it is accepted. */
const canTrigger = ({ operation, hasWrongBody, isOptional }: Probe, { trigger }: ConformanceSettings): boolean =>
  trigger !== undefined && startsRuns(operation) && hasWrongBody === true && !isOptional

/** Whether nothing stated says that it must be refused. */
const mayBeAccepted = ({ isOptional }: Probe, basis: BasisId): boolean => isOptional === true || !isBinding(basis)

/** Uses an unused id, so that nothing starts; a wrong body is sent with an existing id if that shows nothing. */
async function* tryOut(session: Session, probe: Probe & { basis: BasisId }): Results {
  const { operation, status, basis, isOptional, relation, orElse, base = fullOfUnknown } = probe
  const { facts, settings } = session
  const [shape, change] = [base(session, operation), probe.change(session)]
  if (!shape || !change) return
  const what = [titleOf(shape), probe.what].join(shape.name ? ', ' : ' ')
  const isAuthorized = change.authorization === undefined
  let sent: Change = { ...merged(shape.change(session) ?? {}, change), relation }
  if (isKnownDown(session, operation, sent)) return void (yield skipped(basis, downReason(operation)))
  const needsId =
    !isOptional && (status === STATUS.badRequest || status === STATUS.forbidden) && sent.path === undefined
  const isLookedUp = () => needsId && hasId(operation) && facts.lookedUpFirst.has(operation)
  let exchange = isLookedUp() && canTrigger(probe, settings) ? undefined : await send(session, operation, sent)
  if (exchange?.status === STATUS.notFound && needsId && hasId(operation)) facts.lookedUpFirst.add(operation)
  if (isLookedUp() && (exchange === undefined || exchange.status === STATUS.notFound)) {
    if (!canTrigger(probe, settings)) return void (yield skipped(basis, LOOKED_UP_FIRST))
    sent = { ...sent, ...startOf(operation, settings.trigger ?? ''), startsRun: mayBeAccepted(probe, basis) }
    exchange = await send(session, operation, sent)
  }
  if (!exchange) return
  const got = exchange.status
  if (exchange.isOutage) return void (yield skipped(basis, `The service was out of order when ${what} was sent.`))
  if (await isDown(session, exchange, sent)) return void (yield skipped(basis, downReason(operation)))
  if (sent.startsRun && isServerError(got)) return void (yield skipped(basis, `${what} got ${got}.`))
  const mayBeRefused = QUOTA.has(got) || (got === STATUS.forbidden && !isSuccess(facts.triggerStatus ?? 0))
  if (startsRuns(operation) && got === CONFLICT)
    yield skipped(basis, 'A trigger got 409: another run may be in the way.')
  else if (startsRuns(operation) && isAuthorized && mayBeRefused && got !== status)
    yield skipped(basis, `A trigger got ${got}: the run quota may be used up, or the key may lack the permission.`)
  else if (isOptional && !exchange.failure && got !== status && !orElse?.includes(got) && !isServerError(got))
    yield skipped(basis, `The response to ${what} is not shown, and it got ${got}.`)
  else {
    yield statusResults(exchange, { status, basis, what, orElse, relation, variation: probe.what })
  }
}

/** RFC 9110, section 15.5.10. */
const CONFLICT = 409

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

/** RFC 9110, section 15.5.3; RFC 6585, section 4. */
export const QUOTA: ReadonlySet<number> = new Set([402, STATUS.rateLimited])
