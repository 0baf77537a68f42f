import { expect, it, vi } from 'vitest'
import type { Depth } from '../../src/conformance/index.js'
import { detect, isAboutLimit } from './detection.js'
import { heldOutBroken, heldOutHonest } from './services/held-out.js'
import { brokenServices, honestServices, type Service } from './services/index.js'

vi.setConfig({ testTimeout: 3_600_000 })

/** The names of the services that fail, and how many did of each class. */
async function failing(services: readonly Service[], depth: Depth) {
  const names: string[] = []
  const classes = new Map<string, { failed: number; of: number }>()
  for (const service of services) {
    const { summary } = await detect(service, depth, isAboutLimit(service))
    const count = classes.get(service.class) ?? { failed: 0, of: 0 }
    classes.set(service.class, { failed: count.failed + Number(summary.fail > 0), of: count.of + 1 })
    if (summary.fail > 0) names.push(`${service.class}: ${service.name}`)
  }
  return { names, classes: Object.fromEntries(classes), share: names.length / services.length }
}

it.each(['quick', 'normal', 'thorough'] as const)('verify fails no honest service at the depth %s', async (depth) => {
  expect((await failing([...honestServices, ...heldOutHonest], depth)).names).toEqual([])
})

it.each([
  ['normal', 0.85],
  ['thorough', 0.9],
] as const)('verify at the depth %s fails at least %f of the broken services', async (depth, least) => {
  const shown = brokenServices.filter((each) => depth === 'thorough' || each.depth === undefined)
  const { classes, share } = await failing(shown, depth)
  console.table(classes)
  expect(share).toBeGreaterThanOrEqual(least)
})

it('verify fails most of the broken services that were written after it', async () => {
  const { classes, share } = await failing(heldOutBroken, 'thorough')
  console.table(classes)
  expect(share).toBeGreaterThanOrEqual(0.75)
})
