import { type ClientOptions, createClient } from '../../../../src/index.js'
import { fullBucket, take } from '../../../../src/internal/limits/token-bucket.js'
import type { Limit } from '../../../../src/shared/limit.js'
import { manualClock } from '../../../support/clock.js'
import { VERSION } from '../../../support/fixtures.js'
import { KEY, RUN } from '../../../support/server.js'

/** How long a request, and a response, is under way, in ms. */
export interface Ways {
  there(): number
  back(): number
}

/** A client on a clock of its own, and a service that keeps to a limit on the same clock. */
export function limitedService(limit: Limit, { there, back }: Ways, options: Partial<ClientOptions> = {}) {
  const time = manualClock()
  const { clock } = time
  const pass = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms))
  const bucket = fullBucket(limit, clock.now())
  const counts = { passed: 0, limited: 0, early: 0 }
  let waits: { known: number; until: number }[] = []
  const client = createClient({
    baseUrl: `http://localhost${VERSION}`,
    apiKey: KEY,
    plan: limit,
    clock,
    async fetch(_url, _init) {
      const sent = clock.now()
      if (waits.some(({ known, until }) => sent > known && sent < until)) counts.early++
      await pass(there())
      const at = clock.now()
      const wait = take(bucket, limit, at)
      const passes = wait === 0
      counts[passes ? 'passed' : 'limited']++
      const seconds = Math.max(1, Math.ceil(wait / 1_000))
      await pass(back())
      if (passes) return Response.json(RUN)
      const known = clock.now()
      waits = [...waits.filter(({ until }) => until > known), { known, until: known + seconds * 1_000 }]
      const body = { error: 'rate_limit_exceeded', message: 'Too many.', retry_after: seconds }
      return Response.json(body, { status: 429, headers: { 'retry-after': String(seconds) } })
    },
    ...options,
  })
  return { ...time, client, counts }
}
