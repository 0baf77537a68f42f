import { protocol } from '../../generated/operations.js'
import { STATUS } from '../internal/status.js'
import type { Exchange } from './exchange.js'
import type { ConformanceErrorCode, Settings } from './options.js'

/** Why it makes no sense to go on after the first answers; undefined when it does. */
export function unusable(
  answers: readonly Exchange[],
  { baseUrl, timeout }: Settings,
): { code: ConformanceErrorCode; message: string } | undefined {
  const [first] = answers
  if (!first) return undefined
  const { origin, host } = new URL(baseUrl)
  if (answers.every(({ failure }) => failure))
    return { code: 'unreachable', message: explain(first.failure?.message ?? '', origin, host, timeout) }
  const all = (status: number) => answers.every((answer) => answer.status === status)
  if (all(STATUS.unauthorized))
    return {
      code: 'refused',
      message: `${origin} answered every request with 401. Check that the key is one of this service and still valid.`,
    }
  if (all(STATUS.forbidden))
    return {
      code: 'refused',
      message: `${origin} answered every request with 403. The key may read nothing: check its permissions, and that the plan of its workspace has API access.`,
    }
  if (all(STATUS.notFound))
    return {
      code: 'not-found',
      message: `${baseUrl} answered every request with 404, so the service is not there. Its base URL ends in ${protocol.versionSegment}: check the path.`,
    }
  return undefined
}

function explain(message: string, origin: string, host: string, timeout: number): string {
  if (/ENOTFOUND|EAI_AGAIN/.test(message))
    return `The name ${host} has no address (${message}). Check how it is spelt, and the DNS.`
  if (/ECONNREFUSED/.test(message))
    return `Nothing listens at ${origin} (${message}). Check the port, and that the service runs.`
  if (/CERT|certificate|self.signed|altnames/i.test(message))
    return `The certificate of ${origin} is not trusted (${message}). Give Node its authority with NODE_EXTRA_CA_CERTS.`
  if (/SSL|TLS|EPROTO|packet length/i.test(message))
    return `${origin} does not speak TLS as expected (${message}). Check whether it is http:// or https://.`
  if (/no complete answer/.test(message))
    return `${origin} gave no complete answer within ${timeout / 1000} s. Check the address, or allow more time.`
  return `${origin} could not be reached: ${message}. Check the address and the network.`
}
