import { type OperationId, operations, plans } from '../../../generated/operations.js'
import { isSuccess } from '../contract.js'
import type { Exchange } from '../exchange.js'
import { bearer, callOf, expectSuccess, type Session } from '../session.js'
import { counted, seconds } from '../text.js'
import { retryAfter } from '../transport.js'
import type { Check } from './check.js'
import { STATUS } from './statuses.js'

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
    if (!(await waitSuffices(session)) || !limit) return
    await measureRefill(session, limit.requestsPerMinute)
  },
}

interface Reached {
  answer: Exchange
  /** How many requests were taken, by the flood and by all checks, and how long that took, in ms. */
  taken: number
  before: number
  elapsed: number
}

/** No plan takes more than this at once, however fast it fills up again meanwhile. */
export const MOST = 2 * Math.max(...Object.values(plans).map((plan) => (plan.apiAccess ? plan.burst : 0)))
/** How many are under way at the same time: a slow network would never reach the limit one by one. */
const TOGETHER = 8

const READ: OperationId = 'getCurrentWorkspace'

async function flood(session: Session): Promise<Reached | undefined> {
  const { transport, ledger, settings } = session
  const before = transport.requests
  const from = settings.clock.now()
  let taken = 0
  while (taken < MOST) {
    const answers = await Promise.all(Array.from({ length: TOGETHER }, () => transport.sendOnce(callOf(session, READ))))
    taken += answers.filter(({ status }) => isSuccess(status)).length
    const answer = answers.find(({ status }) => status === STATUS.rateLimited)
    if (answer) return { answer, taken, before, elapsed: settings.clock.now() - from }
    const other = answers.find(({ status, response }) => response && !isSuccess(status))
    if (other) {
      ledger.breaks('S27', `a request over the limit must be answered 429, and was answered ${other.status}`, other)
      return undefined
    }
  }
  const reason = `${counted(taken, 'request')} in ${seconds(settings.clock.now() - from)} met no limit. Higher ones can be arranged.`
  for (const id of ['S27', 'S29', 'S30', 'S31', 'S32', 'S33', 'S34', 'S35', 'S36', 'D04', 'A19'] as const)
    ledger.skips(id, reason)
  return undefined
}

/** Compares the limit that the message states, and the burst that was met, with the plans. Basis: S34, A19. */
function noteLimit({ ledger }: Session, { answer, taken, before, elapsed }: Reached) {
  const { message } = (answer.body ?? {}) as { message?: unknown }
  const stated = Number(/\d+/.exec(String(message))?.[0])
  const plan = Object.values(plans).find((each) => each.apiAccess && each.requestsPerMinute === stated)
  if (!plan?.apiAccess) {
    for (const id of ['S34', 'A19'] as const)
      ledger.skips(
        id,
        `The 429 states ${stated} requests per minute, which is no plan's; higher limits can be arranged.`,
      )
    return undefined
  }
  const refilled = (elapsed / 60_000) * plan.requestsPerMinute
  const seen = `${counted(taken, 'request')} were taken in ${seconds(elapsed)}`
  if (taken <= plan.burst + refilled + TOGETHER && taken + before + TOGETHER >= plan.burst) {
    ledger.holds(
      'S34',
      `the 429 states the ${plan.requestsPerMinute} requests per minute of ${plan.name}; ${seen}`,
      answer,
    )
    ledger.holds('A19', `the burst of ${plan.name} is ${plan.burst}, and ${seen}`, answer)
  } else {
    ledger.breaks('A19', `the burst of ${plan.name} is ${plan.burst}, and ${seen}`, answer)
    ledger.skips(
      'S34',
      `The burst of ${plan.name} was not met: ${seen}. Another client of the workspace would explain fewer.`,
    )
  }
  return plan
}

/** At the limit: every read is refused, with every key of the workspace; a trigger is not. Basis: D04, S35, S36. */
async function whatCounts(session: Session): Promise<void> {
  const { ledger, settings, transport, facts } = session
  for (const operation of Object.keys(operations) as OperationId[]) {
    if (operations[operation].quota !== 'requests') continue
    await exhaust(session)
    const path = operation === 'getRun' && facts.runId ? { path: { id: facts.runId } } : {}
    const answer = await transport.sendOnce(callOf(session, operation, path))
    if (answer.status === STATUS.rateLimited) ledger.holds('D04', `at the limit ${operation} is answered 429`, answer)
    else
      ledger.breaks('D04', `at the limit ${operation} must be answered 429, and was answered ${answer.status}`, answer)
  }
  for (const [key, shared] of [
    [settings.readOnlyKey, true],
    [settings.otherWorkspaceKey, false],
  ] as const) {
    if (key === undefined) continue
    await exhaust(session)
    const answer = await transport.sendOnce(callOf(session, READ, { authorization: bearer(key) }))
    const limited = answer.status === STATUS.rateLimited
    const whose = shared ? 'another key of the workspace' : 'a key of another workspace'
    if (limited === shared) ledger.holds('S35', `at the limit ${whose} is answered ${answer.status}`, answer)
    else ledger.breaks('S35', `at the limit ${whose} was answered ${answer.status}`, answer)
  }
  await exhaust(session)
  const named = settings.trigger === undefined ? {} : { path: { id: settings.trigger } }
  const trigger = await transport.sendOnce(callOf(session, 'triggerRun', named))
  if (trigger.status !== STATUS.rateLimited) {
    if (settings.trigger !== undefined) expectSuccess(session, trigger, 'triggerRun at the limit')
    ledger.holds('S36', `at the limit triggerRun is answered ${trigger.status}, not 429`, trigger)
  } else if (settings.trigger !== undefined)
    ledger.breaks('S36', 'at the limit triggerRun must not be answered 429, and was', trigger)
  else
    ledger.skips(
      'S36',
      'A trigger of what does not exist was answered 429, which may be right. Name a playbook to trigger.',
    )
}

/** Sends requests until one is refused, and answers how many were taken and the refusal. */
async function exhaust(session: Session): Promise<{ taken: number; answer: Exchange | undefined }> {
  for (let taken = 0; taken < MOST; taken++) {
    const answer = await session.transport.sendOnce(callOf(session, READ))
    if (!isSuccess(answer.status)) return { taken, answer }
  }
  return { taken: MOST, answer: undefined }
}

/** Basis: S33. */
async function waitSuffices(session: Session): Promise<boolean> {
  const { ledger, settings, transport } = session
  const { answer } = await exhaust(session)
  const wait = answer?.status === STATUS.rateLimited ? retryAfter(answer) : Number.POSITIVE_INFINITY
  if (wait > settings.maxWait) {
    ledger.skips(
      'S33',
      `The service asked for a wait of ${seconds(wait)}, which is longer than ${seconds(settings.maxWait)}.`,
    )
    return false
  }
  await transport.sleep(wait, 'the service answered 429')
  const after = await transport.sendOnce(callOf(session, READ))
  const what = `after the wait of ${seconds(wait)} that a 429 asked for, the request`
  if (after.status === STATUS.rateLimited)
    ledger.breaks('S33', `${what} was answered 429 again; another client of the workspace would explain it`, after)
  else if (isSuccess(after.status)) ledger.holds('S33', `${what} was answered ${after.status}`, after)
  return isSuccess(after.status)
}

/** Basis: A19. */
async function measureRefill(session: Session, requestsPerMinute: number): Promise<void> {
  const { ledger, settings, transport } = session
  await exhaust(session)
  const from = settings.clock.now()
  await transport.sleep((REFILLED / requestsPerMinute) * 60_000, 'to measure how the limit fills up again')
  const { taken, answer } = await exhaust(session)
  const elapsed = settings.clock.now() - from
  const expected = (elapsed / 60_000) * requestsPerMinute
  const what = `${seconds(elapsed)} after the limit ${counted(taken, 'request')} were taken; ${Math.round(expected)} refill in that time at ${requestsPerMinute} per minute`
  if (Math.abs(taken - expected) <= TOLERANCE) ledger.holds('A19', what, answer)
  else ledger.breaks('A19', what, answer)
}

/** How many requests to wait for. */
const REFILLED = 5
const TOLERANCE = 2
