import { describe, expect, it } from 'vitest'
import { ALL, honest } from './honest-services.js'
import { ids, tryService } from './service.js'

describe('verify fails no service that keeps to everything stated', () => {
  it.each(honest)('%s', async (_, change, trial = ALL) => {
    const report = await tryService(change, trial)
    expect(ids(report, 'fail')).toEqual([])
    expect(report.passed).toBe(true)
  })
})
