import { expect, it } from 'vitest'
import { After500 } from '../../../src/tools/conformance/judge/after-500.js'
import { exchange } from './exchange.js'

type Response = [inputs: string, status: number]

/** Triggers with these inputs got these statuses, one after the other. */
const seen = (...responses: Response[]): boolean => {
  const after500 = new After500()
  for (const [inputs, status] of responses) {
    const response = exchange('triggerRun', status, {})
    after500.add({ ...response, request: { ...response.request, body: JSON.stringify({ inputs }) } })
  }
  return after500.results().length > 0
}

const ACCEPTED: Response = ['other', 201]

it('a service fails when the triggers that got 500 get 409 from there on, and only these', () => {
  expect(seen(['a', 500], ['a', 409], ACCEPTED, ['b', 500], ['b', 409])).toBe(true)
})

it.each<[string, Response[]]>([
  ['one trigger got it, because another run may be in the way', [['a', 500], ['a', 409], ACCEPTED]],
  ['others get it too', [['a', 500], ['a', 409], ACCEPTED, ['b', 500], ['b', 409], ['c', 409]]],
  ['nothing was accepted since', [ACCEPTED, ['a', 500], ['a', 409], ['b', 500], ['b', 409]]],
  [
    'the repetitions are accepted',
    [
      ['a', 500],
      ['a', 201],
      ['b', 500],
      ['b', 201],
    ],
  ],
])('a 409 after a 500 shows nothing when %s', (_, responses) => {
  expect(seen(...responses)).toBe(false)
})
