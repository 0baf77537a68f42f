import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { isContractError, ResponseSizeError } from '../../src/index.js'
import { clientOf, RUN, rejection, serve } from '../support/server.js'

it('a body of a few kilobytes that unpacks to more than 10 MB is not read, and not requested again', async () => {
  const body = gzipSync(JSON.stringify({ ...RUN, note: 'x'.repeat(10_000_000) }))
  const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' }
  const server = await serve((_request, _index, { response }) => void response.writeHead(200, headers).end(body))
  const error = await rejection(clientOf(server).getRun('run_1'))
  expect(error).toBeInstanceOf(ResponseSizeError)
  expect(isContractError(error)).toBe(true)
  expect(error).toMatchObject({ operation: 'getRun', status: 200, limit: 10_000_000 })
  expect(String(error)).toMatch(/more than 10000000 bytes, which maxResponseSize allows/)
  expect(server.seen).toHaveLength(1)
})

it('maxResponseSize sets the limit, in bytes, and an error beyond it counts by its status', async () => {
  const text = JSON.stringify({ ...RUN, note: 'é' })
  const server = await serve((_, index) => ({
    status: index < 2 ? 200 : 404,
    headers: { 'content-type': 'application/json' },
    body: text,
  }))
  const size = new TextEncoder().encode(text).length
  const call = (maxResponseSize: number) => clientOf(server, { maxResponseSize, retry: false }).getRun('run_1')
  expect(await rejection(call(size - 1))).toMatchObject({ name: 'ResponseSizeError', status: 200, limit: size - 1 })
  expect(await call(size)).toMatchObject({ id: 'run_1' })
  expect(await rejection(call(size - 1))).toMatchObject({ name: 'NotFoundError', body: '' })
})

it('a body is measured also where a response has no stream', async () => {
  const fetch = async () => Object.defineProperty(Response.json(RUN), 'body', { value: null })
  const options = { fetch, maxResponseSize: 20 }
  expect(await rejection(clientOf({ baseUrl: 'http://localhost/v1' }, options).getRun('run_1'))).toMatchObject({
    name: 'ResponseSizeError',
  })
})
