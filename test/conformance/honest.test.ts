import { describe, expect, it, vi } from 'vitest'
import type { Depth } from '../../src/conformance/index.js'
import { randomNumbers } from '../support/random.js'
import { detect, isAboutLimit } from './detection.js'
import { ALL, harmless, honest } from './honest-services.js'
import { ids, tryService } from './service.js'
import { heldOutHonest } from './services/held-out.js'
import { honestServices, type Service } from './services/index.js'

vi.setConfig({ testTimeout: 60_000 })

describe('a service that conforms to everything stated', () => {
  it.each(honest)('verify passes a service where %s', async (_, change, trial = ALL) => {
    const report = await tryService(change, trial)
    expect(ids(report, 'fail')).toEqual([])
    expect(report.passed).toBe(true)
  })

  it.each(harmless)('verify exercises all that is stated of a service where %s', async (_, change, trial = ALL) => {
    const { before: _before, ...same } = trial
    const report = await tryService(change, trial)
    const missing = ids(await tryService(undefined, same), 'pass').filter((id) => !ids(report, 'pass').includes(id))
    expect({ missing, complete: report.complete }).toEqual({ missing: [], complete: true })
  })
})

/** Which depth each service is checked at; every one at all of them takes a quarter of an hour, in `npm run test:detection`. */
const SEED = Number(process.env.SEED ?? 17)

describe('a service written from the specification alone', () => {
  const random = randomNumbers(SEED)
  const depthOf = (at: number): Depth => (at < 0.03 ? 'thorough' : at < 0.3 ? 'normal' : 'quick')
  const all = [...honestServices, ...heldOutHonest].map((service): [Service, Depth] => [service, depthOf(random())])
  const classes = [...new Set(all.map(([service]) => service.class))]

  it.each(classes)('verify fails none of the class "%s"', async (name) => {
    const failed: string[] = []
    for (const [service, depth] of all.filter(([service]) => service.class === name)) {
      const found = ids(await detect(service, depth, isAboutLimit(service)), 'fail')
      if (found.length > 0) failed.push(`${service.name}, ${depth}: ${found}`)
    }
    expect(failed).toEqual([])
  })
})
