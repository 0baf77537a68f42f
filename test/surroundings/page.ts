import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import { onTestFinished } from 'vitest'
import { launch } from '../support/browser.js'

/**
 * A page of a service on loopback in Chromium, with a program as the global `program`. The service gets all requests but that
 * of the page; both are closed after the test.
 */
export async function pageWith(program: string, service: RequestListener) {
  const server = createServer((request, response) => {
    if (request.url === '/') response.setHeader('content-type', 'text/html').end('<title>x</title>')
    else service(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const browser = await launch()
  onTestFinished(async () => {
    await browser.close()
    server.close()
  })
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: import.meta.dirname, loader: 'ts' },
    ...{ bundle: true, write: false, format: 'iife', globalName: 'program', platform: 'browser' },
  })
  const page = await browser.newPage()
  const errors: unknown[] = []
  page.on('pageerror', (error) => errors.push(error))
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.addScriptTag({ content: outputFiles[0]!.text })
  return { page, errors, script: outputFiles[0]!.text }
}
