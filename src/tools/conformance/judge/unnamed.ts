import { operationNodes } from '../../../../generated/contract.js'
import { documentedStatus, hasStatus, isSuccess, successBasis, successStatusBasis } from './contract.js'
import type { Exchange } from './exchange.js'
import { quote, type Result, text } from './result.js'
import { isSecretHeader } from './secret-like.js'

/** A status that the contract does not have for the operation. */
export function unnamedStatus({ operation, status }: Exchange): Result[] {
  if (hasStatus(operation, status)) return []
  const basis = (isSuccess(status) && successStatusBasis(operation)) || successBasis(operation)
  const message = `${operation} responded with ${status}, a status that the contract does not have for it`
  const location = `${operationNodes[operation].location}/responses`
  return [{ basis, outcome: 'discovered', message, discovery: { kind: 'status', operation, status }, location }]
}

/** Headers that neither the contract nor HTTP defines. */
export function unnamedHeaders({ operation, status, headers }: Exchange): Result[] {
  const node = operationNodes[operation]
  const response = node.responses[documentedStatus(operation, status)]
  const named = new Set(Object.keys(response?.headers ?? {}).map((name) => name.toLowerCase()))
  const basis = successBasis(operation)
  const location = `${response?.location ?? node.location}/headers`
  return [...headers]
    .filter(([name]) => !named.has(name) && !COMMON.has(name) && !COMMON_PREFIX.test(name))
    .map(([name, value]) => {
      const shown = isSecretHeader(name) ? '' : text`: ${quote(value)}`
      const message = text`a response has a header that the contract does not name: ${name}${shown}`
      return { basis, outcome: 'discovered', message, discovery: { kind: 'header', name }, location }
    })
}

const COMMON_PREFIX = /^(access-control|sec|cross-origin|cf|x-amz(n)?|x-envoy)-/

/** Headers of HTTP and of common servers and networks. */
const COMMON = new Set(
  `accept-ch accept-ranges age allow alt-svc cache-control connection content-encoding content-language content-length
  content-location content-security-policy content-type date deprecation etag expires keep-alive last-modified link location nel
  permissions-policy pragma priority proxy-authenticate referrer-policy report-to reporting-endpoints retry-after server
  server-timing set-cookie strict-transport-security sunset trailer transfer-encoding upgrade vary via warning www-authenticate
  x-cache x-content-type-options x-dns-prefetch-control x-download-options x-frame-options
  x-permitted-cross-domain-policies x-powered-by x-request-id x-xss-protection`.split(/\s+/),
)
