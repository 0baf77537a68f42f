import getPort from 'get-port'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Mock, startMock } from '../../../scripts/mock.js'
import { checkConformance } from '../../../src/tools/conformance/index.js'
import { fakeClock, ids } from '../../conformance/service.js'
import { repository } from '../../support/project.js'

let mock: Mock
beforeAll(async () => {
  mock = await startMock(repository, await getPort({ host: '127.0.0.1' }))
})
afterAll(() => mock.close())

it('verify fails no entry that a stateless mock satisfies, and reports what it cannot satisfy', async () => {
  const report = await checkConformance({
    baseUrl: mock.url,
    apiKey: 'any-key',
    run: 'run_8Zt4Lm2c',
    trigger: 'pb_3kX9wq',
    clock: fakeClock(),
  })
  expect(ids(report, 'fail')).toEqual(['S22', 'S24'])
  expect(ids(report, 'contradicted')).toEqual(['A15', 'A34', 'A37', 'A46', 'A61', 'A64'])
  expect(report.remarks.filter((remark) => !remark.startsWith('Left out'))).toEqual([
    'The service accepted triggers that it must refuse, which may have started runs. What could start more than were announced was left out.',
    'The responses depend neither on keys, nor on ids, nor on the page: this looks like a mock without state, which cannot satisfy S22, S24, A15.',
  ])
})
