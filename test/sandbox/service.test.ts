import { describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'
import { caller } from './calls.js'
import { behavesLikeTheService } from './service.js'

describe('the sandbox in process', () => {
  behavesLikeTheService(() => createSandbox())

  it('the sandbox responds below the version segment, without it, and under any host', async () => {
    const { fetch, keys } = createSandbox()
    const headers = { authorization: `Bearer ${keys.valid}` }
    for (const url of [
      'https://a.example/v1/providers',
      'http://b.example/providers',
      'https://c.example/providers?#a?b',
    ])
      expect((await fetch(url, { headers })).status).toBe(200)
    expect((await fetch(new URL('https://d.example/v1/providers'), { headers })).status).toBe(200)
    expect((await fetch(new Request('https://e.example/v1/providers', { headers }))).status).toBe(200)
  })

  it('an unknown path gets a 404 and an unknown method a 405', async () => {
    const { fetch, baseUrl } = createSandbox()
    expect((await fetch(`${baseUrl}/nothing`)).status).toBe(404)
    for (const method of ['DELETE', 'PUT', 'POST']) {
      const response = await fetch(`${baseUrl}/playbooks`, { method })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  it.each(['/runs/%ff', '/runs/', '/playbooks//runs'])('the odd path %s gets a 400 or 405', async (path) => {
    const { status } = await caller(createSandbox())(path)
    expect([400, 405]).toContain(status)
  })

  it('properties of Object are no parameters, keys or scenarios', async () => {
    const sandbox = createSandbox()
    expect((await caller(sandbox)('/runs/__proto__')).status).toBe(404)
    expect((await caller(sandbox)('/playbooks?__proto__=1&constructor=2')).status).toBe(200)
    expect((await caller(sandbox, '__proto__')('/playbooks')).status).toBe(401)
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
