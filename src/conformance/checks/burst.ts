import { type OperationId, plans } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { isSuccess } from '../contract.js'
import type { Call, Exchange } from '../exchange.js'
import { callOf, type Session } from '../session.js'

/** No plan takes more than this at once, however fast it fills up again meanwhile. */
export const MOST = 2 * Math.max(...Object.values(plans).map((plan) => (plan.apiAccess ? plan.burst : 0)))
/** How many are under way at the same time: a slow network would never reach the limit one by one. */
export const TOGETHER = 8

/** The cheapest request that counts. */
export const READ: OperationId = 'getCurrentWorkspace'

/** The refusal, if any of some requests at once gets one: what has filled up since the limit was met is not enough for all. */
export async function together({ transport }: Session, call: Call): Promise<Exchange> {
  const answers = await Promise.all(Array.from({ length: TOGETHER }, () => transport.sendOnce(call)))
  return answers.find(({ status }) => status === STATUS.rateLimited) ?? (answers[0] as Exchange)
}

/** Sends requests until one is refused, and answers how many were taken and the refusal. */
export async function exhaust(session: Session): Promise<{ taken: number; answer: Exchange | undefined }> {
  let taken = 0
  while (taken < MOST) {
    const answers = await Promise.all(
      Array.from({ length: TOGETHER }, () => session.transport.sendOnce(callOf(session, READ))),
    )
    taken += answers.filter(({ status }) => isSuccess(status)).length
    const refused = answers.filter(({ status }) => !isSuccess(status))
    const answer = refused.find(({ status }) => status === STATUS.rateLimited) ?? refused[0]
    if (answer) return { taken, answer }
  }
  return { taken, answer: undefined }
}
