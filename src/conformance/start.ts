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
    if (path.endsWith(versionSegment)) ledger.passes(id, `the base URL ends in ${versionSegment}`)
    else ledger.fails(id, `the base URL must end in ${versionSegment}, and its path is ${path}`)
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
  const all = (status: number) => exchanges.every((each) => each.status === status)
  if (all(STATUS.unauthorized))
    return {
      code: 'refused',
      message: `${origin} responded to every request with 401. Check that the key is one of this service and still valid.`,
    }
  if (all(STATUS.forbidden))
    return {
      code: 'refused',
      message: `${origin} responded to every request with 403. The key may read nothing: check its permissions, and that the plan of its workspace has API access.`,
    }
  if (all(STATUS.notFound))
    return {
      code: 'not-found',
      message: `${baseUrl} responded to every request with 404, so the service is not there. Its base URL ends in ${protocol.versionSegment}: check the path.`,
    }
  return undefined
}

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
