import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import nock from 'nock'
import { MockAgent, fetch as undiciFetch } from 'undici'
import { createServer as createVite } from 'vite'
import { afterEach, describe, expect, it } from 'vitest'
import { createClient } from '../../../../src/index.js'
import { createSandbox } from '../../../../src/tools/sandbox/index.js'
import { endAll, ends, serve } from '../../../sandbox/ports.js'
import { launch } from '../../../support/browser.js'
import { VERSION } from '../../../support/fixtures.js'

const ORIGIN = 'https://workflow-automation.example'
const headers = { authorization: 'Bearer key_valid', 'content-type': 'application/json' }
const trigger = { method: 'POST', headers, body: '{"inputs":{"order":"42"}}' }

afterEach(endAll)

describe('the sandbox behind an adapter', () => {
  it('a handler of MSW can pass requests to the sandbox, which drops their connections too', async () => {
    const sandbox = createSandbox()
    const server = setupServer(
      http.all(`${ORIGIN}${VERSION}/*`, ({ request }) => sandbox.fetch(request).catch(() => HttpResponse.error())),
    )
    server.listen({ onUnhandledRequest: 'error' })
    ends.push(() => server.close())
    await expectService(fetch)
    sandbox.inject({ drop: true })
    await expect(fetch(`${ORIGIN}${VERSION}/playbooks`, { headers })).rejects.toThrow('Failed to fetch')
  })

  it('a handler of MSW that has read a body before the sandbox leads to a response that says what to do', async () => {
    const sandbox = createSandbox()
    const server = setupServer(
      http.post(`${ORIGIN}${VERSION}/*`, async ({ request }) => void (await request.json())),
      http.all(`${ORIGIN}${VERSION}/*`, ({ request }) => sandbox.fetch(request).catch(() => HttpResponse.error())),
    )
    server.listen({ onUnhandledRequest: 'error' })
    ends.push(() => server.close())
    const client = createClient({ baseUrl: `${ORIGIN}${VERSION}`, apiKey: sandbox.keys.valid })
    const refused = client.triggerRun(sandbox.playbooks.succeeds, { inputs: {} })
    await expect(refused).rejects.toThrow('Read request.clone() there')
  })

  it('nock can pass requests to the sandbox, which drops their connections too', async () => {
    const sandbox = createSandbox()
    const passOn = async function (this: nock.ReplyFnContext, path: string, body: nock.Body) {
      const { method, headers } = this.req
      const init = { method, headers: headers as Record<string, string>, body: body ? JSON.stringify(body) : null }
      const response = await sandbox.fetch(ORIGIN + path, init)
      return [response.status, await response.text(), Object.fromEntries(response.headers)] as nock.ReplyFnResult
    }
    const scope = nock(ORIGIN).persist()
    for (const method of ['GET', 'POST']) scope.intercept(/^\/v\d+\//, method).reply(passOn)
    ends.push(() => nock.restore())
    await expectService(fetch)
    sandbox.inject({ drop: true })
    await expect(fetch(`${ORIGIN}${VERSION}/playbooks`, { headers })).rejects.toThrow(TypeError)
  })

  it("undici's MockAgent can pass requests to a sandbox on a port, because its replies cannot wait", async () => {
    const server = await serve()
    const agent = new MockAgent()
    ends.push(() => agent.close())
    agent.disableNetConnect()
    agent.enableNetConnect(new URL(server.url).host)
    const response = await undiciFetch(`${server.baseUrl}/playbooks`, { headers, dispatcher: agent })
    expect(response.status).toBe(200)
  })

  it('a route of Playwright can pass the requests of a page to the sandbox, which drops their connections too', async () => {
    const sandbox = createSandbox()
    const browser = await launch()
    ends.push(() => browser.close())
    const page = await browser.newPage()
    await page.route(`${ORIGIN}/**`, async (route, request) => {
      if (new URL(request.url()).pathname === '/') return route.fulfill({ contentType: 'text/html', body: '<p>' })
      const init = { method: request.method(), headers: request.headers(), body: request.postData() }
      const response = await sandbox.fetch(request.url(), init).catch(() => undefined)
      if (!response) return route.abort('connectionreset')
      const { status, headers } = response
      return route.fulfill({ status, headers: Object.fromEntries(headers), body: await response.text() })
    })
    await page.goto(`${ORIGIN}/`)
    await expectService(async (url, init) => {
      const asked = { url: String(url), init: init ?? {} }
      return new Response(await page.evaluate(async ({ url, init }) => (await fetch(url, init)).text(), asked))
    })
    sandbox.inject({ drop: true })
    const failure = page.evaluate((url) => fetch(url), `${ORIGIN}${VERSION}/playbooks`)
    await expect(failure).rejects.toThrow('Failed to fetch')
  })

  it('the proxy of a Vite dev server can pass requests to the sandbox', async () => {
    const sandbox = createSandbox()
    const server = await serve({}, sandbox)
    const vite = await createVite({
      configFile: false,
      logLevel: 'silent',
      server: {
        port: 0,
        host: '127.0.0.1',
        proxy: { [VERSION]: { target: server.url, changeOrigin: true } },
        ws: false,
      },
    })
    await vite.listen()
    ends.push(() => vite.close())
    const address = vite.httpServer?.address() as { port: number }
    await expectService((url, init) => fetch(String(url).replace(ORIGIN, `http://127.0.0.1:${address.port}`), init))
    sandbox.inject({ drop: true })
    const dropped = await fetch(`http://127.0.0.1:${address.port}${VERSION}/playbooks`, { headers })
    expect(dropped.status).toBe(502)
  })
})

/** Starts a run and follows it to its end. */
async function expectService(send: typeof fetch): Promise<void> {
  const { id } = await (await send(`${ORIGIN}${VERSION}/playbooks/pb_7hQ2vn/runs`, trigger)).json()
  const statuses: string[] = []
  for (let count = 0; count < 3; count++)
    statuses.push((await (await send(`${ORIGIN}${VERSION}/runs/${id}`, { headers })).json()).status)
  expect(statuses).toEqual(['running', 'running', 'succeeded'])
}
