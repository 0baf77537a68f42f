import { describe, expect, it, vi } from 'vitest'
import { ALL, harmless, honest } from './honest-services.js'
import { ids, tryService } from './service.js'

vi.setConfig({ testTimeout: 60_000 })

describe('a service that conforms to everything stated', () => {
  it.each(honest)('verify passes a service where %s', async (_, change, trial = ALL) => {
    const report = await tryService(change, trial)
    expect(ids(report, 'fail')).toEqual([])
    expect(report.passed).toBe(true)
  })

  it.each(harmless)('verify exercises all that is stated of a service where %s', async (_, change, trial = ALL) => {
    const { before: _before, ...same } = trial
    const report = await tryService(change, trial)
    const missing = ids(await tryService(undefined, same), 'pass').filter((id) => !ids(report, 'pass').includes(id))
    expect({ missing, complete: report.complete }).toEqual({ missing: [], complete: true })
  })
})
