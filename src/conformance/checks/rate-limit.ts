import { plans } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import type { Exchange } from '../exchange.js'
import type { Session } from '../session.js'
import { counted, seconds } from '../text.js'
import { whatCounts } from './at-limit.js'
import { exhaust, TOGETHER } from './burst.js'
import type { Check } from './check.js'
import { measureRefill, waitSuffices } from './refill.js'

/** Reaches the limit on purpose, looks at what counts against it, and measures how it fills up again. */
export const rateLimitCheck: Check = {
  name: 'the rate limit',
  requests: 1,
  async run(session) {
    const reached = await flood(session)
    session.transport.drained()
    if (!reached) return
    const limit = noteLimit(session, reached)
    await whatCounts(session)
    const waited = await waitSuffices(session)
    if (!limit) return
    const refill = waited ? await measureRefill(session, limit.requestsPerMinute) : undefined
    if (refill?.even !== false)
      session.ledger.holds('A19', [limit.seen, refill?.seen].filter(Boolean).join('; '), reached.answer)
  },
}

interface Reached {
  answer: Exchange
  /** How many requests were taken, and how long that took, in ms. */
  taken: number
  /** How many may have been taken from the same burst before; without end when a 429 was met before. */
  before: number
  elapsed: number
}

async function flood(session: Session): Promise<Reached | undefined> {
  const { transport, ledger, settings } = session
  const before = transport.limited ? Number.POSITIVE_INFINITY : transport.requests
  const from = settings.clock.now()
  const { taken, answer } = await exhaust(session)
  if (answer?.status === STATUS.rateLimited) return { answer, taken, before, elapsed: settings.clock.now() - from }
  if (answer?.response) {
    ledger.breaks('S27', `a request over the limit must be answered 429, and was answered ${answer.status}`, answer)
    return undefined
  }
  const reason = `${counted(taken, 'request')} in ${seconds(settings.clock.now() - from)} met no limit. Higher ones can be arranged.`
  for (const id of ['S27', 'S29', 'S30', 'S31', 'S32', 'S33', 'S34', 'S35', 'S36', 'D04', 'A19'] as const)
    ledger.skips(id, reason)
  return undefined
}

/** Compares the limit that the message states, and the burst that was met, with the plans. Basis: S34, A19. */
function noteLimit(
  { ledger }: Session,
  { answer, taken, before, elapsed }: Reached,
): { requestsPerMinute: number; seen: string } | undefined {
  const { message } = (answer.body ?? {}) as { message?: unknown }
  const stated = Number(/\d+/.exec(String(message))?.[0])
  const plan = Object.values(plans).find((each) => each.apiAccess && each.requestsPerMinute === stated)
  if (!plan?.apiAccess) {
    const reason = `The 429 states ${stated} requests per minute, which is no plan's; higher limits can be arranged.`
    for (const id of ['S34', 'A19'] as const) ledger.skips(id, reason)
    return undefined
  }
  const { name, requestsPerMinute, burst } = plan
  const refilled = (elapsed / 60_000) * requestsPerMinute
  const taking = `${counted(taken, 'request')} were taken in ${seconds(elapsed)}`
  const seen = `the burst of ${name} is ${burst}, and ${taking}`
  if (taken <= burst + refilled + TOGETHER && taken + before + TOGETHER >= burst)
    ledger.holds('S34', `the 429 states the ${requestsPerMinute} requests per minute of ${name}; ${taking}`, answer)
  else {
    ledger.breaks('A19', seen, answer)
    ledger.skips('S34', `The burst of ${name} was not met: ${taking}. Another client would explain fewer.`)
  }
  return { requestsPerMinute, seen }
}
