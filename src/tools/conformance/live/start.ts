import { protocol } from '../../../../generated/contract.js'
import { clean } from '../../../internal/clean.js'
import { STATUS } from '../../../internal/contract/status.js'
import { isLoopback } from '../../../internal/http/url.js'
import { ConformanceError, type ConformanceErrorCode } from '../errors.js'
import { isSuccess, OTHER_STATUS } from '../judge/contract.js'
import type { Exchange, Failure } from '../judge/exchange.js'
import type { ConformanceSettings } from '../options.js'
import { FORBIDDEN_PORT } from './http/retry.js'
import { CERTIFICATE, proxyAdvice } from './proxy.js'

/** Warns of keys that others on the network can read. */
export function clearTextWarnings({ baseUrl }: { baseUrl: string }): string[] {
  const { protocol: scheme, hostname, origin } = new URL(baseUrl)
  if (scheme === 'https:' || isLoopback(hostname)) return []
  return [`Keys are sent to ${origin} in clear text, for others on the network to read. Use https:// where you can.`]
}

/** @throws ConformanceError when the first responses show that it makes no sense to go on */
export function throwIfUnusable(exchanges: readonly Exchange[], settings: ConformanceSettings): void {
  const { baseUrl } = settings
  const [first] = exchanges
  if (!first) return
  if (exchanges.every(({ failure }) => failure))
    throw new ConformanceError('unreachable', explain(first.failure, settings))
  const [, code, advice] = UNUSABLE.find(([applies]) => exchanges.every(applies)) ?? []
  if (code && advice)
    throw new ConformanceError(code, `${baseUrl} responded to every request with ${first.status}${advice(first)}`)
}

type Unusable = readonly [
  applies: (exchange: Exchange) => boolean,
  code: ConformanceErrorCode,
  /** Goes on after the status of the first response. */
  advice: (first: Exchange) => string,
]

const is = (status: number) => (exchange: Exchange) => exchange.status === status

/** The likely reason when all first requests get the same kind of response. */
const UNUSABLE: readonly Unusable[] = [
  [
    (exchange) => exchange.status >= 400 && gatewayIn(exchange) !== undefined,
    'refused',
    (first) =>
      ` from a gateway in front of the service (${gatewayIn(first)}): let it pass these requests, or check behind it.`,
  ],
  [is(STATUS.unauthorized), 'refused', () => '. Check that the key is one of this service and still valid.'],
  [
    is(STATUS.forbidden),
    'refused',
    () => '. The key may read nothing: check its permissions, and that the plan of its workspace has API access.',
  ],
  [
    is(STATUS.notFound),
    'not-found',
    () => `, so the service is not there. Its base URL ends in ${protocol.versionSegment}: check the path.`,
  ],
  [
    ({ status }) => status >= 300 && status < 400 && status !== OTHER_STATUS.notModified,
    'not-found',
    ({ headers }) =>
      `, a redirect${siteOf(headers.get('location'))}. Redirects are not followed, so that the key goes nowhere else: give the final address, and check that no login page is in front of the service.`,
  ],
  [
    ({ status, headers, body }) =>
      isSuccess(status) && body === undefined && !/json/i.test(headers.get('content-type') ?? ''),
    'not-found',
    ({ headers }) =>
      ` and the content type ${headers.get('content-type') ?? '(none)'}, so something else responds there. Check the address.`,
  ],
  [
    ({ status, body }) => status >= 502 && status <= 504 && body === undefined,
    'unreachable',
    () => ' and no JSON, as a gateway does while the service behind it is down. Try again when it is up.',
  ],
]

/** What shows that a refusal is that of a gateway, which knows nothing of keys of the service. */
function gatewayIn({ status, headers, text, body }: Exchange): string | undefined {
  if (status !== STATUS.unauthorized && status !== STATUS.forbidden) return undefined
  const mitigated = headers.get('cf-mitigated')
  if (mitigated !== null) return `cf-mitigated: ${clean(mitigated.slice(0, SHOWN_CHARACTERS))}`
  const { message } = Object(body) as { message?: unknown }
  if (typeof message === 'string' && /^no api key found/i.test(message))
    return clean(message.slice(0, SHOWN_CHARACTERS))
  const title = /<title>([^<]{0,100})/i.exec(text.slice(0, 10_000))?.[1] ?? ''
  const isPage = body === undefined && /^\s*</.test(text.slice(0, SHOWN_CHARACTERS))
  return isPage ? `a page of HTML${title && `, "${clean(title.trim())}"`}` : undefined
}

/** How many characters of a gateway's text are shown. */
const SHOWN_CHARACTERS = 100

/** The origin of a redirect, without path and query, which may repeat what was sent. */
const siteOf = (location: string | null): string =>
  location && URL.canParse(location) ? ` to ${new URL(location).origin}` : ''

function explain(failure: Failure | undefined, { baseUrl, timeout, fetch: send }: ConformanceSettings): string {
  const { kind, code = '', message = '' } = failure ?? {}
  const { origin, host } = new URL(baseUrl)
  const advice = proxyAdvice(baseUrl, send, code)
  if (advice) return `${origin} could not be reached (${message}). ${advice}`
  if (kind === 'timeout')
    return `${origin} sent no complete response within ${timeout / 1000} s. Check the address, or allow more time.`
  const reasons: readonly (readonly [RegExp, string])[] = [
    [/^(ENOTFOUND|EAI_AGAIN)$/, `The name ${host} has no address (${message}). Check how it is spelt, and the DNS.`],
    [FORBIDDEN_PORT, `fetch sends nothing to ${origin}: it forbids this port. Let the service listen at another one.`],
    [/^ECONNREFUSED$/, `Nothing listens at ${origin} (${message}). Check the port, and that the service runs.`],
    [CERTIFICATE, `The certificate of ${origin} is not trusted (${message}). ${AUTHORITY}`],
    [/NO_APPLICATION_PROTOCOL/, `${origin} speaks only HTTP/2, and the check speaks HTTP/1.1. ${ACCEPT_OLDER}`],
    [NO_HTTP_1, `What listens at ${origin} does not speak HTTP/1.1, perhaps only HTTP/2 (${message}). ${ACCEPT_OLDER}`],
    [
      /SSL|TLS|EPROTO/,
      `${origin} does not speak TLS as expected (${message}). Check whether it is http:// or https://.`,
    ],
    [/^/, `${origin} could not be reached: ${message}. Check the address and the network.`],
  ]
  return reasons.find(([form]) => form.test(code || message))?.[1] ?? message
}

/** How Node's parser says it, with a code or without one. */
const NO_HTTP_1 = /^HPE_|HTTP\/1\.1 protocol/
/** HTTP/2 needs no TLS (RFC 9113, section 3.3), and Node's fetch does not speak it by itself. */
const ACCEPT_OLDER = 'Check the port, and let the server, or a proxy in front of it, accept HTTP/1.1 as well.'
const AUTHORITY = 'Give Node its authority with NODE_EXTRA_CA_CERTS.'
