import { runIdInLocation } from '../../internal/contract/run-id.js'
import { STATUS } from '../../internal/contract/status.js'
import { nextTask } from '../../internal/time/task.js'
import { ContractError, RedirectError } from '../errors.js'
import { type Hooks, report } from '../hooks.js'
import { type Call, type Layer, type Link, type PlainRequest, type Reply, type Send, startsRun } from './call.js'
import { connectionError, isOfNetwork, isOwnError, ownError, withoutKeys } from './connection.js'
import { inTimeOfAttempt, timeLeft, timeoutError } from './deadline.js'
import { type FetchResponse, readBody, readHead, redactReply } from './response.js'
import { isBrowser } from './runtime.js'

/** Counts an attempt; both of its ends are reported to the hooks. */
export const attempt =
  ({ onRequest, onResponse }: Hooks): Layer =>
  (next) =>
  async (request, before) => {
    const { time, keys } = before
    const call: Call = { ...before, sent: { ...before.sent, attempts: before.sent.attempts + 1 } }
    report('onRequest', onRequest, call, {})
    const begun = time.now()
    const reportEnd = (status?: number, headers?: Headers) => {
      if (!onResponse) return
      const shown = headers && keys.redactHeaders(headers)
      report('onResponse', onResponse, call, { status, headers: shown, duration: time.now() - begun, fromCache: false })
    }
    try {
      // No timer has ended a call whose process stood still, also within `onRequest`.
      if (timeLeft(call) <= 0) throw timeoutError(before, 'totalTimeout')
      call.onAttempt?.({ ...call.sent, mayHaveArrived: true })
      const reply = await next(request, call)
      reportEnd(reply.status, reply.headers)
      return reply
    } catch (error) {
      reportEnd(error instanceof RedirectError ? error.status : undefined)
      throw error
    }
  }

/** The options that `fetch` is called with: plain data, and always all but `cache`. */
export interface FetchInit {
  method?: string
  headers?: Record<string, string>
  body?: string | ArrayBuffer | null
  signal?: AbortSignal
  redirect?: 'manual'
  cache?: 'no-store'
}

/** The part of `fetch` that the client uses: it is called with the URL and the options. It may be that of any library. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>

/** The last step of each request. */
export interface Transport {
  /** Calls `fetch` and reads its response, within the time of an attempt. */
  send: Send
  /** @throws TypeError when what it calls has led back to where it began, with the signal that it gave */
  throwIfLoop(signal: AbortSignal | null | undefined): void
}

interface TransportOptions {
  readonly fetch?: Fetch | undefined
  readonly maxResponseSize: number
}

/** Calls the given `fetch`, or the global one as it is at each attempt. */
export function createTransport({ fetch: given, maxResponseSize }: TransportOptions): Transport {
  const hasCache = isBrowser()
  let isCalling = false
  let open = 0
  /** Calls it with plain data, which it may change. Redirects are not followed, so that the key goes nowhere else. */
  const callFetch = ({ url, method, headers, body }: PlainRequest, call: Call, signal: AbortSignal) => {
    // MSW, nock and instrumentations replace it later.
    const fetch = given ?? globalThis.fetch
    if (typeof fetch !== 'function') throw ownError('There is no global fetch: pass one as the option fetch.')
    const own = { ...headers, authorization: call.sent.authorization! }
    const init: FetchInit = { method, headers: own, body: body ?? null, signal, redirect: 'manual' }
    if (hasCache) init.cache = 'no-store'
    links.set(signal, { transport, within: call.within })
    isCalling = true
    try {
      return fetch(url, init)
    } finally {
      isCalling = false
    }
  }
  const responseTo = async (request: PlainRequest, call: Call, signal: AbortSignal): Promise<FetchResponse> => {
    // A loop that is not noticed must leave the runtime its turn, so that its calls time out.
    if (open >= MANY) await nextTask()
    open++
    try {
      return await callFetch(request, call, signal)
    } catch (error) {
      if (isOwnError(error)) throw error
      const response = responseIn(error)
      if (response) return response
      if (given && !isOfNetwork(error)) throw withoutKeys(call.keys, error)
      throw connectionError(call, error, false)
    } finally {
      open--
    }
  }
  const transport: Transport = {
    async send(request, call) {
      let known: Reply | undefined
      try {
        return await inTimeOfAttempt(call, async (signal) => {
          const response = await responseTo(request, call, signal)
          try {
            const head = readHead(response, request, call)
            const namesRun = startsRun(call) && runIdInLocation(head.headers)
            if (namesRun || head.status >= STATUS.badRequest) known = redactReply(head, call)
            return await readBody(response, head, call, maxResponseSize)
          } catch (error) {
            throw error instanceof ContractError || isOwnError(error) ? error : connectionError(call, error, true)
          }
        })
      } catch (error) {
        // An error counts by its status and a run by its address, whatever becomes of the body.
        if (known && !call.signal?.aborted && timeLeft(call) > 0) return known
        throw error
      }
    },
    throwIfLoop(signal) {
      if (isCalling) throw ownError(LOOP)
      for (let link = attemptAround(signal); link; link = link.within)
        if (link.transport === transport) throw ownError(LOOP)
    },
  }
  return transport
}

/** So many attempts at once are rare, and may be a loop. */
const MANY = 1_000

/** The attempts by the signals that they gave to `fetch`. */
const links = new WeakMap<AbortSignal, Link>()

/** The attempt within which something is called with its signal. */
export const attemptAround = (signal: AbortSignal | null | undefined): Link | undefined =>
  signal ? links.get(signal) : undefined

/**
 * The response that a dispatcher has thrown for its status: undici's RetryAgent and its interceptors `retry` and
 * `responseError`. Its other errors have a status too, below 400, such as those of a body that was cut off.
 */
function responseIn(error: unknown): FetchResponse | undefined {
  const { statusCode: status, headers, body = '' } = Object(Object(error).cause) as Record<string, unknown>
  if (!Number.isInteger(status) || !((status as number) >= 400 && (status as number) < 600)) return undefined
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { status: status as number, headers: Object(headers), text: async () => text }
}

const LOOP = "createFetch calls itself: the global fetch leads to it. Pass the runtime's own as its option fetch."
