/**
 * A host as URLs and `Host` headers write it, so that the forms of one address are equal; an IPv4 address that is mapped to
 * IPv6 is that address. Undefined for what is no name or address, such as one with a port.
 */
export function canonicalHost(host: string): string | undefined {
  const bracketed = /:.*:/.test(host) && !host.startsWith('[') ? `[${host}]` : host
  if (!/^(\[[\da-f:.]+\]|[^\s:/?#@%*[\]\\]+)$/i.test(bracketed) || !URL.canParse(`http://${bracketed}`))
    return undefined
  const { hostname } = new URL(`http://${bracketed}`)
  const mapped = /^\[::ffff:([\da-f]+):([\da-f]+)\]$/.exec(hostname)
  if (!mapped) return hostname
  return mapped
    .slice(1)
    .map((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255].join('.'))
    .join('.')
}

/** Whether a canonical host is that of a loopback address. */
export const isLoopback = (host: string): boolean => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)
