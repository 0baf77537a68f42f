import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fullBucket, type Limit, take } from '../src/internal/token-bucket.js'

/** A rate-limited server that counts the requests of its clients. */
export interface LimitedServer {
  baseUrl: string
  /** Accepted requests. */
  passed: number
  /** Requests that got a 429. */
  limited: number
  /** Those of them after the end of the first wait: an adaptive client has none. */
  limitedAgain: number
  /** Requests that were sent through `fetch` before the end of a wait that their client knew. */
  early: number
  /** Sends a request by another `fetch`, the global one by default. */
  fetch(url: string | URL | Request, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

/** Starts a server. Its time is scaled by its limit; `Retry-After` is still in whole seconds. `send` brings requests to it. */
export async function listenLimited(limit: Limit, send = fetch): Promise<LimitedServer> {
  const bucket = fullBucket(limit, performance.now())
  let firstWaitEnds = Infinity
  let knownWaitEnds = 0
  const server = createServer((request, response) => {
    const at = performance.now()
    request.resume()
    const wait = take(bucket, limit, at)
    if (wait === 0) {
      state.passed++
      const id = request.url?.split('/').at(-1)
      const run = { id, status: 'running', playbook_id: 'pb_1', started_at: '2026-11-21T08:00:00Z', steps: [] }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(run))
      return
    }
    const seconds = Math.ceil(wait / 1_000)
    state.limited++
    if (at > firstWaitEnds) state.limitedAgain++
    firstWaitEnds = Math.min(firstWaitEnds, at + seconds * 1_000)
    const message = `The limit of ${limit.requestsPerMinute} requests per minute is exceeded.`
    response
      .writeHead(429, { 'content-type': 'application/json', 'retry-after': String(seconds) })
      .end(JSON.stringify({ error: 'rate_limit_exceeded', message, retry_after: seconds }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const state: LimitedServer = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    passed: 0,
    limited: 0,
    limitedAgain: 0,
    early: 0,
    async fetch(url, init) {
      if (performance.now() < knownWaitEnds) state.early++
      const response = await send(url, init)
      if (response.status !== 429) return response
      const text = await response.text()
      const wait = Number(response.headers.get('retry-after')) * 1_000
      knownWaitEnds = Math.max(knownWaitEnds, performance.now() + wait)
      return new Response(text, response)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return state
}
