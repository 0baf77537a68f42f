import { createTokenBucket, type Limit, type TokenBucket } from '../internal/token-bucket.js'
import { createQueue } from './queue.js'
import { runScript, type ScriptInput, type ScriptReply, type SendCommand } from './script.js'

/** The settings of a limiter, validated and with defaults. */
export interface LimiterSettings {
  send: SendCommand
  key: string
  limit: Limit
  processes: number
  /** In ms. */
  timeout: number
  onDegraded: (degraded: boolean, error?: unknown) => void
}

/** A monotonic clock in ms, and its timer. */
export interface Time {
  now(): number
  after(ms: number, then: () => void): () => void
}

/** What Redis receives beside the settings. */
type Request = Pick<ScriptInput, 'elapsed' | 'wanted' | 'due' | 'pause'>

/** How long after a failure Redis is tried again, in ms: at first, and at most. */
const BACKOFF = { from: 100, to: 800 }
/** How long a command without a reply keeps others from being tried, in ms. */
const STUCK = 5_000
/** The longest pause, in ms. */
const LONGEST_PAUSE = 86_400_000
/** Longer than any state is kept, in ms: the process was never in touch with it. */
const NEVER = 9e15

/** Hands out the tokens that the fleet's bucket in Redis grants, or those of a local share while Redis cannot be reached. */
export function createLimiter(settings: LimiterSettings, { now, after }: Time) {
  const { limit, processes, timeout } = settings
  const ask = createAsk(settings, { now, after })
  const queue = createQueue((tokens) => {
    ask.account(-tokens)
    if (queue.wanted() === 0) cancel()
  })
  const share = {
    requestsPerMinute: limit.requestsPerMinute / processes,
    burst: Math.max(1, limit.burst / processes),
  }
  /** The share, while Redis cannot be reached. */
  let local: TokenBucket | undefined
  let backoff = 0
  let probeAt = 0
  let probing = false
  /** Whether a request for tokens is under way. */
  let asking = false
  /** When the script said to come back. */
  let reserved: number | undefined
  let lastSeen: number | undefined
  let pausedUntil = -Infinity
  let cancel = () => {}

  const wakeAfter = (ms: number) => {
    cancel()
    cancel = after(ms, serve)
  }
  const pauseLeft = () => Math.max(0, pausedUntil - now())
  const elapsed = () => (lastSeen === undefined ? NEVER : now() - lastSeen + timeout)

  /** Does what the queue needs next. */
  function serve() {
    if (local) serveLocally(local)
    else if (!asking && (queue.wanted() > 0 || ask.owed() < 0)) serveShared()
  }
  function serveShared() {
    const left = reserved === undefined ? 0 : reserved - now()
    if (left > 0 && queue.wanted() > 0) wakeAfter(left)
    else void take()
  }
  async function take() {
    asking = true
    const sentAt = now()
    const due = reserved !== undefined && reserved <= sentAt
    try {
      const { granted, wait } = await ask.send({ elapsed: elapsed(), wanted: queue.wanted(), due, pause: 0 })
      lastSeen = sentAt
      if (due || wait > 0) reserved = wait > 0 ? now() + wait : undefined
      ask.account(-queue.grant(granted))
    } catch (error) {
      degrade(error)
    }
    asking = false
    serve()
  }

  function degrade(error: unknown) {
    if (local) return
    local = createTokenBucket(share, Math.max(now(), pausedUntil), 0)
    backoff = BACKOFF.from
    probeAt = now() + backoff
    settings.onDegraded(true, error)
    serve()
  }
  function serveLocally(bucket: TokenBucket) {
    const at = now()
    while (queue.wanted() > 0 && at >= pausedUntil && bucket.take(1, at)) {
      queue.grant(1)
      ask.account(1)
    }
    if (queue.wanted() === 0) return
    if (at >= probeAt && !probing && !ask.stuck()) void probe()
    if (at >= probeAt) probeAt = at + backoff
    wakeAfter(Math.max(1, Math.min(probeAt - at, at < pausedUntil ? pausedUntil - at : bucket.waitFor(1, at))))
  }
  /** Asks for nothing, so that it does no harm when it is late. Redis is trusted again when it replies in time. */
  async function probe() {
    probing = true
    const sentAt = now()
    try {
      await ask.send({ elapsed: timeout, wanted: 0, due: false, pause: pauseLeft() })
      lastSeen = sentAt
      local = undefined
      cancel()
      settings.onDegraded(false)
    } catch {
      backoff = Math.min(2 * backoff, BACKOFF.to)
      probeAt = now() + backoff
    }
    probing = false
    serve()
  }

  return {
    acquire(cost: number, options: { signal?: AbortSignal | undefined; priority?: 'poll' | undefined }) {
      const granted = queue.wait(cost, options)
      serve()
      return granted
    },
    penalize(wait: number) {
      if (!(wait > 0)) return
      const pause = Math.min(Math.ceil(wait), LONGEST_PAUSE)
      pausedUntil = Math.max(pausedUntil, now() + pause)
      local?.drain(pausedUntil)
      if (!local) ask.send({ elapsed: elapsed(), wanted: 0, due: false, pause }).catch(degrade)
    },
  }
}

/** Sends requests to Redis within `timeout`, and keeps account of the tokens that Redis does not know of. */
function createAsk({ send, key, limit, processes, timeout }: LimiterSettings, { now, after }: Time) {
  const rate = limit.requestsPerMinute / 60_000
  // A token is used up to `timeout` after the script granted it, and the request may be as long on its way. What refills
  // meanwhile stays out of the burst, so that together they never exceed it.
  const burst = Math.max(1, limit.burst - rate * 2 * timeout)
  let owed = 0
  let pending = 0
  let lastSent = 0

  return {
    /** Adds tokens that were used without asking; negative, tokens that were received and not used. */
    account(tokens: number) {
      owed += tokens
    },
    owed: () => owed,
    /** Whether a recent command has no reply yet, so that another would only queue behind it. */
    stuck: () => pending > 0 && now() - lastSent < STUCK,
    send: (request: Request) =>
      new Promise<ScriptReply>((resolve, reject) => {
        const spent = owed
        const sentAt = now()
        let late = false
        owed = 0
        pending++
        lastSent = sentAt
        const fail = (error: unknown) => {
          cancel()
          // What was given back may have arrived; to give it back twice would be too much.
          if (!late) owed += Math.max(0, spent)
          late = true
          reject(error)
        }
        const timedOut = () => fail(new Error(`Redis did not reply within ${timeout} ms (timeout).`))
        // A reply that came in time is read first, also when this process was busy.
        let cancel = after(timeout, () => {
          cancel = after(1, timedOut)
        })
        runScript(send, key, { rate, burst, processes, spent, ...request }).then(
          ({ granted, wait }) => {
            pending--
            cancel()
            if (late) owed -= Math.max(0, spent)
            const tooOld = late || now() - sentAt > timeout
            if (tooOld) owed -= granted
            resolve({ granted: tooOld ? 0 : granted, wait })
          },
          (error) => {
            pending--
            fail(error)
          },
        )
      }),
  }
}
