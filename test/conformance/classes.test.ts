import { expect, it } from 'vitest'
import { detect, isAboutLimit } from './detection.js'
import { brokenServices, honestServices, type Service } from './services/index.js'

/** The first service of each class. */
const firsts = (services: readonly Service[]): [name: string, service: Service][] => [
  ...new Map(services.toReversed().map((service) => [service.class, service])),
]

it.each(firsts(brokenServices.filter(({ depth }) => depth === undefined)))(
  'verify fails a service of the class "%s" that is broken',
  async (_, service) => {
    const { summary } = await detect(service, 'normal', isAboutLimit(service))
    expect(summary.fail, service.name).toBeGreaterThan(0)
  },
)

it.each(firsts(honestServices))('verify passes a service of the class "%s" that is honest', async (_, service) => {
  const report = await detect(service, 'quick', isAboutLimit(service))
  expect(report.findings.filter(({ outcome }) => outcome === 'fail')).toEqual([])
})
