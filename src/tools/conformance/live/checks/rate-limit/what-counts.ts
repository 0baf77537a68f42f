import { type BasisId, operations, protocol, rules } from '../../../../../../generated/contract.js'
import { isPaged, isSafe, isSuccess, probedOperations } from '../../../judge/contract.js'
import type { JudgedExchange } from '../../../judge/judge.js'
import { type Result, resultOf, secondsText, undecided } from '../../../judge/result.js'
import { bearer } from '../../../options.js'
import { LIMITED, retryAfter } from '../../http/throttle.js'
import { type Change, pageQuery, pinOf, type TestRequest } from '../../request.js'
import type { Session } from '../../session.js'
import { type AtLimit, cheapestOf, concurrency, exhaust, isLimited, sendGroup } from './reach.js'

interface Trial {
  what: string
  request: TestRequest
  basis: BasisId
}

/** At the limit every read is refused, however it is sent and with any key of the workspace. Basis: D04, S35. */
export async function* whatCounts(at: AtLimit): AsyncGenerator<readonly Result[], void> {
  for (const { what, request, basis } of trialsOf(at.session)) {
    const exchange = await tryAtLimit(at, request)
    const actual = `${exchange?.status}`
    const message = `${what} at the limit: expected 429, got ${actual}`
    const details = { exchange, relation: 'the rate limit', variation: what, expected: '429', actual }
    const isRefused = exchange !== undefined && !isSuccess(exchange.status) && !isLimited(exchange)
    yield exchange
      ? [resultOf(isRefused ? rules.overLimit : basis, isLimited(exchange), message, details)]
      : undecided(basis, `${what}: ${TOO_SLOW}`)
  }
  yield otherWorkspace(at)
}

function trialsOf({ known, settings }: Session): Trial[] {
  const operation = cheapestOf(settings)
  const trial = (what: string, change: Change, basis: BasisId): Trial => ({
    ...{ what, request: { operation, ...change }, basis },
  })
  const reads = probedOperations(settings).filter((each) => operations[each].quota === 'requests' && isSafe(each))
  const { readOnlyKey } = settings
  const headers = (name: string, value: string) => ({ headers: { [name]: value } })
  const paged = reads.find(isPaged)
  const elsewhere = { 'x-forwarded-for': '203.0.113.7', 'x-real-ip': '203.0.113.7', forwarded: 'for=203.0.113.7' }
  const named = { 'x-client-id': 'conformance', 'x-request-id': 'conformance', 'x-session-id': 'conformance' }
  return [
    // A service may look up the id before it counts the request.
    ...reads.map((each) => ({
      ...{ what: each, request: { operation: each, id: known.idFor(each) }, basis: rules.everyRequestCounts },
    })),
    ...(readOnlyKey === undefined
      ? []
      : [trial('a second key of the workspace', { authorization: bearer(readOnlyKey) }, rules.limitOfWorkspace)]),
    trial('another user agent', headers('user-agent', 'conformance-check/1.0'), rules.limitOfWorkspace),
    trial('a request from another address', { headers: elsewhere }, rules.limitOfWorkspace),
    trial('a request with a client id', { headers: named }, rules.limitOfWorkspace),
    trial('a request with another Accept', headers('accept', '*/*'), rules.limitOfWorkspace),
    trial('a request with an unknown query', { query: { conformance: 'check' } }, rules.everyRequestCounts),
    ...pinTrials({ known, settings }),
    ...(paged
      ? [
          {
            ...{ what: `${paged} page by page`, basis: rules.everyRequestCounts },
            request: { operation: paged, query: pageQuery(2, 1) },
          },
        ]
      : []),
  ]
}

/** The requests that reach the limit are pinned themselves once a release was accepted; this one differs from them. */
function pinTrials({ known, settings }: Pick<Session, 'known' | 'settings'>): Trial[] {
  const operation = cheapestOf(settings)
  const pin = pinOf(operation, settings)
  if (pin === undefined) return []
  const isPinned = known.pin !== undefined && !known.unpinned.has(operation)
  const what = isPinned ? 'a request without a pin' : 'a pinned request'
  const request = { operation, headers: { [protocol.versionHeader]: isPinned ? '' : pin } }
  return [{ what, request, basis: rules.everyRequestCounts }]
}

const TOO_SLOW = 'the limit could not be reached again, or it refilled before the next responses came.'

/**
 * The response to a request at the limit: a 429, or a success that the limit does not explain. Undefined when a token
 * may have refilled meanwhile, because responses are slow or a time window ended.
 */
async function tryAtLimit(at: AtLimit, request: TestRequest): Promise<JudgedExchange | undefined> {
  const reached = await exhaust(at)
  if (!reached.exchange) return undefined
  const size = concurrency(at)
  const exchanges = await sendGroup(at, request)
  at.left -= size
  const refilled = ((at.session.settings.clock.now() - reached.from) / 60_000) * at.refill
  const refused = exchanges.find(isLimited)
  const accepted = exchanges.filter(({ status }) => isSuccess(status))
  if (refused) return refused
  if (accepted.length === 0) return otherRefusal(at, request)
  if (accepted.length <= refilled + 1) return undefined
  return (await exhaust(at, size)).exchange && accepted[0]
}

/** The response to a request that gets another status than 429 at the limit, each time, and a success when it is not reached. */
async function otherRefusal(at: AtLimit, request: TestRequest): Promise<JudgedExchange | undefined> {
  const { session } = at
  if (!(await exhaust(at)).exchange) return undefined
  const exchange = await session.sendNow(request)
  if (isSuccess(exchange.status) || exchange.failure) return undefined
  await session.sleep((SOME / at.refill) * 60_000, LIMITED)
  const after = await session.sendNow(request)
  return isSuccess(after.status) ? exchange : undefined
}

/** How many requests refill while it waits, of which other clients may use some. */
const SOME = 8

/** The key of another workspace has a limit of its own, besides one that all workspaces may share for a moment. */
async function otherWorkspace(at: AtLimit): Promise<Result[]> {
  const { session } = at
  const { otherWorkspaceKey } = session.settings
  if (otherWorkspaceKey === undefined) return []
  if (!(await exhaust(at)).exchange) return undecided(rules.limitOfWorkspace, `A key of another workspace: ${TOO_SLOW}`)
  const other = { operation: cheapestOf(session.settings), authorization: bearer(otherWorkspaceKey) }
  const exchange = await session.sendNow(other)
  const message = `a key of another workspace at the limit: expected a 2xx, got ${exchange.status}`
  const wait = retryAfter(exchange)
  if (isLimited(exchange) && wait <= MOMENT) {
    await session.sleep(wait, LIMITED)
    const most = Math.ceil((wait / 60_000) * at.refill) + 1
    const after = await sendGroup(at, other, most + 1)
    if (after.filter(({ status }) => isSuccess(status)).length > most)
      return undecided(rules.limitOfWorkspace, `${message}; ${secondsText(wait)} later it got several.`)
  }
  if (isLimited(exchange) || isSuccess(exchange.status))
    return [resultOf(rules.limitOfWorkspace, !isLimited(exchange), message, { exchange })]
  return otherStatus(at, other, exchange, message)
}

/** In ms: a limit that protects the whole service lasts no longer. */
const MOMENT = 2_000

/** Another status than 429 is a fault when it comes at the limit only; a key may lack the permission, and a service may be down. */
async function otherStatus(
  at: AtLimit,
  other: TestRequest,
  exchange: JudgedExchange,
  message: string,
): Promise<Result[]> {
  const { session } = at
  const reached = await exhaust(at)
  const again = reached.exchange && (await session.sendNow(other))
  await session.sleep((SOME / at.refill) * 60_000, LIMITED)
  const after = await session.sendNow(other)
  const isOfLimit = again?.status === exchange.status && isSuccess(after.status)
  return isOfLimit
    ? [resultOf(rules.limitOfWorkspace, false, message, { exchange })]
    : undecided(rules.limitOfWorkspace, `${message}, and ${after.status} later, which the limit does not explain.`)
}
