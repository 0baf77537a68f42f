import type { OperationId } from '../../../../generated/contract.js'
import { anySignal } from '../../../internal/time/abort.js'
import { operationOf } from '../../service/pipeline.js'
import { byteLength } from '../../service/request/encoding.js'
import type { ServiceRequest } from '../../service/request/index.js'
import { examplesOf } from '../../service/response/examples.js'
import { type ServiceResponse, withMediaType, withRetryAfter } from '../../service/response/respond.js'
import { type SerializedResponse, serialize, toResponse } from '../../service/response/serialize.js'
import type { EngineParts, KnownRequest, SandboxPlugin, SandboxResponse } from '../engine.js'
import type { Faults } from './store.js'
import type { AppliedFault, FaultEffect } from './types.js'

// What a fault does, in this order: before the request is handled, to its response, and to its connection.

/** The plug-in that applies the fault of a request, and makes its response as it is sent. */
export const faults =
  ({ clock }: EngineParts): SandboxPlugin =>
  (next) =>
  async (exchange, known) => {
    const { fault } = known
    const { request } = exchange
    const operation = operationOf(exchange)
    // Its fields are listed: Node 20 makes a hidden class for each object that begins with a spread.
    const sent = (
      { status, headers, cookies, text }: SerializedResponse,
      handled: ServiceResponse | undefined,
    ): SandboxResponse => ({
      status,
      headers,
      cookies,
      text,
      handled,
      logReason: fault && (isReplacement(fault) || !handled?.reason) ? fault.reason : handled?.reason,
      connection: fault?.drop ? 'dropped' : fault?.cutOff ? 'cutOff' : undefined,
    })
    const serialized = (response: ServiceResponse) => {
      const date = { date: new Date(clock.runNow()).toUTCString() }
      return response.sent ? serializedOf(response.sent, date) : serialize(response, date)
    }
    if (!fault || !operation) {
      const handled: ServiceResponse = await next(exchange, known)
      return sent(await serialized(handled), handled)
    }
    // With `after: 'effect'` the request is handled first. Otherwise one that gets a status or is dropped is not handled.
    const isLate = fault.after === 'effect'
    if (!isLate) await delay(clock, request, known, fault)
    const hasEffect = isLate || (fault.status === undefined && !fault.drop)
    const handled = hasEffect ? await next(exchange, known) : undefined
    if (isLate) await delay(clock, request, known, fault)
    if (fault.drop) return sent(DROPPED, handled)
    const base: ServiceResponse =
      fault.status === undefined ? handled! : statusResponse(operation, fault.status, fault.retryAfter, request)
    return sent(replaced(await serialized(base), fault), handled)
  }

/** Whether the client receives something other than the response of the service: a delay alone replaces nothing. */
const isReplacement = ({ status, body, headers, drop, malformed, cutOff }: AppliedFault): boolean =>
  [status, body, headers].some((each) => each !== undefined) || [drop, malformed, cutOff].some(Boolean)

/** Waits as long as a fault says, unless the caller leaves or the sandbox is reset. */
async function delay(
  { sleep }: EngineParts['clock'],
  request: ServiceRequest,
  { resetSignal }: KnownRequest,
  { delay: ms }: AppliedFault,
): Promise<void> {
  if (ms !== undefined) {
    const either = anySignal(request.signal(), resetSignal)
    await sleep(ms, either.signal).finally(either.release)
  }
  resetSignal.throwIfAborted()
}

/** The web `Response` of a custom handler as text. */
const serializedOf = async (sent: Response, defaults: object): Promise<SerializedResponse> => ({
  status: sent.status,
  headers: { ...defaults, ...Object.fromEntries([...sent.headers].filter(([name]) => name !== 'set-cookie')) },
  cookies: sent.headers.getSetCookie(),
  text: await sent.text(),
})

const DROPPED: SerializedResponse = { status: 0, headers: {}, text: '' }

/** The response with a status that a fault gives it. */
function statusResponse(
  operation: OperationId,
  status: number,
  retryAfter: FaultEffect['retryAfter'],
  { path, query }: ServiceRequest,
): ServiceResponse {
  const injected = { error: 'injected_fault', message: `The sandbox injected a ${status}.` }
  const example = Object.values(examplesOf(operation)[status] ?? {})[0]
  const body = (example ?? injected) as { retry_after?: number }
  const { retry_after, ...unlimited } = body
  const headers = {
    ...(retryAfter !== undefined && retryAfter !== false && { 'retry-after': String(retryAfter) }),
    // Relative, because a world has a path prefix. A client that follows it repeats its request.
    ...(REDIRECTS.has(status) && { location: `./${path.split('/').at(-1)}${query && `?${query}`}` }),
  }
  const response =
    retryAfter === false
      ? { status, body: unlimited }
      : 'retry_after' in body
        ? withRetryAfter(status, { ...body, retry_after: retryAfter ?? retry_after })
        : { status, headers, body }
  return withMediaType(operation, response)
}

/** RFC 9110, section 15.4: these need a Location. */
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** A response with the body and the headers of a fault. */
function replaced(response: SerializedResponse, { body, headers, malformed }: AppliedFault): SerializedResponse {
  const { text, ...own } = body === undefined ? response : withBody(response, body)
  const given = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  return {
    ...own,
    headers: { ...own.headers, ...Object.fromEntries(given) },
    text: malformed ? firstHalf(text) : text,
  }
}

function withBody(response: SerializedResponse, body: unknown): SerializedResponse {
  const sent = typeof body === 'string' ? { headers: TEXT_HEADERS, text: body } : serialize({ status: 200, body })
  return { ...response, text: sent.text, headers: { ...response.headers, ...sent.headers } }
}

const TEXT_HEADERS = { 'content-type': 'text/plain; charset=utf-8' }

/** The part of a body that is sent before it is cut off. */
const firstHalf = (text: string): string => text.slice(0, text.length / 2)

/** The response for `fetch`, whose body breaks off if it is cut off. @throws DroppedConnectionError */
export function fetchResponse(method: string, response: SandboxResponse): Response {
  if (response.connection === 'dropped') throw new DroppedConnectionError()
  const whole = toResponse(method, response)
  return response.connection === 'cutOff' && whole.body ? new Response(streamOfHalf(response.text), whole) : whole
}

/** A body that breaks off in its middle. */
function streamOfHalf(text: string): ReadableStream {
  const bytes = new TextEncoder().encode(firstHalf(text))
  let sent = false
  return new ReadableStream({
    pull(controller) {
      if (sent) controller.error(new TypeError('terminated'))
      else controller.enqueue(bytes)
      sent = true
    },
  })
}

/** The part of a response of Node that a fault concerns. */
interface NodeResponse {
  shouldKeepAlive: boolean
  setHeader(name: string, value: number): unknown
  end(text: string): unknown
  destroy(): unknown
}

/** Ends a response on a port, whose headers are set. To cut it off, it announces one byte more than it sends. */
export function endResponse(res: NodeResponse, { text, connection }: SandboxResponse, waiting: Faults): void {
  if (connection === 'dropped') return void res.destroy()
  // A browser repeats a request when a connection that it has used before is dropped.
  if (connection === 'cutOff' || waiting.dropWaits()) res.shouldKeepAlive = false
  if (connection !== 'cutOff') return void res.end(text)
  res.setHeader('content-length', byteLength(text) + 1)
  res.end(firstHalf(text))
}

/** The error of a dropped connection, as `fetch` rejects with it. `why` has no full stop, as in errors of a runtime. */
export class DroppedConnectionError extends TypeError {
  override name = 'TypeError'
  constructor(why = 'The sandbox dropped the connection because of an injected fault') {
    super('fetch failed', { cause: new Error(why) })
  }
}
