import { describe, expect, it } from 'vitest'
import { entries } from '../../generated/conformance.js'
import { type BasisId, basis } from '../../generated/operations.js'
import { assumedMutants } from './mutants/assumed.js'
import { credentialMutants } from './mutants/credentials.js'
import { limitMutants } from './mutants/limits.js'
import { limit, limited, type Mutant, refuse } from './mutants/mutant.js'
import { responseMutants } from './mutants/responses.js'
import { runMutants } from './mutants/runs.js'
import { ids, tryService } from './service.js'

const mutants = [...responseMutants, ...credentialMutants, ...runMutants, ...limitMutants, ...assumedMutants]

/** The ids of entries may change with the contract. */
const binds = (id: string): boolean => entries[id as BasisId]?.binding === true

describe('a service that violates the contract', () => {
  it.each(mutants)(
    'verify reports a violated entry, and no other, of a service where $name',
    async ({ violates, change, trial }) => {
      const report = await tryService(change, trial)
      const failed = ids(report, 'fail')
      const fails = violates.filter(binds)
      expect(failed.filter((id) => !violates.includes(id))).toEqual([])
      if (fails.length > 0) expect(failed).not.toEqual([])
      const seen = [...failed, ...ids(report, 'contradicted')]
      expect(violates.filter((id) => !binds(id) && !seen.includes(id))).toEqual([])
      expect(report.passed).toBe(fails.length === 0)
    },
  )
})

it('takes a fault after a 429 or a 500 for no success', async () => {
  const statuses = [429, 503, 503, 503, 500, 503, 503]
  const report = await tryService((it) => {
    const status = it.path === '/playbooks' && it.status === 200 ? statuses.shift() : undefined
    if (status === 429) limit(it)
    else if (status) refuse(it, status)
  })
  expect(ids(report, 'pass')).not.toContain('S28')
  expect(ids(report, 'pass')).not.toContain('S33')
})

describe('a rate that is measured', () => {
  const trial = (requestsPerMinute: number) => ({
    rateLimit: true,
    sandbox: { plan: { requestsPerMinute, burst: 120 } },
  })
  const says60 = limited(({ body }) => Object.assign(body, { message: 'Over 60 requests per minute.' }))

  it.each([
    [6, undefined, 'not-exercised'],
    [20, undefined, 'not-exercised'],
    [6, 'pro', 'not-exercised'],
    [20, 'pro', 'fail'],
    [30, 'pro', 'fail'],
  ] as const)('of %i requests instead of 60, measured with the plan %s, is "%s"', async (rate, plan, outcome) => {
    const { findings } = await tryService(says60, { ...trial(rate), options: { plan } })
    expect(findings.find(({ basis }) => basis === 'S34')?.outcome).toBe(outcome)
  })

  it.each([90, 120, 200])('is not as stated when %i requests refill instead of 60', async (rate) => {
    const { findings } = await tryService(says60, trial(rate))
    const [found] = findings.filter(({ basis }) => basis === 'S34')
    expect(found?.outcome).toBe('not-exercised')
    const accepted = Number(/and (\d+) were; a window/.exec(found?.message ?? '')?.[1])
    expect(accepted).toBeGreaterThanOrEqual(Math.min(rate, 120))
  })

  it.each([
    [60, 120],
    [300, 600],
  ])('is as stated when %i requests refill', async (requestsPerMinute, burst) => {
    const report = await tryService(() => {}, { rateLimit: true, sandbox: { plan: { requestsPerMinute, burst } } })
    expect(ids(report, 'pass')).toContain('S34')
    expect(ids(report, 'confirmed')).toContain('A19')
  })
})

/** Why no service can be seen not to keep to an entry. */
const CANNOT_FAIL: Partial<Record<BasisId, string>> = {
  S02: 'It defines what a provider is.',
  S04: 'It is about the base URL that the user gives: the tests of the mock show it.',
  S13: 'How inputs are checked is not shown, so a refusal of strings and an acceptance of numbers may both be right.',
  S37: 'It is about contracts between people.',
  S38: 'It is advice to clients.',
  S39: 'It is about the base URL that the user gives: the tests of the mock show it.',
  S41: 'That something is not there cannot be seen.',
  O01: 'A service need not show the values that were observed.',
  O02: 'A service need not show the values that were observed.',
  A10: 'A client cannot reject an approval.',
  A23: 'What an exhausted run quota gets is not modelled.',
  A27: 'A service need not send more fields than the contract names.',
}

describe('the register', () => {
  const tried = new Map<string, Mutant>()
  for (const mutant of mutants) for (const id of mutant.violates) if (!tried.has(id)) tried.set(id, mutant)

  it.each(Object.keys(basis) as BasisId[])('a faulty service violates %s, or the entry cannot be violated', (id) => {
    expect([tried.get(id)?.name, CANNOT_FAIL[id]].filter((each) => each !== undefined)).toHaveLength(1)
  })
})
