import { createHash, timingSafeEqual } from 'node:crypto'
import type { ServiceRequest } from '../../service/request/index.js'
import { ControlError } from '../control/commands.js'

/** What requests to a sandbox on a port may name. */
export interface Allowed {
  /** The allowed hosts in the `Host` header, in their canonical form. */
  host(name: string): boolean
  /** The allowed origins of pages, besides the sandbox's own. */
  origin(origin: string): boolean
}

/** The requests that may control a sandbox on a port. */
export interface ControlAccess {
  allowed: Allowed
  /** The token that `Authorization: Bearer <token>` must contain; undefined for none. */
  token: string | undefined
}

/** @throws ControlError when the request may not control the sandbox; without `access`, no request may */
export function requireAccess(request: ServiceRequest, access: ControlAccess | undefined): void {
  if (!access) throw new ControlError(404, 'The control interface is off.')
  const host = requireHost(request, access.allowed, 'control the sandbox')
  if (isOtherOrigin(request, host) && !isOfAllowedOrigin(request, access.allowed))
    throw new ControlError(403, `A page of another origin may not control the sandbox. ${PASTE}`)
  const token = request.header('authorization')?.replace(/^Bearer +/i, '')
  if (access.token !== undefined && !isSame(token ?? '', access.token))
    throw new ControlError(
      401,
      'The control token is missing or wrong. ' +
        'Send the one that the sandbox was given, or has printed, as Authorization: Bearer.',
    )
}

/** Compares in constant time, so that no caller finds a token by its beginning. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(token))
}

/**
 * The `Host` of a request. A page whose own name leads to this machine (DNS rebinding) has a name that is not allowed.
 *
 * @throws ControlError when it is not allowed
 */
export function requireHost(request: ServiceRequest, allowed: Allowed, what: string): string {
  const host = (request.header('host') ?? '').toLowerCase()
  const name = canonicalHost(host.replace(/:\d+$/, ''))
  if (name === undefined || !allowed.host(name))
    throw new ControlError(403, `The host "${host}" may not ${what}. Allow it with --allowed-host.`)
  return host
}

/** The origin that the caller used, which behind a mapped port or a proxy is not the server's own. */
export function originOf(request: ServiceRequest): string {
  const [scheme = ''] = (request.header('x-forwarded-proto') ?? '').split(',')
  return `${/^https$/i.test(scheme.trim()) ? 'https' : 'http'}://${request.header('host')?.toLowerCase()}`
}

/**
 * Whether a page of another origin sent the request. Without `Sec-Fetch-Site` the host of `Origin` decides; its scheme may
 * differ, because a proxy may speak TLS.
 */
function isOtherOrigin(request: ServiceRequest, host: string): boolean {
  const origin = request.header('origin')
  const site = request.header('sec-fetch-site')
  if (site !== null) return site === 'cross-site' || (origin !== null && site !== 'same-origin')
  return origin !== null && origin.toLowerCase().replace(/^https?:\/\//, '') !== host
}

/** Whether a page of an allowed origin sent the request. */
export function isOfAllowedOrigin(request: ServiceRequest, allowed: Allowed): boolean {
  const origin = request.header('origin')
  return origin !== null && allowed.origin(origin.toLowerCase())
}

/** Whether no page of another host sent the request. Creating a world requires only that, because a world only takes memory. */
export function isAllowedPage(request: ServiceRequest, allowed: Allowed): boolean {
  const origin = request.header('origin')
  if (origin === null) return request.header('sec-fetch-site') !== 'cross-site'
  return isOfAllowedOrigin(request, allowed) || (URL.canParse(origin) && allowed.host(new URL(origin).hostname))
}

/** Whether a page of another origin, which is not allowed, sent the request: its worlds evict no others. */
export const isGuest = (request: ServiceRequest, allowed: Allowed): boolean =>
  request.header('origin') !== null &&
  isOtherOrigin(request, request.header('host')?.toLowerCase() ?? '') &&
  !isOfAllowedOrigin(request, allowed)

/** Whether it is an origin, with `*` for any port. */
export function isOrigin(value: unknown): boolean {
  const text = typeof value === 'string' ? value.replace(/:\*$/, '') : ''
  return /^https?:[^*]+$/i.test(text) && URL.canParse(text) && new URL(text).origin === text.toLowerCase()
}

/** Whether an origin in lower case is one of these; `*` stands for any port, or none. */
export function originMatcher(allowed: readonly string[]): (origin: string) => boolean {
  const exact = new Set(allowed.map((each) => each.toLowerCase()))
  return (origin) => exact.has(origin) || exact.has(`${origin.replace(/:\d+$/, '')}:*`)
}

const PASTE = 'If you followed a link to the console, paste its address into the address bar of the browser instead.'

/** A host as URLs and `Host` headers write it; undefined if it is not a name or an address alone, such as one with a port. */
export function canonicalHost(host: string): string | undefined {
  const bracketed = /:.*:/.test(host) && !host.startsWith('[') ? `[${host}]` : host
  if (!/^(\[[\da-f:.]+\]|[^\s:/?#@%*[\]\\]+)$/i.test(bracketed) || !URL.canParse(`http://${bracketed}`))
    return undefined
  return new URL(`http://${bracketed}`).hostname
}
