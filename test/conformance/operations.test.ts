import { describe, expect, it } from 'vitest'
import { type OperationId, operations } from '../../generated/contract.js'
import { operationIds } from '../../src/internal/contract/operations.js'
import { type ConformanceOptions, checkConformance, type Report } from '../../src/tools/conformance/index.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { errorOf } from '../support/fixtures.js'
import { type Change, fakeClock, ids, refuse, tryService } from './service.js'
import { check } from './traffic/recording.js'

/** A service with these paths, and a 501 for all others. */
const withOnly =
  (paths: RegExp): Change =>
  (it) =>
    paths.test(it.path) ? undefined : refuse(it, 501, 'not_implemented')

const failures = (report: Report) =>
  report.findings.filter(({ outcome }) => outcome === 'fail').map(({ basis, message }) => [basis, message])

describe('a service that is implemented in part', () => {
  it('each operation that responds with 501 is one failure, which says that it is not implemented', async () => {
    const report = await tryService(withOnly(/^\/(providers|workspaces)/), {
      trigger: 'succeeds',
      options: { depth: 'normal', run: 'run_8Zt4Lm2c' },
    })
    expect(report.passed).toBe(false)
    const found = failures(report)
    expect(found).toEqual(
      expect.arrayContaining([
        ['S17', 'listPlaybooks is not implemented: it gets 501'],
        ['S18', 'triggerRun is not implemented: it gets 501'],
        ['S19', 'getRun is not implemented: it gets 501'],
      ]),
    )
    const named = found.map(([, message]) => /^(\w+) is not implemented: it gets 501$/.exec(message ?? '')?.[1])
    expect(new Set(named).size).toBe(found.length)
    const there = operationIds.filter((id) => /^\/(providers|workspaces)/.test(operations[id].path))
    expect(named.filter((id) => id === undefined || there.includes(id as OperationId))).toEqual([])
  })

  it('a recorded 501 is one failure', async () => {
    const error = errorOf({ error: 'not_implemented', message: 'Not yet.' })
    const report = await check([{ path: '/providers', status: 501, body: error, key: 'key_1' }])
    expect(failures(report)).toEqual([['S20', 'listProviders is not implemented: it gets 501']])
  })

  it.each([
    ['listProviders', /^\/providers/, {}],
    ['getCurrentWorkspace', /^\/workspaces/, {}],
    ['getRun', /^\/runs/, { run: 'run_8Zt4Lm2c' }],
    ['triggerRun', /^\/playbooks\/.+\/runs/, {}],
  ] as const)(
    'with operations: [%j] only that is called, and nothing else fails',
    async (operation, paths, options) => {
      const called = new Set<string>()
      const change: Change = (it, sandbox) => {
        // Something may follow the path, as in /providers.json.
        called.add(it.path.split(/[/.;]/)[1] ?? '')
        return withOnly(paths)(it, sandbox)
      }
      const report = await tryService(change, { trigger: 'succeeds', options: { ...options, operations: [operation] } })
      expect(failures(report)).toEqual([])
      expect(report.passed).toBe(true)
      expect([...called]).toHaveLength(1)
      expect(report.findings.find(({ basis }) => basis === 'S17')).toMatchObject({
        outcome: 'not-exercised',
        message: expect.stringMatching(/^Not checked: listPlaybooks/),
      })
      expect(ids(report, 'pass').length).toBeGreaterThan(1)
    },
  )

  it('a fault of an operation that is named still fails', async () => {
    const change: Change = (it) => {
      if (it.path === '/providers' && it.status === 401) it.status = 200
    }
    expect((await tryService(change, { options: { operations: ['listProviders'] } })).passed).toBe(false)
  })

  it('the rate limit is reached with an operation that is named', async () => {
    const report = await tryService(withOnly(/^\/providers/), {
      rateLimit: true,
      options: { operations: ['listProviders'] },
    })
    expect([failures(report), ids(report, 'pass')]).toEqual([[], expect.arrayContaining(['S27', 'S33'])])
  })

  it('an operation that the contract does not have is refused by name', async () => {
    const { baseUrl, keys, fetch } = createSandbox()
    const options = { baseUrl, apiKey: keys.valid, fetch, clock: fakeClock() }
    const operations = ['listProvider'] as unknown as ConformanceOptions['operations']
    await expect(checkConformance({ ...options, operations })).rejects.toThrow(/^operations must be .*'listProviders'/)
    await expect(checkConformance({ ...options, operations: [] })).rejects.toThrow(/^operations must be /)
  })
})
