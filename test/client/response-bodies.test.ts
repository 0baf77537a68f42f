import { describe, expect, it } from 'vitest'
import type { Client } from '../../src/index.js'
import { clientOf, KEY, LIST, serve } from '../support/server.js'

describe('the body of response', () => {
  it.each<[string, (client: Client) => void]>([
    ['without middleware', () => {}],
    ['with middleware', (client) => client.use({ onResponse: ({ response }) => response })],
  ])('a clone of the response of GET can be read, sent, shared or cached, %s', async (_, prepare) => {
    const server = await serve(() => ({ body: LIST }))
    const client = clientOf(server)
    prepare(client)
    const [sent, shared] = await Promise.all([client.GET('/playbooks'), client.GET('/playbooks')])
    const cached = await client.GET('/playbooks')
    for (const { response, data } of [sent, shared, cached]) {
      expect(data).toEqual(LIST)
      expect(await response.clone().text()).toBe(JSON.stringify(LIST))
      expect(await response.clone().json()).toEqual(LIST)
    }
    expect(server.seen).toHaveLength(1)
  })

  it('the response of an error can be read, without the key', async () => {
    const text = `{ "error": "not_found",  "message": "${KEY}" }`
    const server = await serve(() => ({ status: 404, headers: { 'content-type': 'application/json' }, body: text }))
    const { response } = await clientOf(server).GET('/runs/{id}', { params: { path: { id: 'run_1' } } })
    expect(await response.clone().text()).toBe(text.replace(KEY, '[key]'))
  })
})
