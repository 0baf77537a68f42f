import { type Incoming, MAX_BODY } from './engine.js'

/** A web request as the engine takes it. */
export function incomingOf(request: Request): Incoming {
  const { url, method, headers } = request
  const from = url.indexOf('/', url.indexOf('//') + 2)
  const fragment = url.indexOf('#', from)
  const end = fragment === -1 ? url.length : fragment
  const question = url.indexOf('?', from)
  const cut = question === -1 || question > end ? end : question
  return {
    method,
    path: url.slice(from, cut),
    query: url.slice(cut + 1, end),
    header: (name) => headers.get(name),
    headers: entriesOf(headers),
    text: async () => {
      const text = await request.text()
      return isTooLarge(text) ? undefined : text
    },
    signal: () => request.signal,
  }
}

/** The log keeps this function, so it must not reach the request. */
const entriesOf = (headers: Headers) => () => headers

/** Whether a text has more than `MAX_BODY` bytes in UTF-8; it is only counted where its length leaves that open. */
const isTooLarge = (text: string): boolean =>
  text.length > MAX_BODY || (text.length * 3 > MAX_BODY && new TextEncoder().encode(text).length > MAX_BODY)
