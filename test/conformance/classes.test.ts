import { expect, it } from 'vitest'
import { detect, failuresOf, isAboutLimit } from './detection.js'
import { firsts, honestServices } from './services/index.js'

it.each(firsts(honestServices))('verify passes a service of the class "%s" that is honest', async (_, service) => {
  const report = await detect(service, 'quick', isAboutLimit(service))
  expect(failuresOf(report)).toEqual([])
})
