import { join } from 'node:path'
import { checkTraffic, type TrafficOptions } from '../../../src/tools/conformance/index.js'
import { VERSION } from '../../support/fixtures.js'
import { repository } from '../../support/project.js'

export const folder = join(repository, 'test/fixtures/recordings')

/** Where the service was when it was recorded. */
export const RECORDED_AT = `http://127.0.0.1:41819${VERSION}`

export const BASE_URL = `https://workflow-automation.example${VERSION}`

export const run = (changes: object = {}) => ({
  id: 'run_1',
  status: 'running',
  playbook_id: 'pb_1',
  started_at: '2026-11-21T09:00:00Z',
  steps: [],
  ...changes,
})

/** A request and its response, as a recorder sees them. */
export interface Sent {
  path?: string
  method?: string
  status?: number
  body?: unknown
  text?: string
  /** In seconds after the first one, and how long it took in ms. */
  at?: number
  time?: number
  key?: string
  headers?: Record<string, string>
  responseHeaders?: Record<string, string>
  sent?: string
  // biome-ignore lint/suspicious/noExplicitAny: a recorder may write anything
  entry?: any
}

export const named = (headers: Record<string, string>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))

export const entryOf = ({
  path = '/workspaces/me',
  method = 'GET',
  status = 200,
  body = {},
  at = 0,
  time = 10,
  ...more
}: Sent) => ({
  startedDateTime: new Date(Date.UTC(2026, 10, 21, 9) + at * 1000).toISOString(),
  time,
  request: {
    method,
    url: BASE_URL + path,
    headers: named({ ...(more.key && { Authorization: `Bearer ${more.key}` }), ...more.headers }),
    ...(more.sent !== undefined && { postData: { text: more.sent } }),
  },
  response: {
    status,
    headers: named({ 'content-type': 'application/json', ...more.responseHeaders }),
    content: { text: more.text ?? JSON.stringify(body) },
  },
  timings: { receive: 0 },
  ...more.entry,
})

/** The report on a recording of these. */
export const check = (sent: readonly Sent[], options: Partial<TrafficOptions> = {}) =>
  checkTraffic({ har: { log: { entries: sent.map(entryOf) } }, baseUrl: BASE_URL, ...options })
