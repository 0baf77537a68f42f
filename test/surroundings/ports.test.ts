import { createServer as createHttpServer, request as httpRequest, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Agent, fetch as undiciFetch } from 'undici'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { connectSandbox } from '../../src/tools/sandbox/remote/index.js'
import { CONTROL } from '../../src/tools/sandbox/world/name.js'
import { controlPath, endAll, serve } from '../sandbox/ports.js'
import { launch } from '../support/browser.js'
import { certificate } from '../support/certificate.js'
import { pageWith } from './page.js'

afterEach(endAll)

const PROGRAM = `
import axios from 'axios'
import { createClient } from '../../src/index.js'

const headers = { Authorization: 'Bearer key_valid' }

export async function run(baseUrl) {
  const url = baseUrl + '/playbooks'
  const names = async (response) => [response.status, (await response.json()).meta.total]
  const include = (input, init) => fetch(input, { ...init, credentials: 'include' })
  const results = {
    read: await names(await include(url, { headers })),
    trigger: (await include(url + '/pb_3kX9wq/runs', {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json', 'X-Own': '1' },
      body: '{"inputs":{}}',
    })).status,
    omit: await names(await fetch(url, { headers })),
    axios: (await axios.get(url, { headers, withCredentials: true })).status,
    client: (await createClient({ baseUrl, apiKey: 'key_valid', fetch: include }).getCurrentWorkspace()).name,
    refused: (await include(url, { headers: { Authorization: 'Bearer wrong' } })).status,
    unknown: (await include(baseUrl + '/nothing', { headers })).status,
  }
  const limited = await include(url, { headers: { Authorization: 'Bearer key_limited' } })
  return { ...results, retryAfter: limited.headers.get('Retry-After'), date: limited.headers.has('Date') }
}

export const control = (url) => fetch(url + '${controlPath('state')}', { credentials: 'include' }).then(() => 'read', () => 'refused')
`

it('a page may send its requests to a sandbox with credentials, as with fetch and axios, and may not control it', async () => {
  const server = await serve({}, createSandbox({ plan: false }))
  const { page, errors } = await pageWith(PROGRAM, (_, response) => response.end())
  expect(await page.evaluate(`program.run(${JSON.stringify(server.baseUrl)})`)).toEqual({
    read: [200, 4],
    trigger: 201,
    omit: [200, 4],
    axios: 200,
    client: 'Acme Operations',
    refused: 401,
    unknown: 404,
    retryAfter: expect.stringMatching(/^\d+$/),
    date: true,
  })
  expect(await page.evaluate(`program.control(${JSON.stringify(server.url)})`)).toBe('refused')
  expect(errors).toEqual([])
})

/** A port of its own that passes requests on, as Docker, an ingress or a terminator of TLS does. */
async function mapped(port: number, headers: Record<string, string> = {}, prefix = ''): Promise<string> {
  const forward: RequestListener = (incoming, outgoing) => {
    const { method, url = '/' } = incoming
    const path = url.slice(prefix.length)
    const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers: { ...incoming.headers, ...headers } })
    sent.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers)
      response.pipe(outgoing)
    })
    // A browser that is closed ends its stream of events.
    sent.on('error', () => outgoing.destroy())
    outgoing.on('close', () => sent.destroy())
    incoming.pipe(sent)
  }
  const tls = 'x-forwarded-proto' in headers
  const server = tls ? createTlsServer(certificate(), forward) : createHttpServer(forward)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `${tls ? 'https' : 'http'}://localhost:${(server.address() as AddressInfo).port}`
}

it.each<[string, Record<string, string>]>([
  ['a mapped port', {}],
  ['a proxy that speaks TLS', { 'x-forwarded-proto': 'https' }],
  ['two proxies that speak TLS', { 'x-forwarded-proto': 'https,http' }],
])('a world that is made through %s has the address that its caller used', async (_, headers) => {
  const { port } = await serve()
  const url = await mapped(port, headers)
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  onTestFinished(() => dispatcher.close())
  const ask = async (method: string, path: string, init = {}) =>
    // biome-ignore lint/suspicious/noExplicitAny: what a body has is what the test is about
    (await (await undiciFetch(path, { method, dispatcher, ...init })).json()) as any
  for (const method of ['PUT', 'GET']) {
    const { baseUrl, keys } = await ask(method, `${url}/w/x`)
    expect(baseUrl).toBe(`${url}/w/x/v1`)
    const authorization = `Bearer ${keys.valid}`
    expect(await ask('GET', `${baseUrl}/workspaces/me`, { headers: { authorization } })).toMatchObject({
      name: 'Acme Operations',
    })
  }
})

it.each(['', '/tools/sandbox'])(
  'connectSandbox makes the base URL of a world from the URL that it was given, with the path "%s" and whatever a proxy says',
  async (prefix) => {
    const { port } = await serve()
    const url = (await mapped(port, { host: '127.0.0.1:1' }, prefix)) + prefix
    for (const given of [url, `${url}/`, `${url}/v1`]) {
      const world = await connectSandbox(given).world('y')
      expect(world.baseUrl).toBe(`${url}/w/y/v1`)
      const headers = { authorization: `Bearer ${world.keys.valid}` }
      expect((await fetch(`${world.baseUrl}/playbooks`, { headers })).status).toBe(200)
      expect(await world.requests()).toHaveLength(1)
    }
  },
)

it.each([
  ['/tools', ''],
  ['/tools', CONTROL],
  ['/tools/sandbox', controlPath()],
  ['/tools', `/w/x${controlPath()}`],
])('the console behind a proxy that serves the sandbox below "%s" works at "%s"', async (prefix, path) => {
  const { port } = await serve()
  const url = (await mapped(port, {}, prefix)) + prefix
  await connectSandbox(url).world('x')
  const browser = await launch()
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  await page.goto(url + (path || '/'))
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByText('Acme Operations').first().waitFor()
  const [world = ''] = path.split(CONTROL)
  expect(page.url()).toBe(`${url}${world}${controlPath()}`)
})

it('a scheme other than http and https is not taken from a header', async () => {
  const { url } = await serve()
  const headers = { 'x-forwarded-proto': 'javascript' }
  const made = await fetch(`${url}/w/z`, { method: 'PUT', headers })
  expect(await made.json()).toMatchObject({ baseUrl: `${url}/w/z/v1` })
})

it('a world that is made through an allowed name, as in compose, has that name in its address', async () => {
  const { port } = await serve({ host: '127.0.0.1', allowedHosts: ['sandbox'] })
  const made = await new Promise<string>((resolve, reject) => {
    const sent = httpRequest({
      host: '127.0.0.1',
      port,
      method: 'PUT',
      path: '/w/q',
      headers: { host: 'sandbox:4010' },
    })
    sent.on('response', async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve(text)
    })
    sent.on('error', reject).end()
  })
  expect(JSON.parse(made).baseUrl).toBe('http://sandbox:4010/w/q/v1')
})
