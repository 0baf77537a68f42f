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
