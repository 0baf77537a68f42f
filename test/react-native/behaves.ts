import { createServer } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Handler, LIST, RUN, rateLimited, serve } from '../support/server.js'
import { guideRows } from './guide.js'
import { start } from './native.js'
import { networkOf, programScript } from './prepare.js'

/** The service of the program: each run shows something else. */
function service(): Handler {
  let polls = 0
  let refused = 0
  return ({ method, url }) => {
    const id = decodeURIComponent(url.split('/').at(-1) ?? '')
    if (url.includes('never') || url.endsWith('/providers')) return undefined
    if (method === 'POST') return { status: 201, body: { ...RUN, id: 'run_2' } }
    if (url.includes('/playbooks')) return { body: LIST }
    if (id === 'moved') return { status: 302, headers: { location: '/login' } }
    if (id === 'missing') return { status: 404, body: { error: 'not_found' } }
    if (id === 'large') return { body: { ...RUN, more: 'x'.repeat(2_000) } }
    if (id === 'limited' && refused++ === 0) return rateLimited(0)
    if (id === 'run_2') return { body: { ...RUN, id, status: polls++ < 2 ? 'running' : 'succeeded' } }
    return { body: { ...RUN, id } }
  }
}

/** What a client does on the sources of a version of React Native. */
export function behaves(version: string): void {
  describe(`React Native ${version}`, () => {
    let network: string
    let program: string
    beforeAll(async () => {
      ;[network, program] = await Promise.all([networkOf(version), programScript()])
    })
    const app = async () => ({ ...(await serve(service())), program: start(network, program) })

    it(`the guide says what ${version} does other than a browser`, async () => {
      const { program } = await app()
      expect(await program.differences()).toEqual(guideRows(version))
    })

    it(`calls, a watched run, pages and middleware work on ${version}`, async () => {
      const { baseUrl, program, seen } = await app()
      expect(await program.everyday(baseUrl)).toEqual({
        ...{ id: 'run_2', seen: ['running', 'succeeded'], items: ['pb_1'], posted: 201, same: true },
      })
      expect(JSON.parse(seen[0]!.body)).toEqual({ inputs: { order: 'ö' } })
      expect(seen.every(({ headers }) => headers.authorization === 'Bearer wk_react_native')).toBe(true)
      expect(seen.filter(({ url }) => url.includes('/playbooks?') || url.endsWith('/playbooks'))).toHaveLength(1)
      expect(await program.middleware(baseUrl)).toEqual({ status: 'running', seen: ['200'] })
      expect(seen.at(-1)!.headers['x-trace']).toBe('1')
    })

    it(`createFetch sends and caches on ${version}`, async () => {
      const { baseUrl, program, seen } = await app()
      expect(await program.throughFetch(baseUrl)).toEqual({
        ...{ list: LIST, operations: ['listPlaybooks', 'triggerRun'], status: 201, run: { ...RUN, id: 'run_2' } },
      })
      expect(JSON.parse(seen[1]!.body)).toEqual({ inputs: { order: 'ö' } })
    })

    it(`calls that are aborted or late reject with errors of their kind on ${version}`, async () => {
      const { baseUrl, program } = await app()
      expect(await program.aborted(baseUrl)).toEqual(Array(6).fill('AbortError'))
      expect(await program.late(baseUrl)).toMatchObject({
        timeout: { name: 'TimeoutError', limit: 'timeout' },
        waiting: { name: 'RunTimeoutError' },
        left: { value: undefined, done: true },
      })
    })

    it(`a redirect that was followed is a RedirectError with the address on ${version}`, async () => {
      const { baseUrl, program } = await app()
      const location = `${new URL(baseUrl).origin}/login`
      expect(await program.redirected(baseUrl)).toMatchObject({
        error: { name: 'RedirectError', location },
        spaces: 'a b',
      })
    })

    it(`failures are errors of their class, and are retried, on ${version}`, async () => {
      const { baseUrl, program } = await app()
      expect(await program.failing(baseUrl, await closedAddress())).toMatchObject({
        missing: { name: 'NotFoundError', status: 404 },
        isNotFound: true,
        large: { name: 'ResponseSizeError', limit: 1_000 },
        lost: { name: 'ConnectionError', sent: true },
        retries: ['connection'],
        limited: 'running',
        addresses: ['begin with https://', 'end in /v1', 'begin with https://'].map((text) =>
          expect.stringContaining(text),
        ),
      })
    })
  })
}

/** An address of loopback where nothing listens. */
async function closedAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}/v1`
}
