import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { VERSION } from '../support/fixtures.js'
import { behavesLikeTheService } from './service.js'

describe('the sandbox in process', () => {
  behavesLikeTheService(() => createSandbox())

  it('the sandbox responds below the version segment, under any host', async () => {
    const { fetch, keys } = createSandbox()
    const headers = { authorization: `Bearer ${keys.valid}` }
    for (const url of [`https://a.example${VERSION}/providers`, `http://b.example${VERSION}/providers?#a?b`])
      expect((await fetch(url, { headers })).status).toBe(200)
    expect((await fetch('http://c.example/providers', { headers })).status).toBe(404)
    expect((await fetch(new URL(`https://d.example${VERSION}/providers`), { headers })).status).toBe(200)
    expect((await fetch(new Request(`https://e.example${VERSION}/providers`, { headers }))).status).toBe(200)
  })

  it('the same seed and calls give the same bytes, and another seed other ids', async () => {
    const bytes = async (seed: number) => {
      const { fetch, baseUrl, keys, playbooks } = createSandbox({ seed })
      const headers = { authorization: `Bearer ${keys.valid}`, 'content-type': 'application/json' }
      const url = `${baseUrl}/playbooks/${playbooks.succeeds}/runs`
      return (await fetch(url, { method: 'POST', headers, body: '{"inputs":{}}' })).text()
    }
    expect(await bytes(3)).toBe(await bytes(3))
    const seeds = [4, 5, 5 + 2 ** 32, 5 + 2 ** 33, -5, 2 ** 32 - 5]
    expect(new Set(await Promise.all([3, ...seeds].map(bytes))).size).toBe(seeds.length + 1)
  })

  it('sandbox.fetch accepts any object with url, method, headers and text()', async () => {
    const { fetch, baseUrl } = createSandbox()
    const foreign = {
      url: `${baseUrl}/providers`,
      method: 'GET',
      headers: new Headers({ authorization: 'Bearer key_valid' }),
      text: async () => '',
    }
    expect((await fetch(foreign as never)).status).toBe(200)
  })
})
