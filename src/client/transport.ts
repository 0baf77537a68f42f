import { isJson } from './body.js'
import { ConnectionError, named, RedirectError } from './errors.js'
import { redact, redactError, redactHeaders } from './redact.js'
import type { Answer, Outgoing, Send } from './send.js'

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Sends a request and reads the body of its answer. Redirects are not followed, so that the key goes nowhere else. */
export const transport =
  (custom: Fetch | undefined): Send =>
  async (request) => {
    const { url, method, headers, body = null, signal = null, authorization } = request
    const fetch: Fetch = custom ?? globalThis.fetch
    let response: Response | undefined
    try {
      response = await fetch(url, { method, headers: { ...headers, authorization }, body, signal, redirect: 'manual' })
      return await read(request, response)
    } catch (error) {
      if (error instanceof RedirectError) throw error
      throw connectionError(request, error, response !== undefined)
    }
  }

async function read({ operation, attempts, authorization }: Outgoing, response: Response): Promise<Answer> {
  const { status, ok, headers } = response
  if (isRedirect(response)) {
    response.body?.cancel().catch(() => {})
    throw new RedirectError(`${named(operation)} was redirected. Give the final address as baseUrl.`, {
      operation,
      status,
      location: redact(authorization, headers.get('location') ?? '') || undefined,
    })
  }
  const text = await response.text()
  const answer = { status, ok, headers, text, attempts, response }
  const clean = redact(authorization, text)
  if (ok && (clean === text || isJson(text))) return answer
  return { ...answer, headers: redactHeaders(authorization, headers), text: clean }
}

const isRedirect = ({ type, redirected, status }: Response): boolean =>
  type === 'opaqueredirect' || redirected || /30[12378]/.test(`${status}`)

function connectionError(
  { operation, attempts, authorization }: Outgoing,
  error: unknown,
  answered: boolean,
): ConnectionError {
  const code = codeOf(error)
  const sent = answered || !NEVER_SENT.test(code)
  return new ConnectionError(`${named(operation)} got no complete answer (${redact(authorization, code)}).`, {
    operation,
    attempts,
    sent,
    cause: redactError(authorization, error),
  })
}

/** What the runtimes call a connection that was never made. */
const NEVER_SENT = /refused|notfound|ai_again|connect_timeout/i

/** The code of an error or of what caused it. */
function codeOf(error: unknown): string {
  const { code, cause } = Object(error) as { code?: unknown; cause?: unknown }
  return cause && typeof code !== 'string' ? codeOf(cause) : `${code ?? 'no code'}`
}
