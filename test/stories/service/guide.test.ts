import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { load } from '../../service/guide.js'
import { VERSION } from '../../support/fixtures.js'
import { repository } from '../../support/project.js'

let folder: string
beforeAll(async () => {
  await mkdir(join(repository, 'test/.build'), { recursive: true })
  folder = await mkdtemp(join(repository, 'test/.build/guide-'))
})
afterAll(() => rm(folder, { recursive: true }))

const request = (path: string, headers: Record<string, string> = {}) =>
  new Request(`http://h${VERSION}${path}`, { headers: { authorization: 'Bearer key_demo', ...headers } })

it('a row of the guide is sent without its other columns', async () => {
  const { service } = await load('Rows of a database', folder)
  expect(await (await service.fetch(request('/workspaces/me'))).json()).toEqual({ id: 'ws_1', name: 'Acme' })
})

it('an error of the guide has its status, its request id and all problems', async () => {
  const { service } = await load('Errors of your own', folder)
  const missing = await service.fetch(request('/nothing', { 'x-request-id': 'id-1' }))
  expect(await missing.json()).toEqual({
    error: 'not_found',
    message: expect.any(String),
    status: 404,
    requestId: 'id-1',
  })
})

it('a server span of the guide has the route, and is a child of the caller that sent it', async () => {
  const spans = new InMemorySpanExporter()
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }))
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  onTestFinished(() => [trace, context, propagation].forEach((api) => void api.disable()))
  const { traced } = await load('OpenTelemetry', folder)
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const parent = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, 'x-request-id': 'id-1' }
  expect((await traced(request('/workspaces/me', parent))).status).toBe(200)
  await traced(request('/nothing/secret-id'))
  const [served, lost] = spans.getFinishedSpans()
  expect(served).toMatchObject({ name: `GET ${VERSION}/workspaces/me`, kind: SpanKind.SERVER })
  expect(served?.parentSpanContext?.traceId).toBe(traceId)
  expect(served?.attributes).toEqual({
    'http.request.method': 'GET',
    'http.route': `${VERSION}/workspaces/me`,
    'http.response.status_code': 200,
    'http.response.header.x-request-id': ['id-1'],
  })
  expect([lost?.name, lost?.status.code, lost?.attributes['http.response.status_code']]).toEqual([
    'GET',
    SpanStatusCode.UNSET,
    404,
  ])
  expect(JSON.stringify(spans.getFinishedSpans().map(({ name, attributes }) => [name, attributes]))).not.toMatch(
    /secret-id|key_demo/,
  )
})
