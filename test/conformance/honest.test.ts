import { describe, expect, it } from 'vitest'
import { ALL, honest } from './honest-services.js'
import { ids, tryService } from './service.js'

describe('a service that conforms to everything stated', () => {
  it.each(honest)('verify passes a service where %s', async (_, change, trial = ALL) => {
    const report = await tryService(change, trial)
    expect(ids(report, 'fail')).toEqual([])
    expect(report.passed).toBe(true)
  })
})
