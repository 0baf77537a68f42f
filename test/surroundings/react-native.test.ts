import { AbortController as OwnAbortController } from 'abort-controller'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Headers as OwnHeaders, Request as OwnRequest, Response as OwnResponse } from 'whatwg-fetch'
import { createFetch, type Fetch } from '../../src/index.js'
import { clientOf, KEY, LIST, RUN, rejection } from '../support/server.js'

/** The URL of React Native up to 0.79: it keeps the text, with a slash at the end, and has no parts. */
class PlainURL {
  readonly #url: string
  constructor(url: string) {
    this.#url = /[/?#]$/.test(url) || /[?#]/.test(url) ? url : `${url}/`
  }
  get href(): string {
    return this.#url
  }
  toString(): string {
    return this.#url
  }
}
for (const name of ['hash', 'host', 'hostname', 'origin', 'pathname', 'port', 'protocol', 'search', 'username'])
  Object.defineProperty(PlainURL.prototype, name, {
    get() {
      throw new Error(`URL.${name} is not implemented`)
    },
  })

beforeEach(() => {
  vi.stubGlobal('URL', PlainURL)
  // Its signals have no reason: up to 0.86 React Native takes them from this package.
  vi.stubGlobal('AbortController', OwnAbortController)
  vi.stubGlobal('navigator', { product: 'ReactNative' })
  vi.stubGlobal('Headers', OwnHeaders)
  vi.stubGlobal('Request', OwnRequest)
  vi.stubGlobal('Response', OwnResponse)
})
afterEach(() => void vi.unstubAllGlobals())

const SERVICE = { baseUrl: 'https://api.example.com/v1' }

/** A response of whatwg-fetch: without a stream, and with the address that it came from. */
const reply = (body: object, url: string) => ({
  ...{ status: 200, statusText: 'OK', ok: true, url, headers: new Headers({ 'content-type': 'application/json' }) },
  text: async () => JSON.stringify(body),
})

const respond: Fetch = async (url) => reply(/playbooks$/.test(url) ? LIST : { ...RUN, status: 'succeeded' }, url)

it('the client and createFetch work without the parts of a URL and without streams', async () => {
  const client = clientOf(SERVICE, { fetch: respond })
  expect(await client.triggerRun('pb_1', { inputs: {} })).toMatchObject({ id: 'run_1' })
  expect(await client.waitForRun('run_1')).toMatchObject({ status: 'succeeded' })
  expect(await client.listPlaybooks()).toEqual(LIST)
  const operations: unknown[] = []
  const fetch = createFetch({
    ...{ ...SERVICE, apiKey: KEY, fetch: respond, onRequest: ({ operation }) => operations.push(operation) },
  })
  expect(await (await fetch(`${SERVICE.baseUrl}/playbooks`)).json()).toEqual(LIST)
  expect(operations).toEqual(['listPlaybooks'])
  for (const baseUrl of ['http://api.example.com/v1', 'https://api.example.com', 'api'])
    expect(() => clientOf({ baseUrl })).toThrow(TypeError)
})

it('an aborted call and watcher reject with an AbortError where a signal has no reason', async () => {
  const fetch: Fetch = () => new Promise(() => {})
  const client = clientOf(SERVICE, { fetch })
  const controller = new AbortController()
  const { signal } = controller
  const calls = [
    client.getRun('run_1', { signal }),
    client.listPlaybooks({}, { signal }),
    client.GET('/runs/{id}', { params: { path: { id: 'run_1' } }, signal }),
    client.waitForRun('run_1', { signal }),
    client.watchRun('run_1', { signal }).next(),
  ].map(rejection)
  controller.abort()
  for (const error of await Promise.all(calls)) expect(error).toMatchObject({ name: 'AbortError' })
  expect(await rejection(client.getRun('run_1', { signal }))).toMatchObject({ name: 'AbortError' })
})

it('a timeout is a timeout, and a loop that is left ends', async () => {
  const client = clientOf(SERVICE, { fetch: () => new Promise(() => {}), timeout: 5, retry: false })
  expect(await rejection(client.getRun('run_1'))).toMatchObject({ name: 'TimeoutError', limit: 'timeout' })
  expect(await rejection(client.waitForRun('run_1', { timeout: 5 }))).toMatchObject({ name: 'RunTimeoutError' })
  const changes = clientOf(SERVICE, { fetch: () => new Promise(() => {}) }).watchRun('run_1')
  const pending = changes.next()
  await new Promise((resolve) => setTimeout(resolve, 5))
  await changes.return()
  expect(await pending).toEqual({ value: undefined, done: true })
})

it('a redirect that was followed unseen is a RedirectError with the address', async () => {
  const fetch: Fetch = async () => reply(RUN, 'https://elsewhere.example.com/login')
  const error = await rejection(clientOf(SERVICE, { fetch }).getRun('run_1'))
  expect(error).toMatchObject({ name: 'RedirectError', location: 'https://elsewhere.example.com/login' })
  const same: Fetch = async (url) => reply({ ...RUN, id: 'a b' }, `${url.replace('%20', ' ')}/`)
  expect(await clientOf(SERVICE, { fetch: same }).getRun('a b')).toMatchObject({ id: 'a b' })
})
