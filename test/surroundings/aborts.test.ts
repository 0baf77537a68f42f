import { expect, it, onTestFinished } from 'vitest'
import { abortEverything } from './aborts.js'
import { pageWith } from './page.js'

it('a call of any kind that is aborted after any number of microtasks leaves no rejection unhandled, in Node', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => void unhandled.push(reason)
  const others = process.rawListeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', note)
  onTestFinished(() => {
    process.off('unhandledRejection', note)
    for (const other of others) process.on('unhandledRejection', other as () => void)
  })
  expect(await abortEverything()).toBeGreaterThan(1_000)
  expect(unhandled).toEqual([])
})

it('a call of any kind that is aborted after any number of microtasks leaves no rejection unhandled, in a browser', async () => {
  const { page, errors } = await pageWith("export * from './aborts.js'", () => {})
  expect(await page.evaluate('program.abortEverything()')).toBeGreaterThan(1_000)
  expect(errors).toEqual([])
})
