import { expect, it } from 'vitest'
import { detect, failuresOf, isAboutLimit } from './detection.js'
import { brokenServices, firsts } from './services/index.js'

it.each(firsts(brokenServices.filter(({ depth }) => depth === undefined)))(
  'verify fails a service of the class "%s" that is broken',
  async (_, service) => {
    const report = await detect(service, 'thorough', isAboutLimit(service))
    expect(failuresOf(report), service.name).not.toEqual([])
  },
)

/** All of them are tried, and counted by class, in `npm run test:detection`. */
it('verify at the depth normal fails at least four fifths of every seventh broken service', async () => {
  const some = brokenServices.filter((_, index) => index % 7 === 0)
  const missed: string[] = []
  for (const service of some) {
    const report = await detect(service, 'normal', isAboutLimit(service))
    if (failuresOf(report).length === 0) missed.push(`${service.class}: ${service.name}`)
  }
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(some.length / 5)
})
