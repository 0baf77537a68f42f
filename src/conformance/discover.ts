import { operationNodes } from '../../generated/conformance.js'
import { isSecretHeader } from '../internal/mask.js'
import { documentedStatus, hasStatus, isSuccess, successBasis, successStatusBasis } from './contract.js'
import type { Exchange } from './exchange.js'
import { quote, text } from './message.js'
import type { Result } from './result.js'

/** What the contract does not name in a response; unknown fields and values of a body are found along its schema. */
export const discoveries = (exchange: Exchange): Result[] =>
  exchange.failure ? [] : [...unnamedHeaders(exchange), ...unnamedStatus(exchange)]

/** Notes a status that the contract does not name. */
function unnamedStatus({ operation, status }: Exchange): Result[] {
  if (hasStatus(operation, status)) return []
  const success = isSuccess(status) ? successStatusBasis(operation) : undefined
  return [
    {
      basis: success ?? successBasis(operation),
      outcome: 'discovered',
      message: `${operation} responded with ${status}, a status that the contract does not have for it`,
      discovery: { kind: 'status', operation, status },
      location: `${operationNodes[operation].location}/responses`,
    },
  ]
}

/** Notes headers that the contract does not name and that are none of HTTP itself. */
function unnamedHeaders({ operation, status, headers }: Exchange): Result[] {
  const node = operationNodes[operation]
  const response = node.responses[documentedStatus(operation, status)]
  const named = new Set(Object.keys(response?.headers ?? {}).map((name) => name.toLowerCase()))
  return [...headers]
    .filter(([name]) => !named.has(name) && !COMMON.has(name) && !COMMON_PREFIX.test(name))
    .map(([name, value]) => ({
      basis: successBasis(operation),
      outcome: 'discovered',
      message: text`a response has a header that the contract does not name: ${name}${isSecretHeader(name) ? '' : text`: ${quote(value)}`}`,
      discovery: { kind: 'header', name },
      location: `${response?.location ?? node.location}/headers`,
    }))
}

const COMMON_PREFIX = /^(access-control|sec|cross-origin|cf|x-amz(n)?|x-envoy)-/

/** Headers of HTTP and of the servers and networks on the way, which say nothing about the service. */
const COMMON = new Set(
  `accept-ch accept-ranges age allow alt-svc cache-control connection content-encoding content-language content-length
  content-location content-security-policy content-type date etag expires keep-alive last-modified link location nel
  permissions-policy pragma priority proxy-authenticate referrer-policy report-to reporting-endpoints retry-after server
  server-timing set-cookie strict-transport-security trailer transfer-encoding upgrade vary via warning www-authenticate
  x-cache x-content-type-options x-dns-prefetch-control x-download-options x-frame-options
  x-permitted-cross-domain-policies x-powered-by x-xss-protection`.split(/\s+/),
)
