import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import { expect, it, onTestFinished } from 'vitest'
import { launch } from '../support/browser.js'
import { KEY, RUN } from '../support/server.js'

const PROGRAM = `
import { FetchInstrumentation } from '@opentelemetry/instrumentation-fetch'
import { WebTracerProvider } from '@opentelemetry/sdk-trace-web'
import { createClient } from '../../src/index.js'

export async function run() {
  new WebTracerProvider().register()
  new FetchInstrumentation().enable()
  const client = createClient({ baseUrl: location.origin + '/v1', apiKey: '${KEY}' })
  const run = await client.triggerRun('pb_1', { inputs: {} })
  const { data } = await client.GET('/runs/{id}', { params: { path: { id: run.id } } })
  return [run.id, data.id]
}
`

it('calls pass through the instrumentation of OpenTelemetry for browsers, which assigns init.headers', async () => {
  const seen: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    if (request.url === '/') return response.setHeader('content-type', 'text/html').end('<title>x</title>')
    seen.push(request.headers)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(RUN))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const browser = await launch()
  onTestFinished(async () => {
    await browser.close()
    server.close()
  })
  const { outputFiles } = await build({
    stdin: { contents: PROGRAM, resolveDir: import.meta.dirname },
    ...{ bundle: true, write: false, format: 'iife', globalName: 'traced', platform: 'browser' },
  })
  const page = await browser.newPage()
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.addScriptTag({ content: outputFiles[0]!.text })
  expect(await page.evaluate('traced.run()')).toEqual(['run_1', 'run_1'])
  expect(seen).toHaveLength(2)
  for (const headers of seen)
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, traceparent: expect.stringMatching(/^00-/) })
})
