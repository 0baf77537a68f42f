import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fullBucket, take } from '../src/internal/limits/token-bucket.js'
import type { Limit } from '../src/shared/limit.js'

/** A rate-limited server that counts the requests of its clients, for fleet.ts. */
export interface LimitedServer {
  baseUrl: string
  /** Accepted requests. */
  passed: number
  /** Requests that got a 429. */
  limited: number
  close(): Promise<void>
}

/** Starts a server. Its time is scaled by its limit; `Retry-After` is still in whole seconds. */
export async function listenLimited(limit: Limit): Promise<LimitedServer> {
  const bucket = fullBucket(limit, performance.now())
  const server = createServer((request, response) => {
    request.resume()
    const wait = take(bucket, limit, performance.now())
    if (wait === 0) {
      state.passed++
      const id = request.url?.split('/').at(-1)
      const run = { id, status: 'running', playbook_id: 'pb_1', started_at: '2026-11-21T08:00:00Z', steps: [] }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(run))
      return
    }
    const seconds = Math.ceil(wait / 1_000)
    state.limited++
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
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return state
}
