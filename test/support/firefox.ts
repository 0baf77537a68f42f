import { existsSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import { launch } from 'puppeteer-core'
import { onTestFinished } from 'vitest'

/** Firefox of Debian's package `firefox-esr`, or of another one. */
export const firefox = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => existsSync(path))

/**
 * What `program.run()` resolves to in a page in Firefox, which is driven by WebDriver BiDi. A service on loopback gets all
 * requests but that of the page.
 */
export async function runInFirefox(program: string, service: RequestListener): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: import.meta.dirname, loader: 'ts' },
    ...{ bundle: true, write: false, format: 'iife', globalName: 'program', platform: 'browser' },
  })
  const server = createServer((request, response) => {
    if (request.url === '/') response.setHeader('content-type', 'text/html').end('<title>x</title>')
    else service(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const browser = await launch({ browser: 'firefox', executablePath: firefox ?? '', headless: true })
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.evaluate(outputFiles[0]!.text)
  return page.evaluate('program.run()')
}
