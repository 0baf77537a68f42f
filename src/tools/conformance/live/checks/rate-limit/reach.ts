import type { OperationId } from '../../../../../../generated/contract.js'
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
  /** How many were accepted. */
  taken: number
  /** How many more may have been: those that got a 5xx or no response. */
  unknown: number
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
  Math.min(MOST_AT_ONCE, Math.max(LEAST, Math.ceil((3 * refill * latency) / 60_000)))

export const LEAST = 8
const MOST_AT_ONCE = 160

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
  let unknown = 0
  let faults = 0
  let from = clock.now()
  for (let sent = 0; sent < most; ) {
    from = clock.now()
    const exchanges = await sendGroup(at)
    sent += exchanges.length
    const refused = exchanges.filter(({ status }) => !isSuccess(status))
    unknown += refused.filter(isTemporary).length
    taken += exchanges.length - refused.length
    const exchange = refused.find(isLimited) ?? refused.find((each) => !isTemporary(each))
    if (exchange) return { taken, unknown, exchange, from }
    if (2 * refused.length <= exchanges.length) continue
    if (++faults === MAX_FAULTS) return { taken, unknown, exchange: refused[0], from }
    await session.sleep(FAULT_PAUSE, `the service responded with ${refused[0]?.status}`)
  }
  return { taken, unknown, exchange: undefined, from }
}

/** How often most of a group may fail, and how long to wait then, in ms. */
const MAX_FAULTS = 8
const FAULT_PAUSE = 2_000

/** Together more requests than a burst and what refills meanwhile. */
const MOST_IN_VAIN = 4

/** Reaches the limit again. `exchange` is the 429, or undefined when none comes. */
export async function exhaust(at: AtLimit, most = 8 * concurrency(at)): Promise<Flood> {
  const { taken, unknown, exchange, from } = await flood(at, Math.min(most, at.left - concurrency(at)))
  at.left -= taken + unknown + concurrency(at)
  at.inVain = exchange && isLimited(exchange) ? 0 : at.inVain + 1
  // Where a single 429 came and no other, nothing more can be decided.
  if (at.inVain === MOST_IN_VAIN) at.left = 0
  return { taken, unknown, exchange: exchange && isLimited(exchange) ? exchange : undefined, from }
}

/** How many requests are accepted some time after the limit, when they were sent, and what the 429 asked for. */
export async function takenAfter(at: AtLimit, wait: number, reason: string, most?: number) {
  const reached = await exhaust(at)
  if (!reached.exchange) return undefined
  await at.session.sleep(wait, reason)
  const { taken, unknown, exchange } = await exhaust(at, most)
  const elapsed = at.session.settings.clock.now() - reached.from
  return { taken, unknown, exchange, asked: waitIn(reached.exchange), elapsed }
}

/** The wait that the body of a 429 asks for, in ms; 0 without one. */
export const waitIn = (exchange: JudgedExchange | undefined): number =>
  requestedWait(new Headers(), exchange?.body) ?? 0

/**
 * Whether the rate is kept to by requests that are sent no faster than it: a window of a second, or of two minutes, has other
 * bursts than a bucket, and how the burst is measured is not shown. Basis: A19.
 */
export async function keepsTheRate(at: AtLimit, requestsPerMinute: number): Promise<boolean> {
  const { session } = at
  const pause = (SLOWER * 60_000) / requestsPerMinute
  let accepted = 0
  for (let sent = 0; sent < STEADY; sent++) {
    await session.sleep(pause, 'to see whether the stated rate is accepted')
    const { status } = await session.sendNow({ operation: cheapestOf(session.settings) })
    if (isSuccess(status) || status >= STATUS.internalError) accepted++
  }
  return accepted >= STEADY - 1
}

const SLOWER = 1.1
const STEADY = 12
