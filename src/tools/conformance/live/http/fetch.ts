import { readBytes } from '../../../../internal/http/read-bytes.js'
import { withTimeout } from '../../../../internal/time/system.js'
import { decodeBody, type Exchange, exchangeOf, type Failure, MAX_RESPONSE_BODY } from '../../judge/exchange.js'
import type { ConformanceSettings } from '../../options.js'
import { sentRequestOf, type TestRequest } from '../request.js'

/** Sends one request and reads its response within the timeout. It throws only when the check was ended. */
export async function sendRequest(testRequest: TestRequest, settings: ConformanceSettings): Promise<Exchange> {
  const request = sentRequestOf(testRequest, settings)
  // A browser's fetch refuses to be called as a method.
  const { clock, timeout, fetch: send } = settings
  const from = clock.now()
  const late = new Error(`no complete response came within ${timeout / 1000} s`)
  const receive = async (signal: AbortSignal) => {
    const { method, url, headers, body = null } = request
    const response = await send(url, { method, headers, body, redirect: 'manual', signal })
    const { bytes, truncated } = await readBytes(response.body, MAX_RESPONSE_BODY)
    return { status: response.status, headers: response.headers, ...decodeBody(bytes, truncated), truncated }
  }
  try {
    const response = await withTimeout(settings.signal, timeout, () => late, receive)
    return exchangeOf(testRequest.operation, request, { ...response, duration: clock.now() - from })
  } catch (error) {
    if (settings.signal?.aborted) throw error
    const nothing = { status: 0, headers: new Headers(), text: '', duration: clock.now() - from }
    const failure = error === late ? ({ kind: 'timeout', message: late.message } as const) : failureOf(error)
    return { ...exchangeOf(testRequest.operation, request, nothing), failure }
  }
}

/** Why a connection failed: the messages from the outermost to the innermost, and the innermost code. */
function failureOf(error: unknown): Failure {
  const reasons: string[] = []
  let last: string | undefined
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code } = at as { code?: unknown }
    if (typeof code === 'string') last = code
    reasons.push(typeof code === 'string' && !at.message.includes(code) ? `${at.message} (${code})` : at.message)
  }
  return { kind: 'connection', code: last, message: reasons.join(': ') || 'the connection failed' }
}
