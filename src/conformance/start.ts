import { type BasisId, protocol } from '../../generated/operations.js'
import { STATUS } from '../internal/status.js'
import type { Exchange, Failure } from './exchange.js'
import type { Ledger } from './ledger.js'
import type { ConformanceErrorCode, Settings } from './options.js'

/** Basis: S04, S39. */
export function checkBaseUrl(baseUrl: string, ledger: Ledger): void {
  const { versionSegment } = protocol
  const path = new URL(baseUrl).pathname
  for (const id of ['S04', 'S39'] satisfies BasisId[])
    ledger.records(
      id,
      path.endsWith(versionSegment),
      `the base URL must end in ${versionSegment}, and its path is ${path}`,
    )
}

/** Why it makes no sense to go on after the first responses; undefined when it does. */
export function unusable(
  exchanges: readonly Exchange[],
  { baseUrl, timeout }: Settings,
): { code: ConformanceErrorCode; message: string } | undefined {
  const [first] = exchanges
  if (!first) return undefined
  const { origin, host } = new URL(baseUrl)
  if (exchanges.every(({ failure }) => failure))
    return { code: 'unreachable', message: explain(first.failure, origin, host, timeout) }
  const refusal = REFUSALS.find(({ applies }) => exchanges.every(applies))
  if (!refusal) return undefined
  const { status, headers } = first
  const details = refusal.advice(headers)
  return { code: refusal.code, message: `${baseUrl} responded to every request with ${status}${details}` }
}

interface Refusal {
  applies(exchange: Exchange): boolean
  code: ConformanceErrorCode
  /** Goes on after the status of the first response, whose headers it gets. */
  advice(headers: Headers): string
}

const withStatus = (expected: number, code: ConformanceErrorCode, advice: string): Refusal => ({
  applies: ({ status }) => status === expected,
  code,
  advice: () => advice,
})

/** What it means that the first requests all get the same kind of response. */
const REFUSALS: readonly Refusal[] = [
  withStatus(STATUS.unauthorized, 'refused', '. Check that the key is one of this service and still valid.'),
  withStatus(
    STATUS.forbidden,
    'refused',
    '. The key may read nothing: check its permissions, and that the plan of its workspace has API access.',
  ),
  withStatus(
    STATUS.notFound,
    'not-found',
    `, so the service is not there. Its base URL ends in ${protocol.versionSegment}: check the path.`,
  ),
  {
    applies: ({ status }) => status >= 300 && status < 400,
    code: 'not-found',
    advice: (headers) =>
      `, a redirect${siteOf(headers.get('location'))}. Redirects are not followed, so that the key goes nowhere else: give the final address, and check that no login page is in front of the service.`,
  },
  {
    applies: ({ status, headers, body }) =>
      status >= 200 && status < 300 && body === undefined && !/json/i.test(headers.get('content-type') ?? ''),
    code: 'not-found',
    advice: (headers) =>
      ` and the content type ${headers.get('content-type') ?? '(none)'}, so something else responds there. Check the address.`,
  },
  {
    applies: ({ status, body }) => status >= 502 && status <= 504 && body === undefined,
    code: 'unreachable',
    advice: () => ' and no JSON, as a gateway does while the service behind it is down. Try again when it is up.',
  },
]

/** Where a redirect leads to, without its path and query, which may repeat what was sent. */
const siteOf = (location: string | null): string =>
  location && URL.canParse(location) ? ` to ${new URL(location).origin}` : ''

function explain(failure: Failure | undefined, origin: string, host: string, timeout: number): string {
  const { kind, code = '', message } = failure ?? { kind: 'connection', message: '' }
  if (kind === 'timeout')
    return `${origin} sent no complete response within ${timeout / 1000} s. Check the address, or allow more time.`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `The name ${host} has no address (${message}). Check how it is spelt, and the DNS.`
  if (code === 'ECONNREFUSED')
    return `Nothing listens at ${origin} (${message}). Check the port, and that the service runs.`
  if (/CERT|SELF_SIGNED|ALTNAME/.test(code))
    return `The certificate of ${origin} is not trusted (${message}). Give Node its authority with NODE_EXTRA_CA_CERTS.`
  if (/SSL|TLS|EPROTO/.test(code))
    return `${origin} does not speak TLS as expected (${message}). Check whether it is http:// or https://.`
  return `${origin} could not be reached: ${message}. Check the address and the network.`
}
