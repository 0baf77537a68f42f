import { describe, expect, it } from 'vitest'
import { similarKeys } from '../../src/tools/conformance/live/cases/wrong-keys.js'
import { createPlan } from '../../src/tools/conformance/live/plan.js'
import { settingsOf } from '../../src/tools/conformance/options.js'
import { VERSION } from '../support/fixtures.js'

const EVERYTHING = {
  ...{ baseUrl: `https://service.test${VERSION}`, apiKey: 'wfk_09af5e27c1d84b36', readOnlyKey: 'wfk_reader' },
  ...{ otherWorkspaceKey: 'wfk_other', hobbyKey: 'wfk_hobby', trigger: ['pb_1', 'pb_2'], seed: 7 },
}

const namesOf = (options: Partial<Parameters<typeof settingsOf>[0]>): string[] =>
  createPlan(settingsOf({ ...EVERYTHING, ...options })).steps.map(({ phase, relation, variation, subject }) =>
    [phase, relation, variation, subject].join(', '),
  )

describe('the plan of a check', () => {
  it('the plan of a check gives no two steps the same name, because the seed chooses by it', () => {
    const names = namesOf({ depth: 'thorough', run: 'run_1', rateLimit: true })
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it.each([7, 31, 2_026])(
    'the plan of a check with the seed %i makes the same choices when a request is left out',
    (seed) => {
      const named = 'before runs, reading, , the run that was named'
      const all = namesOf({ seed, run: 'run_1' })
      expect(all).toContain(named)
      const fewer = namesOf({ seed })
      expect(all.filter((name) => name !== named && !fewer.includes(name))).toEqual([])
    },
  )

  it('the plan of a check with another seed chooses other variations', () => {
    expect(namesOf({ seed: 31 })).not.toEqual(namesOf({ seed: 7 }))
  })
})

it.each(['quick', 'normal', 'thorough'] as const)(
  'at the depth %s each relation is tried as the plainest request',
  (depth) => {
    const names = namesOf({ depth })
    expect(names).toEqual(
      expect.arrayContaining([
        ...['getCurrentWorkspace', 'listPlaybooks', 'listProviders'].flatMap((operation) => [
          `plain requests, reading, , ${operation}`,
          `before runs, workspaces, , ${operation}`,
          `while running, credentials, without a key, ${operation}`,
          `while running, credentials, with a wrong key, ${operation}`,
          `after runs, permission, , ${operation} with the key that may only read`,
          `after runs, a plan without API access, , ${operation}`,
        ]),
        'while running, permission, with a key that may only read, triggerRun',
        'while running, permission, , getRun with the key that may only read',
        'while running, workspaces, , triggerRun of pb_1',
        'while running, workspaces, , triggerRun of pb_2',
        'wrong requests, ids, with an id that does not exist, getRun',
        'wrong requests, ids, with an id that does not exist, triggerRun',
        'wrong requests, bodies, with a body that is not JSON, triggerRun',
      ]),
    )
  },
)

it.each([
  ['wfk_09af5e27c1d84b36', 'wfk_10ba6f38d2e95c47'],
  ['KEY-09AFZz', 'KEY-10BGAa'],
])('a key of the same form as %s is %s', (key, other) => {
  expect(similarKeys(key).sameForm).toBe(other)
})
