import { createHash } from 'node:crypto'

/**
 * A page with its content security policy: only its own scripts and those of the site may run. Try it may reach a sandbox on the
 * reader's machine. Styles stay open, because Redoc writes them while it runs; the worker is Redoc's search.
 */
export function withPolicy(html: string): string {
  const hashes = [...html.matchAll(/<script(?![^>]* src=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, source = '']) => `'sha256-${createHash('sha256').update(source).digest('base64')}'`,
  )
  const policy = [
    // Not 'none', which Firefox applies to pages that are fetched in advance.
    "default-src 'self'",
    "object-src 'none'",
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    'worker-src blob:',
    "connect-src 'self' http://127.0.0.1:* http://localhost:*",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  // A browser looks for the charset in the first kilobyte.
  return html.replace('<meta charset="utf-8">', `$&\n  <meta http-equiv="Content-Security-Policy" content="${policy}">`)
}
