import { operationNodes } from '../../generated/conformance.js'
import { judgedStatus, successBasis } from './contract.js'
import type { Exchange } from './exchange.js'
import type { Ledger } from './ledger.js'
import { quote } from './text.js'

/** Notes headers that the contract does not name and that are none of HTTP itself. */
export function discoverHeaders(exchange: Exchange, ledger: Ledger): void {
  const { operation, status, headers } = exchange
  const node = operationNodes[operation]
  const response = node.responses[judgedStatus(operation, status)]
  const named = new Set(Object.keys(response?.headers ?? {}).map((name) => name.toLowerCase()))
  for (const [name] of headers) {
    if (named.has(name) || COMMON.has(name) || /^(access-control|sec|cross-origin|cf|x-amz(n)?|x-envoy)-/.test(name))
      continue
    const shown = exchange.response?.headers[name]
    ledger.discovers(
      successBasis(operation),
      `an answer has a header that the contract does not name: ${name}: ${quote(shown ?? '')}`,
      { kind: 'header', name },
      exchange,
      `${response?.place ?? node.place}#/headers`,
    )
  }
}

/** Headers of HTTP and of the servers and networks on the way, which say nothing about the service. */
const COMMON = new Set(
  `accept-ch accept-ranges age allow alt-svc cache-control connection content-encoding content-language content-length
  content-location content-security-policy content-type date etag expires keep-alive last-modified link location nel
  permissions-policy pragma priority proxy-authenticate referrer-policy report-to reporting-endpoints retry-after server
  server-timing set-cookie strict-transport-security trailer transfer-encoding upgrade vary via warning www-authenticate
  x-cache x-content-type-options x-dns-prefetch-control x-download-options x-frame-options
  x-permitted-cross-domain-policies x-powered-by x-xss-protection`.split(/\s+/),
)
