import { expect, it } from 'vitest'
import { FUNCTION, integer, optionProblems } from '../../src/internal/options.js'

const RULES = { run: FUNCTION, times: integer(1), share: integer(0, 9) }

it.each<[unknown, string[]]>([
  [{ run() {}, times: 1, share: 0 }, []],
  [{ share: 9, times: undefined }, []],
  [{ share: 10 }, ['share must be an integer from 0 to 9']],
  [{ share: -1 }, ['share must be an integer from 0 to 9']],
  [{ times: 0 }, ['times must be an integer >= 1']],
  [{ times: 2 ** 53 }, ['times must be an integer >= 1']],
  [{ times: '1', run: 'now' }, ['times must be an integer >= 1', 'run must be a function']],
  [{ time: 1 }, ['unknown option "time"; expected one of: run, times, share']],
  [{ toString: 1 }, ['unknown option "toString"; expected one of: run, times, share']],
  ...[null, [], new Date(), 'a'].map((options): [unknown, string[]] => [options, ['the options must be an object']]),
])('the problems of the options %o are %j', (options, problems) => {
  expect(optionProblems(options, RULES)).toEqual(problems)
})

it('an option of an option is named with it, and where others are set is said', () => {
  expect(optionProblems({ run: 1, time: 1 }, RULES, 'retry.', '; set time on the client')).toEqual([
    'retry.run must be a function',
    'unknown option "retry.time"; expected one of: run, times, share; set time on the client',
  ])
})
