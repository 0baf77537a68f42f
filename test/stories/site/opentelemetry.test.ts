import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { context, propagation, SpanStatusCode, trace } from '@opentelemetry/api'
import { logs } from '@opentelemetry/api-logs'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { InMemoryLogRecordExporter, LoggerProvider, SimpleLogRecordProcessor } from '@opentelemetry/sdk-logs'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { repository } from '../../support/project.js'
import { guideSandbox, programFolder, runProgram } from './guide-programs.js'

const spans = new InMemorySpanExporter()
const records = new InMemoryLogRecordExporter()
const sandbox = guideSandbox()
const carriers: (string | null)[] = []
let folder: Awaited<ReturnType<typeof programFolder>>

beforeAll(async () => {
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }))
  logs.setGlobalLoggerProvider(
    new LoggerProvider({ processors: [new SimpleLogRecordProcessor({ exporter: records })] }),
  )
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  folder = await programFolder()

  const guide = readFileSync(join(repository, 'docs/guides/recipes.md'), 'utf8')
  const block = (name: string) => guide.split(`\`\`\`ts name=${name}\n`)[1]?.split('```')[0] ?? ''
  // One module: the second block imports the first.
  const traced = block('traced').replace(/^import .* from '\.\/telemetry\.js'$/m, '')
  const program = { name: 'telemetry', source: `${block('telemetry')}\n${traced}\nawait refund('42')\n` }
  sandbox.inject({ operation: 'triggerRun', status: 500 })
  sandbox.inject({ operation: 'getRun', status: 429, retryAfter: 2 })
  const fetch: typeof sandbox.fetch = (input, init) => {
    carriers.push(new Headers(init?.headers).get('traceparent'))
    return sandbox.fetch(input, init)
  }
  await runProgram(folder.path, program, { ...sandbox, fetch })
})
afterAll(async () => {
  for (const api of [trace, logs, context, propagation]) api.disable()
  await folder.remove()
})

const spanOf = (name: string) => spans.getFinishedSpans().find((span) => span.name === name)!
const childrenOf = (name: string) =>
  spans.getFinishedSpans().filter((span) => span.parentSpanContext?.spanId === spanOf(name).spanContext().spanId)

test("each attempt is a span with the attributes of the semantic conventions, a child of the caller's span", () => {
  const attempts = childrenOf('refund an order').map(({ name, attributes, status }) => ({ name, attributes, status }))
  const run = { 'http.request.method': 'GET', 'url.template': '/runs/{id}' }
  const trigger = { 'http.request.method': 'POST', 'url.template': '/playbooks/{id}/runs' }
  const unset = { code: SpanStatusCode.UNSET }
  const error = { code: SpanStatusCode.ERROR }
  const failed = (status: number) => ({ 'http.response.status_code': status, 'error.type': String(status) })
  const triggering = 'POST /playbooks/{id}/runs'
  const polling = 'GET /runs/{id}'
  const passed = { 'http.response.status_code': 200 }
  expect(attempts).toEqual([
    { name: triggering, attributes: { ...trigger, ...failed(500) }, status: error },
    {
      name: triggering,
      attributes: { ...trigger, 'http.request.resend_count': 1, 'http.response.status_code': 201 },
      status: unset,
    },
    { name: polling, attributes: { ...run, ...failed(429) }, status: error },
    { name: polling, attributes: { ...run, 'http.request.resend_count': 1, ...passed }, status: unset },
    { name: polling, attributes: { ...run, ...passed }, status: unset },
  ])
  expect(spanOf('refund an order').attributes).toEqual({ 'run.status': 'succeeded' })
})

test('each retry and each wait is a log record of the same trace', () => {
  const { traceId } = spanOf('refund an order').spanContext()
  const seen = records.getFinishedLogRecords()
  expect(seen.map(({ severityText, body }) => [severityText, String(body).replace(/ in .*| for .*/, '')])).toEqual([
    ['WARN', 'POST /playbooks/{id}/runs is sent again'],
    ['WARN', 'GET /runs/{id} is sent again'],
    ['INFO', 'GET /runs/{id} waits'],
  ])
  expect(seen.map(({ spanContext }) => spanContext?.traceId)).toEqual([traceId, traceId, traceId])
})

test('the fetch of the guide propagates the trace', () => {
  const { traceId, spanId } = spanOf('refund an order').spanContext()
  expect(new Set(carriers)).toEqual(new Set([`00-${traceId}-${spanId}-01`]))
})

test('no span and no record contains the key', () => {
  const exported = [
    ...spans.getFinishedSpans().map(({ name, attributes, events }) => ({ name, attributes, events })),
    ...records.getFinishedLogRecords().map(({ body, attributes }) => ({ body, attributes })),
  ]
  expect(exported.length).toBeGreaterThan(0)
  expect(JSON.stringify(exported)).not.toContain('wk_example')
})
