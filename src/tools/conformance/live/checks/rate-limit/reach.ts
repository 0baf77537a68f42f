import type { OperationId } from '../../../../../../generated/operations.js'
import { STATUS } from '../../../../../internal/contract/status.js'
import { requestedWait } from '../../../../../internal/http/retry-after.js'
import { isSuccess, readingOperations } from '../../../judge/contract.js'
import type { JudgedExchange } from '../../../judge/judge.js'
import type { ConformanceSettings } from '../../../options.js'
import { isTemporary } from '../../http/retry.js'
import type { TestRequest } from '../../request.js'
import type { Session } from '../../session.js'

/** The cheapest operation that counts against the limit; the check needs one. */
export const cheapestOf = (settings: ConformanceSettings): OperationId =>
  readingOperations(settings)[0] ?? 'getCurrentWorkspace'

/** A session in which the limit was reached before. */
export interface AtLimit {
  session: Session
  /** How many requests are left to reach the limit again. */
  left: number
  /** How many requests refill in a minute, at most. */
  refill: number
  /** How often the limit was not reached again, in a row. */
  inVain: number
  /** How long a response takes, in ms, by the slowest of the last group. */
  latency: number
}

export interface Flood {
  taken: number
  /** The first response that is no success. */
  exchange: JudgedExchange | undefined
  /** When the last group was sent. */
  from: number
}

export const isLimited = ({ status }: JudgedExchange): boolean => status === STATUS.rateLimited

/**
 * How many requests are sent at once: several times as many as refill while their responses come, because over a slow
 * network fewer would never reach the limit.
 */
export const concurrency = ({ latency, refill }: Pick<AtLimit, 'latency' | 'refill'>): number =>
  Math.min(MOST, Math.max(LEAST, Math.ceil((3 * refill * latency) / 60_000)))

export const LEAST = 8
const MOST = 160

export async function sendGroup(
  at: AtLimit,
  request: TestRequest = { operation: cheapestOf(at.session.settings) },
  size = concurrency(at),
): Promise<JudgedExchange[]> {
  const { session } = at
  const { clock } = session.settings
  const from = clock.now()
  const exchanges = await Promise.all(Array.from({ length: size }, () => session.sendNow(request)))
  // In process nothing takes time, and a fake clock may count each request.
  at.latency = Math.min(clock.now() - from, Math.max(...exchanges.map(({ duration }) => duration)))
  return exchanges
}

/** Sends requests until one is refused. A 5xx or a broken connection is no refusal, unless it persists. */
export async function flood(at: AtLimit, most: number): Promise<Flood> {
  const { session } = at
  const { clock } = session.settings
  let taken = 0
  let faults = 0
  let from = clock.now()
  for (let sent = 0; sent < most; ) {
    from = clock.now()
    const exchanges = await sendGroup(at)
    sent += exchanges.length
    const refused = exchanges.filter(({ status }) => !isSuccess(status))
    taken += exchanges.length - refused.length
    const exchange = refused.find(isLimited) ?? refused.find((each) => !isTemporary(each))
    if (exchange) return { taken, exchange, from }
    if (2 * refused.length <= exchanges.length) continue
    if (++faults === MAX_FAULTS) return { taken, exchange: refused[0], from }
    await session.sleep(FAULT_PAUSE, `the service responded with ${refused[0]?.status}`)
  }
  return { taken, exchange: undefined, from }
}

/** How often most of a group may fail, and how long to wait then, in ms. */
const MAX_FAULTS = 8
const FAULT_PAUSE = 2_000

/** Together more requests than a burst and what refills meanwhile. */
const MOST_IN_VAIN = 4

/** Reaches the limit again. `exchange` is the 429, or undefined when none comes. */
export async function exhaust(at: AtLimit, most = 8 * concurrency(at)): Promise<Flood> {
  const { taken, exchange, from } = await flood(at, Math.min(most, at.left - concurrency(at)))
  at.left -= taken + concurrency(at)
  at.inVain = exchange && isLimited(exchange) ? 0 : at.inVain + 1
  // Where a single 429 came and no other, nothing more can be decided.
  if (at.inVain === MOST_IN_VAIN) at.left = 0
  return { taken, exchange: exchange && isLimited(exchange) ? exchange : undefined, from }
}

/** How many requests are accepted some time after the limit. */
export async function takenAfter(at: AtLimit, wait: number, reason: string, most?: number) {
  const reached = await exhaust(at)
  if (!reached.exchange) return undefined
  await at.session.sleep(wait, reason)
  const { taken, exchange } = await exhaust(at, most)
  const elapsed = at.session.settings.clock.now() - reached.from
  return { taken, exchange, asked: waitIn(reached.exchange), elapsed }
}

/** The wait that the body of a 429 asks for, in ms; 0 without one. */
export const waitIn = (exchange: JudgedExchange | undefined): number =>
  requestedWait(new Headers(), exchange?.body) ?? 0
