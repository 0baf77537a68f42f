import type { OperationId } from '../../../../generated/operations.js'
import { examplesOf } from '../../service/response/examples.js'
import { type ServiceResponse, withMediaType, withRetryAfter } from '../../service/response/respond.js'
import { type SerializedResponse, serialize, toResponse } from '../../service/response/serialize.js'
import type { AppliedFault, FaultEffect } from './types.js'

/** A response of the sandbox, ready to be sent. */
export interface SandboxResponse extends SerializedResponse {
  /** The connection breaks in the middle of the body. */
  cutOff?: boolean
}

/** The response to a call with a fault. `handled` is the service's own, if it has handled the call. */
export function faultResponse(
  operation: OperationId,
  effect: AppliedFault,
  path: string,
  handled: SerializedResponse | undefined,
): SandboxResponse {
  const { status, body, headers, malformed, cutOff, change } = effect
  const base =
    status === undefined
      ? handled
      : serialize(withMediaType(operation, statusResponse(operation, status, effect.retryAfter, path)))
  const response = changed(base as SerializedResponse, change)
  const replaced = body === undefined ? response : withBody(response, body)
  const given = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
  const whole = { ...replaced, headers: { ...replaced.headers, ...Object.fromEntries(given) } }
  return { ...whole, ...(malformed && { text: firstHalf(whole.text) }), ...(cutOff && { cutOff }) }
}

const changed = (response: SerializedResponse, change: AppliedFault['change']): SerializedResponse =>
  change && response.status < 300 ? { ...response, text: JSON.stringify(change(JSON.parse(response.text))) } : response

function withBody(response: SerializedResponse, body: unknown): SerializedResponse {
  const sent = typeof body === 'string' ? { headers: TEXT_HEADERS, text: body } : serialize({ status: 200, body })
  return { ...response, text: sent.text, headers: { ...response.headers, ...sent.headers } }
}

const TEXT_HEADERS = { 'content-type': 'text/plain; charset=utf-8' }

function statusResponse(
  operation: OperationId,
  status: number,
  retryAfter: FaultEffect['retryAfter'],
  path: string,
): ServiceResponse {
  const injected = { error: 'injected_fault', message: `The sandbox injected a ${status}.` }
  const example = Object.values(examplesOf(operation)[status] ?? {})[0]
  const body = (example ?? injected) as { retry_after?: number }
  const { retry_after, ...unlimited } = body
  if (retryAfter === false) return { status, body: unlimited }
  if ('retry_after' in body) return withRetryAfter(status, { ...body, retry_after: retryAfter ?? retry_after })
  const headers = {
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    // Relative, because a world has a path prefix. A client that follows it repeats its request.
    ...(REDIRECTS.has(status) && { location: `./${path.split('/').at(-1)}` }),
  }
  return { status, headers, body }
}

/** RFC 9110, section 15.4: these need a Location. */
const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** The response for `fetch`. */
export function fetchResponse(method: string, response: SandboxResponse): Response {
  const whole = toResponse(method, response)
  return response.cutOff && whole.body ? new Response(streamOfHalf(response.text), whole) : whole
}

/** The part of a body that is sent before the connection breaks. */
export const firstHalf = (text: string): string => text.slice(0, text.length / 2)

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

/** The error of a dropped connection, as `fetch` rejects with it. `why` has no full stop, as in errors of a runtime. */
export class DroppedConnectionError extends TypeError {
  override name = 'TypeError'
  constructor(why = 'The sandbox dropped the connection because of an injected fault') {
    super('fetch failed', { cause: new Error(why) })
  }
}
