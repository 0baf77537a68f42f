import { expect, it } from 'vitest'
import { clientOf, RUN, rejection, serve } from '../../support/server.js'

it('the client sends the key as a bearer token, and no Service-Version unless one is pinned', async () => {
  const server = await serve(() => ({ body: RUN }))
  await clientOf(server, { apiKey: 'wk_1' }).getRun('run_1')
  expect(server.seen[0]?.headers.authorization).toBe('Bearer wk_1')
  expect(server.seen[0]?.headers).not.toHaveProperty('service-version')
})

it('every request is pinned to the release of the client, or to that of its call', async () => {
  const server = await serve(() => ({ body: RUN }))
  const client = clientOf(server, { serviceVersion: '2026-11-21' })
  await client.getRun('run_1')
  await client.getRun('run_1', { serviceVersion: '2026-12-01' })
  await client.GET('/runs/{id}', {
    params: { path: { id: 'run_1' }, header: { 'Service-Version': '2027-01-01' } },
  })
  await client.GET('/runs/{id}', { params: { path: { id: 'run_1' } }, serviceVersion: '2027-02-01' })
  expect(server.seen.map(({ headers }) => headers['service-version'])).toEqual([
    '2026-11-21',
    '2026-12-01',
    '2027-01-01',
    '2027-02-01',
  ])
})

it('a call rejects with the error that the key function throws', async () => {
  const server = await serve(() => ({ body: RUN }))
  const error = new Error('The vault is closed.')
  const apiKey = () => {
    throw error
  }
  expect(await rejection(clientOf(server, { apiKey }).getRun('run_1'))).toBe(error)
  expect(server.seen).toEqual([])
})

it.each(['wk_secret\nvalue', 'wk secret', '', 'Bearer wk_secret', 'wk_secrét', undefined, null, 5])(
  'a malformed key is refused without being shown (%j)',
  async (key) => {
    const server = await serve(() => ({ body: RUN }))
    const make = () => clientOf(server, { apiKey: key as string })
    expect(make).toThrow(TypeError)
    expect(make).not.toThrow(/secr/)
    const late = await rejection(clientOf(server, { apiKey: () => key as string }).getRun('run_1'))
    expect(late).toBeInstanceOf(TypeError)
    expect(String(late)).not.toMatch(/secr/)
    expect(server.seen).toEqual([])
  },
)
