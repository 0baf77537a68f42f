import type { IncomingHttpHeaders } from 'node:http'
import { expect, it } from 'vitest'
import { KEY, RUN } from '../support/server.js'
import { pageWith } from './page.js'

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
  const { page } = await pageWith(PROGRAM, ({ headers }, response) => {
    seen.push(headers)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(RUN))
  })
  expect(await page.evaluate('program.run()')).toEqual(['run_1', 'run_1'])
  expect(seen).toHaveLength(2)
  for (const headers of seen)
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, traceparent: expect.stringMatching(/^00-/) })
})
