import { afterEach, beforeEach, vi } from 'vitest'
import { type ClientOptions, createClient } from '../../src/index.js'
import { createTestClock } from '../../src/tools/testing/clock.js'
import { VERSION } from './fixtures.js'
import { KEY } from './server.js'

/** A request as a stubbed service sees it. */
export interface Sent {
  url: string
  init: RequestInit
  /** When it was sent, in ms since the client was made. */
  at: number
}

/** The time of day at which it begins, in ms since 1970. */
export const START = Date.parse('2026-11-21T08:00:00Z')

/** A client on a clock that jumps to its next timer while every call waits. `respond` gets the number of the request, from 0. */
export function inVirtualTime(
  respond: (index: number, request: Sent) => Response | Promise<Response>,
  options: Partial<ClientOptions> = {},
) {
  const clock = createTestClock(START)
  const now = () => clock.now() - START
  const sent: Sent[] = []
  const client = createClient({
    baseUrl: `http://localhost${VERSION}`,
    apiKey: KEY,
    clock,
    async fetch(url, init) {
      const request = { url: `${url}`, init, at: now() }
      return respond(sent.push(request) - 1, request)
    },
    ...options,
  })
  const pass = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms))
  return { client, sent, now, clock, pass }
}

/** Takes the random part off every wait, in all tests of a file. */
export function withoutJitter(): void {
  beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
  afterEach(() => void vi.restoreAllMocks())
}
