import { parseJson } from '../internal/json.js'
import { requestedWait } from '../internal/retry-after.js'
import type { Time } from '../internal/time.js'
import type { Call, Reply } from './call.js'
import type { BACKOFF } from './defaults.js'

// How long a call waits before it is sent again, in ms.

/** What a response asks for; undefined when it does not say. */
export const askedWait = ({ headers, text }: Reply, time: Time): number | undefined =>
  requestedWait(headers, parseJson(text), time.wallTime())

/** What the service asks, and at least the backoff, which doubles with each attempt; with jitter. Basis: S33. */
export const backoff = (asked: number | undefined, attempts: number, { first, longest }: typeof BACKOFF): number =>
  withJitter(Math.max(asked ?? 0, Math.min(longest, first * 2 ** (attempts - 1))))

/** Up to a tenth and at most 10 s more, so that clients do not come back all at once. Never less. */
export const withJitter = (ms: number): number => ms + Math.min(ms / 10, 10_000) * Math.random()

/** Whether a wait ends before the call has to be over. */
export const fits = ({ deadline, time }: Call, wait: number): boolean => time.now() + wait < deadline
