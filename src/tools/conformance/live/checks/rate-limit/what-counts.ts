import { operationNodes, rules } from '../../../../../../generated/conformance/nodes.js'
import { type BasisId, type OperationId, operations, protocol } from '../../../../../../generated/operations.js'
import { isSafe, isSuccess, probedOperations } from '../../../judge/contract.js'
import type { Checked } from '../../../judge/judge.js'
import { resultOf, secondsText, skipped } from '../../../judge/result.js'
import { bearer } from '../../../options.js'
import { LIMITED, retryAfter } from '../../http/transport.js'
import { type Change, pathOf } from '../../request.js'
import { sendNow } from '../../send.js'
import { pageQuery, pinOf } from '../../shapes.js'
import { type AtLimit, cheapestOf, concurrency, exhaust, isLimited, sendGroup } from './reach.js'

interface Trial {
  what: string
  operation: OperationId
  change: Change
  basis: BasisId
}

/** At the limit every read is refused, however it is sent and with any key of the workspace. Basis: D04, S35. */
export async function whatCounts(session: AtLimit): Promise<void> {
  for (const { what, operation, change, basis } of trialsOf(session)) {
    const exchange = await tryAtLimit(session, operation, change)
    const message = `${what} at the limit: expected 429, got ${exchange?.status}`
    const details = {
      exchange,
      relation: 'the rate limit',
      variation: what,
      expected: '429',
      actual: `${exchange?.status}`,
    }
    const isRefused = exchange !== undefined && !isSuccess(exchange.status) && !isLimited(exchange)
    session.add(
      exchange
        ? [resultOf(isRefused ? rules.overLimit : basis, isLimited(exchange), message, details)]
        : skipped(basis, TOO_SLOW),
    )
  }
  await otherWorkspace(session)
}

function trialsOf(session: AtLimit): Trial[] {
  const { facts, settings } = session
  const cheapest = cheapestOf(settings)
  const trial = (what: string, change: Change, basis: BasisId, operation = cheapest): Trial => ({
    ...{ what, operation, change, basis },
  })
  const reads = probedOperations(settings).filter(
    (operation) => operations[operation].quota === 'requests' && isSafe(operation),
  )
  const { readOnlyKey } = settings
  const headers = (name: string, value: string) => ({ headers: { [name]: value } })
  const paged = reads.find((operation) => 'paged' in operations[operation])
  return [
    ...reads.map((operation) => {
      // A service may look up the id before it counts the request.
      const id = operationNodes[operation].parameters.some((each) => each.in === 'path')
        ? facts.idFor(operation)
        : undefined
      return trial(
        operation,
        id === undefined ? {} : { path: pathOf(operation, id) },
        rules.everyRequestCounts,
        operation,
      )
    }),
    ...(readOnlyKey === undefined
      ? []
      : [trial('a second key of the workspace', { authorization: bearer(readOnlyKey) }, rules.limitOfWorkspace)]),
    trial('another user agent', headers('user-agent', 'conformance-check/1.0'), rules.limitOfWorkspace),
    trial(
      'a request from another address',
      { headers: { 'x-forwarded-for': '203.0.113.7', 'x-real-ip': '203.0.113.7', forwarded: 'for=203.0.113.7' } },
      rules.limitOfWorkspace,
    ),
    trial(
      'a request with a client id',
      { headers: { 'x-client-id': 'conformance', 'x-request-id': 'conformance', 'x-session-id': 'conformance' } },
      rules.limitOfWorkspace,
    ),
    trial('a request with another Accept', headers('accept', '*/*'), rules.limitOfWorkspace),
    trial('a request with an unknown query', { query: { conformance: 'check' } }, rules.everyRequestCounts),
    ...pinTrials(session, cheapest),
    ...(paged ? [trial(`${paged} page by page`, { query: pageQuery(2, 1) }, rules.everyRequestCounts, paged)] : []),
  ]
}

/** The requests that reach the limit are pinned themselves once a release was accepted; this one differs from them. */
function pinTrials({ facts, settings }: AtLimit, operation: OperationId): Trial[] {
  const pin = pinOf(operation, settings)
  if (pin === undefined) return []
  const isPinned = facts.pin !== undefined && !facts.unpinned.has(operation)
  const what = isPinned ? 'a request without a pin' : 'a pinned request'
  const change = { headers: { [protocol.versionHeader]: isPinned ? '' : pin } }
  return [{ what, operation, change, basis: rules.everyRequestCounts }]
}

const TOO_SLOW = 'The limit could not be reached again, or it refilled before the next responses came.'

/**
 * The response to a request at the limit: a 429, or a success that the limit does not explain. Undefined when a token
 * may have refilled meanwhile, because responses are slow or a time window ended.
 */
async function tryAtLimit(session: AtLimit, operation: OperationId, change: Change): Promise<Checked | undefined> {
  const reached = await exhaust(session)
  if (!reached.exchange) return undefined
  const size = concurrency(session)
  const exchanges = await sendGroup(session, operation, change)
  session.left -= size
  const refilled = ((session.settings.clock.now() - reached.from) / 60_000) * session.refill
  const refused = exchanges.find(isLimited)
  const accepted = exchanges.filter(({ status }) => isSuccess(status))
  if (refused) return refused
  if (accepted.length === 0) return isOtherRefusal(session, operation, change)
  if (accepted.length <= refilled + 1) return undefined
  return (await exhaust(session, size)).exchange && accepted[0]
}

/** The response to a request that gets another status than 429 at the limit, each time, and a success when it is not reached. */
async function isOtherRefusal(session: AtLimit, operation: OperationId, change: Change): Promise<Checked | undefined> {
  if (!(await exhaust(session)).exchange) return undefined
  const exchange = await sendNow(session, operation, change)
  if (isSuccess(exchange.status) || exchange.failure) return undefined
  await session.transport.sleep((SOME / session.refill) * 60_000, LIMITED)
  const after = await sendNow(session, operation, change)
  return isSuccess(after.status) ? exchange : undefined
}

/** How many requests refill while it waits, of which other clients may use some. */
const SOME = 8

/** The key of another workspace has a limit of its own, besides one that all workspaces may share for a moment. */
async function otherWorkspace(session: AtLimit): Promise<void> {
  const { otherWorkspaceKey } = session.settings
  if (otherWorkspaceKey === undefined || !(await exhaust(session)).exchange) return
  const other = { authorization: bearer(otherWorkspaceKey) }
  const exchange = await sendNow(session, cheapestOf(session.settings), other)
  const message = `a key of another workspace at the limit: expected a 2xx, got ${exchange.status}`
  const wait = retryAfter(exchange)
  if (isLimited(exchange) && wait <= MOMENT) {
    await session.transport.sleep(wait, LIMITED)
    const most = Math.ceil((wait / 60_000) * session.refill) + 1
    const after = await sendGroup(session, cheapestOf(session.settings), other, most + 1)
    if (after.filter(({ status }) => isSuccess(status)).length > most)
      return session.add(skipped(rules.limitOfWorkspace, `${message}; ${secondsText(wait)} later it got several.`))
  }
  if (isLimited(exchange) || isSuccess(exchange.status))
    session.add(resultOf(rules.limitOfWorkspace, !isLimited(exchange), message, { exchange }))
}

/** In ms: a limit that protects the whole service lasts no longer. */
const MOMENT = 2_000
