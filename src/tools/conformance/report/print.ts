import { escapeHidden } from '../../../internal/clean.js'
import { createMask, MASKED } from '../../../internal/mask.js'
import type { Discovery, SeenRequest, SeenResponse } from '../../../shared/report.js'
import type { Exchange, SentRequest } from '../judge/exchange.js'
import type { Message, Quoted } from '../judge/result.js'
import { isSecretHeader, maskSecretLike } from '../judge/secret-like.js'
import { curlOf, type NamedKey } from './curl.js'

/**
 * Makes text of what the checks keep raw: without secrets, without what steers a terminal or a page, and not too long.
 * `keys` are those that the reader of a report has. Without `bodies` the report contains no body and no value of one.
 */
export function createPrinter(secrets: readonly string[], bodies: boolean, keys: readonly NamedKey[] = []) {
  const mask = createMask(secrets)
  const masked = (text: string): string =>
    cut(escapeHidden(maskSecretLike(mask(text.slice(0, MASKABLE)))), SHOWN_TEXT, text.length)
  const body = (text: string): { body?: string } => (bodies ? { body: masked(text) } : {})
  const headers = (all: Headers): Record<string, string> =>
    Object.fromEntries([...all].map(([name, value]) => [name, isSecretHeader(name) ? MASKED : masked(value)]))
  const request = (sent: SentRequest): SeenRequest => ({
    method: sent.method,
    url: masked(sent.url),
    headers: headers(sent.headers),
    ...(sent.body !== undefined && body(bodyText(sent.body))),
  })
  const value = ({ quoted, bare }: Quoted): string => {
    if (bare) return masked(String(quoted)).replaceAll(/\s+/g, ' ')
    if (!bodies) return NOT_SHOWN
    const json = JSON.stringify(typeof quoted === 'string' ? quoted.slice(0, MASKABLE) : quoted) ?? 'nothing'
    const text = masked(json).replaceAll(/\s+/g, ' ')
    return text.length > SHOWN_VALUE ? `${text.slice(0, SHOWN_VALUE)}…` : text
  }
  return {
    message: (message: Message): string =>
      [message]
        .flat()
        .map((part) => (typeof part === 'string' ? part : value(part)))
        .join(''),
    discovery: (discovery: Discovery): Discovery => {
      if (discovery.kind === 'value') return { ...discovery, value: bodies ? masked(discovery.value) : NOT_SHOWN }
      return discovery.kind === 'field' ? { ...discovery, name: masked(discovery.name) } : discovery
    },
    request,
    /** Undefined for one that is too long for a command; the request is in the report in any case. */
    curl: (sent: SentRequest): string | undefined => {
      const ofHeaders = [...sent.headers].reduce((sum, [, value]) => sum + value.length, 0)
      if (sent.url.length + ofHeaders + (sent.body?.length ?? 0) > MOST_OF_COMMAND) return undefined
      return curlOf(bodies ? sent : { ...sent, body: undefined }, keys, (text) => maskSecretLike(mask(text)))
    },
    response: ({ status, headers: own, text, bodyState, duration }: Exchange): SeenResponse => ({
      status,
      headers: headers(own),
      ...(bodyState !== 'not-recorded' && body(text)),
      duration: Math.round(duration),
    }),
  }
}

const bodyText = (body: string | Uint8Array): string =>
  typeof body === 'string' ? body : new TextDecoder().decode(body)

export type Printer = ReturnType<typeof createPrinter>

const NOT_SHOWN = 'a value that is not shown'

/** How many characters of a value and of any other text a report shows, and how many are masked before it is cut. */
const SHOWN_VALUE = 80
const SHOWN_TEXT = 2_000
const MASKABLE = 8_000
const MOST_OF_COMMAND = 16_000

const cut = (text: string, length: number, whole: number): string =>
  text.length > length ? `${text.slice(0, length)}… (${whole} characters)` : text
