import { expect, expectTypeOf, it } from 'vitest'
import { workspace } from '../../generated/examples.js'
import {
  assertRequest,
  assertResponse,
  MismatchError,
  parametersOf,
  validateResponse,
} from '../../src/validators/index.js'
import { listOf } from '../support/fixtures.js'

it('assertRequest and assertResponse accept a valid request and a valid response', () => {
  assertRequest('triggerRun', { path: { id: 'pb_1' }, body: { inputs: { order: '42' } } })
  assertResponse('getCurrentWorkspace', { status: 200, body: workspace })
})

it('assertRequest throws an error that names every problem', () => {
  const wrong = () => assertRequest('listPlaybooks', { query: { page: 'first', per_page: 'many' } })
  expect(wrong).toThrow(MismatchError)
  expect(wrong).toThrow(/^The request of listPlaybooks does not match the contract: .*"page".*; .*"per_page"/)
})

it('assertResponse refuses a status that the contract does not have', () => {
  expect(() => assertResponse('getRun', { status: 418 })).toThrow(
    expect.objectContaining({
      name: 'MismatchError',
      message: expect.stringMatching(/^The response of getRun does not match the contract: the status 418 /),
      problems: [expect.objectContaining({ in: 'status', name: '418' })],
    }),
  )
})

it('parametersOf has the types of the contract, and adds nothing', () => {
  const { page, per_page } = parametersOf('listPlaybooks', { query: new URLSearchParams('page=2') }).query
  expectTypeOf([page, per_page]).toEqualTypeOf<(number | undefined)[]>()
  expect([page, per_page]).toEqual([2, undefined])
  expectTypeOf(parametersOf('getRun', { path: { id: 'run_1' } }).path.id).toEqualTypeOf<string>()
})

it('150,000 items that are wrong are found in linear time', () => {
  const body = listOf(
    Array.from({ length: 150_000 }, () => ({ id: 1 })),
    { total: 1, page: 1, per_page: 20 },
  )
  const problems = validateResponse('listPlaybooks', { status: 200, headers: {}, body })
  expect(problems.length).toBeGreaterThanOrEqual(150_000)
})
