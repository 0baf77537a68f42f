import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { both, failing, isApart, together } from './combined.js'
import { ALL, honest } from './honest-services.js'
import { ids, tryService } from './service.js'

/** How many combinations of each kind are tried; ATTACK=2000 tries more of them. */
const RUNS = Number(process.env.ATTACK ?? 20)
const SEED = Number(process.env.SEED ?? 17)

const service = fc.constantFrom(...honest.filter(isApart))

describe('two variations of a service at once', () => {
  it('verify passes a service with any two allowed variations', async () => {
    await fc.assert(
      fc.asyncProperty(service, service, async ([one, change, trial = ALL], [other, otherChange, otherTrial = ALL]) => {
        const report = await tryService(both(change, otherChange), together(trial, otherTrial))
        expect(ids(report, 'fail'), `${one} and ${other}`).toEqual([])
      }),
      { numRuns: RUNS, seed: SEED },
    )
  })

  it('verify fails a service with one violation and any allowed variation', async () => {
    await fc.assert(
      fc.asyncProperty(service, fc.constantFrom(...failing), async ([name, change, own = {}], mutant) => {
        const trial = together(own, mutant.trial ?? {})
        const report = await tryService(both(change, mutant.change), trial)
        expect(ids(report, 'fail').length, `${name} and ${mutant.name}`).toBeGreaterThan(0)
      }),
      { numRuns: RUNS, seed: SEED },
    )
  })
})
