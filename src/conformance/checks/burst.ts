import { type OperationId, plans } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { isSuccess } from '../contract.js'
import type { RequestSpec } from '../exchange.js'
import type { Checked } from '../sender.js'
import { requestFor, type Session } from '../session.js'

/** No plan takes more than this at once, however fast it refills meanwhile. */
export const MAX_FLOOD = 2 * Math.max(...Object.values(plans).map((plan) => (plan.apiAccess ? plan.burst : 0)))
/** How many are under way at the same time: a slow network would never reach the limit one by one. */
export const CONCURRENCY = 8
/** How many requests reach the limit again, all together; a service that forgets its limit takes no more. */
export const MAX_AGAIN = 700
/** One time is enough of them to reach a limit that was reached a moment before. */
const MAX_ONE_TIME = 8 * CONCURRENCY

/** The cheapest request that counts. */
export const READ: OperationId = 'getCurrentWorkspace'

/** What the requests at the limit share: how many of them are left. */
export interface Burst {
  session: Session
  left: number
}

/** The 429 of several concurrent requests, if there is one: what has refilled meanwhile is not enough for all. */
export async function sendConcurrently({ transport }: Session, spec: RequestSpec): Promise<Checked> {
  const exchanges = await Promise.all(Array.from({ length: CONCURRENCY }, () => transport.sendOnce(spec)))
  return exchanges.find(({ status }) => status === STATUS.rateLimited) ?? (exchanges[0] as Checked)
}

/** Sends requests until one is refused. Returns how many were accepted, and the refusal. */
export async function flood(session: Session, most: number): Promise<{ taken: number; exchange: Checked | undefined }> {
  let taken = 0
  for (let sent = 0; sent < most; sent += CONCURRENCY) {
    const exchanges = await Promise.all(
      Array.from({ length: CONCURRENCY }, () => session.transport.sendOnce(requestFor(session, READ))),
    )
    taken += exchanges.filter(({ status }) => isSuccess(status)).length
    const refused = exchanges.filter(({ status }) => !isSuccess(status))
    const exchange = refused.find(({ status }) => status === STATUS.rateLimited) ?? refused[0]
    if (exchange) return { taken, exchange }
  }
  return { taken, exchange: undefined }
}

/** Reaches the limit again. Returns the 429, or undefined when none comes. */
export async function exhaust(
  burst: Burst,
  most = MAX_ONE_TIME,
): Promise<{ taken: number; exchange: Checked | undefined }> {
  const { taken, exchange } = await flood(burst.session, Math.min(most, burst.left - CONCURRENCY))
  burst.left -= taken + CONCURRENCY
  return { taken, exchange: exchange?.status === STATUS.rateLimited ? exchange : undefined }
}
