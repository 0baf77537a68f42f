import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import { expect, it, onTestFinished } from 'vitest'
import { launch } from '../support/browser.js'
import { abortEverything } from './aborts.js'

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

it('the same in a browser', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "export * from './aborts.js'", resolveDir: import.meta.dirname },
    ...{ bundle: true, write: false, format: 'iife', globalName: 'aborts' },
  })
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<title>x</title>'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const browser = await launch()
  onTestFinished(async () => {
    await browser.close()
    server.close()
  })
  const page = await browser.newPage()
  const errors: unknown[] = []
  page.on('pageerror', (error) => errors.push(error))
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.addScriptTag({ content: outputFiles[0]!.text })
  expect(await page.evaluate('aborts.abortEverything()')).toBeGreaterThan(1_000)
  expect(errors).toEqual([])
})
