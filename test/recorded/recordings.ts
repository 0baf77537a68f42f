import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { protocol } from '../../generated/operations.js'
import { listOf, VERSION } from '../support/fixtures.js'
import { repository } from '../support/project.js'

export const folder = join(repository, 'test/fixtures/recordings')

/** Where the service was when it was recorded. */
export const RECORDED_AT = `http://127.0.0.1:41819${protocol.versionSegment}`

export const RECORDINGS = [
  'devtools.har',
  'mitmproxy.har',
  'polly.har',
  'redocly-proxy.har',
  'playwright-attach/recording.har',
  'playwright-embed/recording.har',
  'playwright-omit/recording.har',
]

export const pathOf = (name: string): string => join(folder, name)

export const recordingOf = (name: string) => ({
  har: readFileSync(pathOf(name)),
  attachment: (body: string) => readFileSync(join(dirname(pathOf(name)), body)),
})

export interface Sent {
  path: string
  method?: string
  key?: string
  sent?: unknown
  status?: number
  body?: unknown
  /** In ms since the first one. */
  at?: number
  /** In the URL, the headers and the cookies. */
  query?: string
  headers?: Record<string, string>
  responseHeaders?: Record<string, string>
}

const list = (headers: Record<string, string>) => Object.entries(headers).map(([name, value]) => ({ name, value }))

/** A recording as a proxy writes it. */
export const archiveOf = (all: readonly Sent[], baseUrl = `https://api.example.com${VERSION}`) => ({
  log: {
    entries: all.map(
      ({ path, method = 'GET', key = 'key_of_the_test', sent, status = 200, body, at, ...more }, index) => ({
        startedDateTime: new Date(Date.UTC(2026, 10, 21) + (at ?? index * 1000)).toISOString(),
        time: 5,
        request: {
          method,
          url: `${baseUrl}${path}${more.query ?? ''}`,
          headers: list({ ...(key && { authorization: `Bearer ${key}` }), ...more.headers }),
          ...(sent !== undefined && { postData: { text: JSON.stringify(sent) } }),
        },
        response: {
          status,
          headers: list({ 'content-type': 'application/json', ...more.responseHeaders }),
          content: { text: typeof body === 'string' ? body : JSON.stringify(body) },
        },
      }),
    ),
  },
})

export const WORKSPACE = { id: 'ws_5RkP0d', name: 'Acme Operations' }

export const pageOf = (...data: object[]) => listOf(data, { total: data.length, page: 1, per_page: 20 })
