import { createHash } from 'node:crypto'

/**
 * Makes the page that Redoc built safe to open without a network: nothing remote is requested, and a
 * Content-Security-Policy enforces it.
 */
export function finishPage(html: string, theme: string): string {
  const offline = withRouterLinks(withoutRemoteLogo(html)).replace('<!--theme-->', () => `<style>${theme}</style>`)
  return offline.replace('<!--csp-->', () => policyFor(offline))
}

const EMPTY_IMAGE = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='

/** Redoc fetches its logo from a CDN; the theme writes its name instead. */
const withoutRemoteLogo = (html: string): string =>
  html.replaceAll(/https:\/\/cdn\.redoc\.ly\/redoc\/logo-[a-z-]+\.svg/g, EMPTY_IMAGE)

/** Redoc writes paths before its router is there and keeps them when it is; the router knows them as fragments. */
function withRouterLinks(html: string): string {
  const end = html.indexOf('<script type="module">')
  return html.slice(0, end).replaceAll('href="/', 'href="#/') + html.slice(end)
}

/**
 * Only the scripts that are in the page or beside it may run. Styles stay open because Redoc writes them while it runs,
 * the worker is the search.
 */
function policyFor(html: string): string {
  const hashes = [...html.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, source = '']) => `'sha256-${createHash('sha256').update(source).digest('base64')}'`,
  )
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    'worker-src blob:',
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return `<meta http-equiv="Content-Security-Policy" content="${policy}">`
}
