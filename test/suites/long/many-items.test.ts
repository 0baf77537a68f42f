import { expect, it } from 'vitest'
import { judge } from '../../../src/tools/conformance/judge/judge.js'
import { traversalResults } from '../../../src/tools/conformance/judge/lists.js'
import { exchange } from '../../conformance/judge/exchange.js'
import { ids, success, tryService } from '../../conformance/service.js'
import { check, run } from '../../conformance/traffic/recording.js'
import { listOf } from '../../support/fixtures.js'

/** So many that what takes time with the square of their number does not end in the time that a test has. */
const MANY = 20_000

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
const items = (kind: string, count = MANY) => numbers(count).map((number) => ({ id: `${kind}_${number}`, name: 'One' }))
const steps = numbers(MANY).map((number) => ({
  id: `st_${number}`,
  status: 'succeeded',
  capability: `mail_${number}.send`,
}))

it('a recording of a run with very many steps and of very long lists is checked', async () => {
  const report = await check([
    { path: '/runs/run_1', body: run({ steps }), at: 1 },
    { path: '/runs/run_1', body: run({ status: 'succeeded', steps }), at: 2 },
    { path: '/playbooks', body: listOf(items('pb')), at: 3 },
    { path: '/providers', body: listOf(items('mail')), at: 4 },
  ])
  expect(ids(report, 'fail')).toEqual([])
  expect(ids(report, 'pass')).toEqual(expect.arrayContaining(['S10', 'S17', 'S20']))
  expect(ids(report, 'confirmed')).toContain('A04')
})

it('a run with very many steps is followed to its end', async () => {
  const report = await tryService(
    success(/^\/runs\/|\/runs$/, (it) => {
      it.body.steps = steps.slice(0, MANY / 8)
    }),
    { trigger: 'succeeds', options: { depth: 'quick' } },
  )
  expect(ids(report, 'fail')).toEqual([])
  expect(ids(report, 'pass')).toEqual(expect.arrayContaining(['S10', 'S21']))
})

it('the pages of a list with very many items are compared with it', () => {
  const data = items('pb', 10 * MANY)
  const list = (part: typeof data, page: number, per_page: number) =>
    exchange('listPlaybooks', 200, listOf(part, { total: data.length, page, per_page }))
  const size = data.length / 2
  const pages = [1, 2].map((number) => {
    const part = data.slice((number - 1) * size, number * size)
    return { number, size, exchange: judge(list(part, number, size)) }
  })
  const [before, after] = [1, 2].map(() => list(data, 1, data.length).body)
  expect(traversalResults(before, pages, after)).toMatchObject([
    { basis: 'S17', outcome: 'passed' },
    { outcome: 'passed', message: 'the items of listPlaybooks have the same order each time' },
  ])
})
