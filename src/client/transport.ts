import { isJson } from './body.js'
import { ConnectionError, named, RedirectError } from './errors.js'
import { mentions, redact, redactError, redactHeaders } from './redact.js'
import type { Answer, Outgoing, Send } from './send.js'

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Sends a request and reads the body of its answer. Redirects are not followed, so that the key goes nowhere else. */
export const transport =
  (custom: Fetch | undefined): Send =>
  async (request) => {
    const { url, method, body, signal, authorization = '' } = request
    const fetch: Fetch = custom ?? globalThis.fetch
    const init: RequestInit = { method, headers: { ...request.headers, authorization }, redirect: 'manual' }
    if (body !== undefined) init.body = body
    if (signal) init.signal = signal
    let response: Response | undefined
    try {
      response = await fetch(url, init)
      return await read(request, response)
    } catch (error) {
      if (error instanceof RedirectError) throw error
      throw connectionError(request, error, response !== undefined)
    }
  }

async function read({ operation, attempts, authorization = '' }: Outgoing, response: Response): Promise<Answer> {
  const { status, ok, headers } = response
  if (isRedirect(response)) {
    response.body?.cancel().catch(() => {})
    throw new RedirectError(
      `${named(operation)} was redirected, which is not followed. Give the final address as baseUrl.`,
      {
        operation,
        status,
        location: redact(authorization, headers.get('location') ?? '') || undefined,
      },
    )
  }
  const text = await response.text()
  const answer = { status, ok, headers, text, attempts, response }
  if (ok && (!mentions(authorization, text) || isJson(text))) return answer
  return { ...answer, headers: redactHeaders(authorization, headers), text: redact(authorization, text) }
}

const isRedirect = ({ type, redirected, status }: Response): boolean =>
  type === 'opaqueredirect' || redirected || /30[12378]/.test(`${status}`)

function connectionError(
  { operation, attempts, authorization = '' }: Outgoing,
  error: unknown,
  answered: boolean,
): ConnectionError {
  const codes = codesOf(error)
  const sent = answered || codes.length === 0 || !codes.every((code) => NEVER_SENT.test(code))
  return new ConnectionError(
    `${named(operation)} ${answered ? 'was cut off while its answer was read' : 'got no answer'} (${redact(authorization, codes[0] ?? 'no code')}).`,
    { operation, attempts, sent, cause: redactError(authorization, error) },
  )
}

/** What the runtimes call a connection that was never made. */
const NEVER_SENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|E(HOST|NET)UNREACH|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$/

/** The codes of an error: its own or, when several addresses were tried, those of each try. */
function codesOf(error: unknown): string[] {
  const { code, cause, errors } = Object(error) as { code?: unknown; cause?: unknown; errors?: unknown }
  if (Array.isArray(errors) && errors.length > 0) return errors.flatMap(codesOf)
  return typeof code === 'string' ? [code] : cause ? codesOf(cause) : []
}
