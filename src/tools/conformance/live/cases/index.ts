import type { BasisId, OperationId } from '../../../../../generated/contract.js'
import { rules } from '../../../../../generated/contract.js'
import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import {
  errorBasis,
  excusesOf,
  hasId,
  isChosen,
  isSafe,
  isServerError,
  isSuccess,
  READ_RUN,
} from '../../judge/contract.js'
import type { Exchange } from '../../judge/exchange.js'
import type { JudgedExchange } from '../../judge/judge.js'
import { runNamedIn } from '../../judge/refusals.js'
import { failed, failedIf, quote, type Result, resultOf, skipped, text, undecided } from '../../judge/result.js'
import { idIn } from '../../judge/semantics.js'
import { statusResults } from '../../judge/status.js'
import type { ConformanceSettings, Depth } from '../../options.js'
import { type Check, type CheckName, isWithin } from '../check.js'
import { LeftOutError } from '../ended.js'
import { type Change, type TestRequest, titleOf, type Variant } from '../request.js'
import type { Session } from '../session.js'
import { fullVariant, requestOf } from '../variants.js'
import { type Attempt, downReason, isThrottledKey, whyInconclusive } from './inconclusive.js'
import { haveSameLetters } from './similar-ids.js'

/** A right request with one mistake, and the status that it must get. */
export interface TestCase {
  operation: OperationId
  /** The right request: default the one with most in it that was seen to succeed. */
  of?: Variant | 'plain' | undefined
  /** Whether that goes to something that exists, if an id is known; default to an id that does not exist. */
  isToExisting?: boolean
  /** The mistake, such as `without a key`. */
  what: string
  /** Undefined while what it needs is not known. */
  change: Change | ((session: Session) => Change | undefined)
  status: number
  /** The entry that states the status; default what the contract says of it. Without one nothing is sent. */
  basis?: BasisId | undefined
  /** Statuses that are as good. */
  orElse?: readonly number[] | ((session: Session) => readonly number[]) | undefined
  /** The statuses that other mistakes of the request would get. */
  also?: readonly number[] | undefined
  /** Whether the status is only one that a service may give, so that accepting the request shows nothing. */
  isOptional?: boolean | undefined
  /** Whether it may be sent to a playbook that exists, where an id that does not shows nothing. */
  mayGoToExisting?: boolean
  depth: Depth
}

/** A check that is a list of cases. Those whose status no entry states are not tried. */
export const refusals = (name: CheckName, casesOf: (settings: ConformanceSettings) => TestCase[]): Check => {
  const kept = new WeakMap<ConformanceSettings, TestCase[]>()
  const chosen = (settings: ConformanceSettings): TestCase[] => {
    const cases =
      kept.get(settings) ?? casesOf(settings).filter((each) => isWithin(each.depth, settings) && basisOf(each))
    kept.set(settings, cases)
    return cases
  }
  return {
    name,
    needs: (settings) => chosen(settings).length > 0,
    cost(settings) {
      const cases = chosen(settings)
      const count = (isSo: (each: TestCase) => unknown) => cases.filter(isSo).length
      return {
        requests: cases.length,
        most: cases.length + count(({ mayGoToExisting }) => mayGoToExisting),
        triggers: count(({ operation }) => isTrigger(operation)),
      }
    },
    async *run(session) {
      for (const each of chosen(session.settings)) yield tryCase(session, name, each)
    },
  }
}

const basisOf = ({ operation, status, basis }: TestCase): BasisId | undefined => basis ?? errorBasis(operation, status)

/** The operations on which a row of a table is tried: so many, and for the next row the next ones, so that all are met. */
export const spread = (operations: readonly OperationId[], row: number, most: number): OperationId[] =>
  operations.filter((_, index) => (index + row) % operations.length < most)

/** Sends a case, and says what it shows. */
export async function tryCase(session: Session, relation: string, testCase: TestCase): Promise<Result[]> {
  const { operation, status, what: variation, also = [] } = testCase
  const basis = basisOf(testCase)
  const right = rightOf(session, testCase)
  const change = typeof testCase.change === 'function' ? testCase.change(session) : testCase.change
  if (!basis || !right || !change) return []
  const what = [right.title, variation].join(right.title === operation ? ' ' : ', ')
  const request = merged(right.request, change)
  const { known } = session
  if (known.down.has(targetOf(request))) return skipped(basis, downReason(operation))
  // After several wrong keys a service may refuse any more of them for a while.
  if (status === STATUS.unauthorized && known.throttled >= MOST_THROTTLED)
    return skipped(basis, 'Wrong keys got 429 again and again.')
  try {
    const { sent, exchange } = await sendCase(session, testCase, request)
    if (!exchange) return skipped(basis, LOOKED_UP_FIRST)
    const excused = excusesOf(status, also)
    const own = typeof testCase.orElse === 'function' ? testCase.orElse(session) : testCase.orElse
    const orElse = [...(own ?? []), ...excused]
    if (status === STATUS.notFound && mayBeNumbered(session, exchange))
      return undecided(basis, text`${what} ${NUMBERED}`)
    const reason = await explainInconclusive(session, testCase, { sent, exchange, what, orElse })
    if (reason) return skipped(basis, reason)
    const named = [right.name, variation].filter(Boolean).join(', ')
    return [
      ...(testCase.isOptional && isServerError(exchange.status)
        ? [failedWithin(exchange, basis, what, relation, named)]
        : statusResults(exchange, { status, basis, what, orElse, relation, variation: named })),
      ...(also.length > 0 ? orderResults(exchange, what, status, excused) : []),
      ...(await handedOver(session, exchange, what)).map((each) => ({ ...each, relation, variation: named })),
    ]
  } catch (error) {
    if (error instanceof LeftOutError) return skipped(basis, error.message)
    throw error
  }
}

const MOST_THROTTLED = 3

/** The right request of a case; undefined for a reading one that did not succeed, which shows nothing. */
function rightOf(
  session: Session,
  { operation, of, isToExisting = false }: TestCase,
): { title: string; name: string; request: TestRequest } | undefined {
  const variant = of === 'plain' ? { operation, name: '', change: {} } : (of ?? fullVariant(operation, session))
  const title = titleOf(variant)
  const existing = isToExisting ? requestOf(variant, session) : undefined
  const isUnseen = of === variant && isSafe(operation) && existing && !session.known.seen.has(title)
  const { name, change } = variant
  return isUnseen ? undefined : { title, name, request: existing ?? { operation, ...change } }
}

const merged = (right: TestRequest, change: Change): TestRequest => ({
  ...right,
  ...change,
  ...((right.query ?? change.query) && { query: { ...right.query, ...change.query } }),
  ...((right.headers ?? change.headers) && { headers: { ...right.headers, ...change.headers } }),
})

/** Uses an unused id, so that nothing starts; an existing one if that shows nothing, and none if it would start a run. */
async function sendCase(
  session: Session,
  { operation, status, isOptional, mayGoToExisting }: TestCase,
  request: TestRequest,
): Promise<{ sent: TestRequest; exchange?: JudgedExchange }> {
  const { known, settings } = session
  const isOfUnknown =
    (status === STATUS.badRequest || status === STATUS.forbidden) &&
    hasId(operation) &&
    !isOptional &&
    request.id === undefined
  if (!isOfUnknown) return { sent: request, exchange: await session.send(request) }
  const existing = isTrigger(operation) && mayGoToExisting ? settings.trigger : undefined
  if (!known.lookedUpFirst.has(operation) || existing === undefined) {
    const exchange = await session.send(request)
    if (exchange.status !== STATUS.notFound) return { sent: request, exchange }
    known.lookedUpFirst.add(operation)
  }
  if (existing === undefined) return { sent: request }
  const sent = { ...request, id: existing }
  return { sent, exchange: await session.send(sent) }
}

/** Why a response does not show whether the mistake is refused; undefined when it does. */
async function explainInconclusive(
  session: Session,
  { operation, status, isOptional = false }: TestCase,
  { sent, exchange, what, orElse }: { sent: TestRequest; exchange: JudgedExchange; what: string; orElse: number[] },
): Promise<string | undefined> {
  const { known } = session
  const { status: got, isOutage = false } = exchange
  const attempt: Attempt = {
    ...{ operation, what, expected: status, orElse, isOptional, got, isOutage },
    isDown: !isOutage && (await isDown(session, exchange, sent)),
    startsRun: sent.startsRun === true,
    isOwnKey: sent.authorization === undefined,
    triggerStatus: known.triggerStatus,
    hasStarted: known.hasStarted,
  }
  if (isThrottledKey(attempt)) known.throttled++
  return whyInconclusive(attempt)
}

/** Whether a read that must find nothing found what has the id that was asked for, and may have got it by counting. */
function mayBeNumbered({ known }: Session, exchange: Exchange): boolean {
  const { operation, status, body } = exchange
  const { id } = Object(body) as { id?: unknown }
  if (!isSafe(operation) || !isSuccess(status) || typeof id !== 'string') return false
  return (
    id === idIn(exchange) && (/^\d+$/.test(id) || known.idsFor(operation).some((each) => haveSameLetters(each, id)))
  )
}

const NUMBERED = 'got what has this id: ids may be numbers, and this one that of something that was not seen.'

/** What a service may accept or refuse, and must not fail at. */
const failedWithin = (exchange: Exchange, basis: BasisId, what: string, relation: string, variation: string): Result =>
  failed(basis, `${what}: expected no internal error, got ${exchange.status}`, {
    ...{ exchange, relation, variation, keyword: 'status', expected: 'no 5xx', actual: `${exchange.status}` },
    fact: `${what} got ${exchange.status}`,
  })

/** Whether a refusal shows what it refuses, or has started a run. Basis: S24, S25, S26. */
async function handedOver(session: Session, exchange: JudgedExchange, what: string): Promise<Result[]> {
  const { status } = exchange
  const basis = REFUSAL_BASIS[status]
  if (basis === undefined) return []
  const { known, settings } = session
  const isOfKey = status === STATUS.unauthorized || status === STATUS.forbidden
  const shown = isOfKey ? known.contents.shownBy(exchange, status === STATUS.forbidden) : undefined
  const message = text`${what}: expected a refusal that shows nothing, got a ${status} with ${quote(shown)}`
  const found = failedIf(shown !== undefined, basis, message, { exchange, keyword: 'shown' })
  const run = runNamedIn(exchange)?.id
  if (run === undefined || known.idsFor(READ_RUN).includes(run) || !isChosen(settings, READ_RUN)) return found
  const isThere = isSuccess((await session.send({ operation: READ_RUN, id: run })).status)
  const started = text`${what}: expected a refusal, got a ${status} that names the run ${quote(run)}, which it started`
  return [...found, ...failedIf(isThere, basis, started, { exchange, keyword: 'started' })]
}

const REFUSAL_BASIS: Readonly<Record<number, BasisId>> = {
  [STATUS.unauthorized]: rules.invalidKey,
  [STATUS.forbidden]: rules.permission,
  [STATUS.badRequest]: rules.wrongBody,
}

/** What a request gets that is wrong in another way as well: either of its errors. Basis: A46. */
function orderResults(exchange: Exchange, what: string, status: number, excused: readonly number[]): Result[] {
  const { status: got } = exchange
  if (got !== status && !excused.includes(got)) return []
  const message = `${what}: assumed ${status} first, got ${got}`
  return [resultOf(rules.checkOrder, got === status, message, { exchange, keyword: 'order' })]
}

const LOOKED_UP_FIRST = 'The service looks at the id before it looks at the rest. Name a playbook to trigger.'

/** Whether a right request gets a 5xx as a wrong one did, which then shows nothing of what is wrong. Basis: S28. */
export async function isDown(session: Session, { status }: Exchange, request: TestRequest): Promise<boolean> {
  const isFault = isServerError(status) && isServerError((await statusOfRight(session, status, request)) ?? 0)
  if (isFault) session.known.down.add(targetOf(request))
  return isFault
}

/** The status of a right request of the same kind; undefined when none is known and the 5xx is none of a gateway. */
async function statusOfRight(
  session: Session,
  status: number,
  { operation, id, ...wrong }: TestRequest,
): Promise<number | undefined> {
  const { known } = session
  const isUnknownId = hasId(operation) && id === undefined
  // An id that does not exist is all that is wrong, so one that exists has to show it.
  const needsExisting = !isUnknownId || Object.values(wrong).every((each) => each === undefined)
  const gateway = status === STATUS.internalError ? undefined : status
  // Another trigger would start a run: the one that was asked for has to do.
  if (isTrigger(operation) && needsExisting) return known.triggerStatus ?? gateway
  if (!isUnknownId || !needsExisting) return (await session.send({ operation, id })).status
  const existing = known.idFor(operation)
  return existing === undefined ? gateway : (await session.send({ operation, id: existing })).status
}

/** Requests of an operation to what exists may fare otherwise than others. */
const targetOf = ({ operation, id = '' }: TestRequest): string => `${operation} ${id}`

/** Sends requests that must be refused at the same time as others; a success among them fails the entry. */
export async function refusedTogether(
  session: Session,
  requests: readonly TestRequest[],
  expected: { relation: CheckName; basis: BasisId; status: number; what: string },
): Promise<Result[]> {
  const { relation, basis, status } = expected
  const exchanges = await session.sendTogether(requests)
  const wrong = exchanges.filter((_, index) => requests[index]?.authorization !== undefined)
  const accepted = wrong.find((each) => isSuccess(each.status))
  const isWithout = accepted !== undefined && !accepted.request.headers.has('authorization')
  const what = isWithout ? 'without a key' : expected.what
  const message = `${requests[0]?.operation} ${what}, among simultaneous requests: expected ${status}, got ${accepted?.status}`
  const variation = `${what}, among simultaneous requests`
  return failedIf(accepted !== undefined, basis, message, {
    exchange: accepted,
    keyword: 'status',
    relation,
    variation,
  })
}
