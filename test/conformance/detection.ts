import { checkConformance, type Depth, type Report } from '../../src/conformance/index.js'
import { PATHS } from './services/driver.js'
import type { Service } from './services/index.js'
import { virtualTime } from './virtual-time.js'

/** Time after which somebody approves each run that waits, in ms. */
const APPROVED_AFTER = 10_000

/** Checks a service with everything that can be given, in time that passes only while somebody waits. */
export async function detect(service: Service, depth: Depth, rateLimit = false): Promise<Report> {
  const clock = virtualTime()
  const { baseUrl, keys, playbooks, inputs, release, plan, approve, fetch } = service.create(clock)
  const began = clock.now()
  return checkConformance({
    ...{ baseUrl, inputs, plan, clock, depth, rateLimit, seed: 7, totalTimeout: 24 * 3_600_000 },
    ...{ apiKey: keys.valid, readOnlyKey: keys.readOnly, otherWorkspaceKey: keys.other, hobbyKey: keys.hobby },
    ...{ trigger: [playbooks.succeeds, playbooks.fails, playbooks.waits], serviceVersion: release },
    fetch: async (url, init) => {
      const run = /\/runs\/([^/?]+)$/.exec(String(url))?.[1]
      if (run && clock.now() - began > APPROVED_AFTER) approve(decodeURIComponent(run))
      return fetch(url as string, init)
    },
  })
}

/** What fails of the operations that these services have. */
export const failuresOf = ({ findings }: Report) =>
  findings.filter(({ outcome, operation }) => outcome === 'fail' && (operation === undefined || operation in PATHS))

/** Whether only the rate limit shows what is special about such services. */
export const isAboutLimit = ({ class: name }: Service): boolean =>
  /^(held out|limits|measure of the burst|limits of other plans|waits after a 429|message of a 429|other traffic)$/.test(
    name,
  )
