import { expect, it } from 'vitest'
import { detect, failuresOf, isAboutLimit } from './detection.js'
import { brokenServices, honestServices, type Service } from './services/index.js'

/** The first service of each class. */
const firsts = (services: readonly Service[]): [name: string, service: Service][] => [
  ...new Map(services.toReversed().map((service) => [service.class, service])),
]

it.each(firsts(brokenServices.filter(({ depth }) => depth === undefined)))(
  'verify fails a service of the class "%s" that is broken',
  async (_, service) => {
    const report = await detect(service, 'normal', isAboutLimit(service))
    expect(failuresOf(report), service.name).not.toEqual([])
  },
)

it.each(firsts(honestServices))('verify passes a service of the class "%s" that is honest', async (_, service) => {
  const report = await detect(service, 'quick', isAboutLimit(service))
  expect(failuresOf(report)).toEqual([])
})
