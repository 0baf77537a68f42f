/**
 * What to do when an address could not be reached because Node's fetch does not use the proxy that is set; undefined when no
 * proxy is the reason. The address of a proxy may have a password in it, and is not shown. `code` is that of the failure.
 */
export function proxyAdvice(baseUrl: string, send: typeof fetch, code = ''): string | undefined {
  // A certificate that is not trusted came from somebody who responded.
  const name = CERTIFICATE.test(code) || !URL.canParse(baseUrl) ? undefined : unusedProxy(baseUrl, send)
  return (
    name &&
    `${name} is set, and Node's fetch does not use it by itself. From Node ${FIRST_NODE} on set NODE_USE_ENV_PROXY=1 as well; before, make undici's EnvHttpProxyAgent the global dispatcher, in a file that NODE_OPTIONS=--import names.`
  )
}

/** The codes of failures of a certificate. */
export const CERTIFICATE = /CERT|SELF_SIGNED|ALTNAME/

/**
 * The name of the variable with a proxy that Node's fetch would have to use for the address, and does not; undefined when
 * there is none, or the fetch is the caller's own. A browser has no variables.
 */
function unusedProxy(baseUrl: string, send: typeof fetch): string | undefined {
  const { env = {}, execArgv = [], versions } = (globalThis as { process?: Partial<NodeJS.Process> }).process ?? {}
  const options = [...execArgv, ...(env.NODE_OPTIONS ?? '').split(/\s+/)]
  const isAsked = env.NODE_USE_ENV_PROXY === '1' || options.includes('--use-env-proxy')
  if ((isAsked && Number.parseInt(versions?.node ?? '', 10) >= FIRST_NODE) || send !== globalThis.fetch)
    return undefined
  const { protocol, hostname } = new URL(baseUrl)
  const name = `${protocol.slice(0, -1)}_proxy`
  const found = [name.toUpperCase(), name, 'ALL_PROXY', 'all_proxy'].find((each) => env[each])
  const exceptions = (env.NO_PROXY ?? env.no_proxy ?? '').split(/[\s,]+/).filter(Boolean)
  return exceptions.some((each) => isException(hostname, each)) ? undefined : found
}

/** The first major version of Node that does it. */
const FIRST_NODE = 24

/** A name excepts the names below it too, and * all. */
function isException(hostname: string, exception: string): boolean {
  const name = exception
    .replace(/:\d+$/, '')
    .replace(/^\*?\./, '')
    .toLowerCase()
  return name === '*' || hostname === name || hostname.endsWith(`.${name}`)
}
