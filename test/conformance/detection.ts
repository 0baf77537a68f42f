import {
  type ConformanceOptions,
  checkConformance,
  type Depth,
  type Report,
} from '../../src/tools/conformance/index.js'
import { PATHS } from './services/driver.js'
import type { Service } from './services/index.js'
import { virtualTime } from './virtual-time.js'

/** Time after which somebody approves each run that waits, in ms. */
const APPROVED_AFTER = 10_000

/** The classes of services of which only the rate limit shows what is special about them. */
const ABOUT_LIMIT = [
  ...['held out', 'fresh', 'unseen', 'from the specification'],
  ...['limits', 'measure of the burst', 'limits of other plans', 'waits after a 429'],
  ...['message of a 429', 'other traffic', 'requests that are counted'],
]

/** Checks a service with everything that can be given, in time that passes only while somebody waits. */
export async function detect(service: Service, depth: Depth, more: Partial<ConformanceOptions> = {}): Promise<Report> {
  const clock = virtualTime()
  const { baseUrl, keys, playbooks, inputs, release, plan, approve, fetch } = service.create(clock)
  const began = clock.now()
  return checkConformance({
    ...{ baseUrl, inputs, plan, clock, depth, totalTimeout: 24 * 3_600_000 },
    ...{ apiKey: keys.valid, readOnlyKey: keys.readOnly, otherWorkspaceKey: keys.other, hobbyKey: keys.hobby },
    ...{ trigger: [playbooks.succeeds, playbooks.fails, playbooks.waits], serviceVersion: release },
    rateLimit: ABOUT_LIMIT.includes(service.class),
    ...more,
    fetch: async (url, init) => {
      const run = /\/runs\/([^/?]+)$/.exec(String(url))?.[1]
      if (run && clock.now() - began > APPROVED_AFTER) approve(decodeURIComponent(run))
      return fetch(url as string, init)
    },
  })
}

/** Ids of the register by outcome, without those about operations that these services do not have. */
export function entriesOf({ findings }: Report, outcome: string): string[] {
  const found = findings.filter((each) => each.outcome === outcome)
  const known = found.filter(({ operation }) => operation === undefined || operation in PATHS)
  return [...new Set(known.map(({ basis }) => basis))].sort()
}
