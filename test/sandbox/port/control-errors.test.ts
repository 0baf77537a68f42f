import { afterEach, expect, it } from 'vitest'
import { protocol } from '../../../generated/contract.js'
import type { ListenOptions } from '../../../src/tools/sandbox/port/index.js'
import { aMoment } from '../../support/clock.js'
import { control, controlPath, endAll, serve } from '../ports.js'

afterEach(endAll)

const ERRORS: Record<number, string> = {
  400: 'bad_request',
  404: 'not_found',
  405: 'method_not_allowed',
  408: 'timeout',
}
const NO_RUN = 'There is no run with the id "run_0" in the sandbox.'
const NAME = `A world's name must have 1 to 64 letters, digits, ".", "_" or "-", must not be "." or "..", and cannot be "a%20b".`
const NO_KEY =
  'This filter of requests is not valid: the world has no key "nokey", only valid, readOnly, hobby, limited, otherWorkspace, unknown.'
const EXPECTED = 'expected one of: seed, plan, progress, speed, startTime, chaos, world'
const OPTIONS = `The world: unknown option "sed"; ${EXPECTED}; unknown option "fly"; ${EXPECTED}.`

it.each<[request: string, body: string | undefined, status: number, message: string]>([
  ['POST inject', '[]', 400, 'The body must be a JSON object.'],
  ['POST inject', 'null', 400, 'The body must be a JSON object.'],
  ['POST inject', '5', 400, 'The body must be a JSON object.'],
  ['POST inject', '{status:500}', 400, expect.stringMatching(/^The body is not JSON: .*JSON/)],
  ['GET requests?body={', undefined, 400, expect.stringMatching(/^The query parameter "body" is not JSON: .*JSON/)],
  ['POST advance', '{"ms":1,"s":2}', 400, 'The body: unknown option "s"; expected one of: ms.'],
  ['POST time', '{"at":1}', 400, 'The body: unknown option "at"; expected one of: time.'],
  ['GET runs/run_0', undefined, 404, NO_RUN],
  ['DELETE faults/7', undefined, 404, 'There is no fault 7.'],
  ['POST runs/%/approve', '', 404, NO_RUN.replace('run_0', '%')],
  ['POST runs/run_0/approve', '', 404, NO_RUN],
  ['POST runs/run_0/reject', '', 404, NO_RUN],
  ['GET requests?limit=x', undefined, 400, 'The query parameter "limit" must be an integer, but is "x".'],
  ['GET requests?status=-1', undefined, 400, 'The query parameter "status" must be an integer, but is "-1".'],
  ['GET requests/next?timeout=1', undefined, 408, 'No request arrived within 1 ms.'],
  [
    'GET requests/next?timeout=1&after=0',
    undefined,
    408,
    'No request with { after: 0 } arrived within 1 ms. No request arrived.',
  ],
  [
    'GET requests?opperation=getRun',
    undefined,
    400,
    'Unknown query parameter "opperation"; expected one of: operation, status, key, body, after, limit.',
  ],
  [
    'GET requests/next?operatoin=getRun&timeout=500',
    undefined,
    400,
    'Unknown query parameter "operatoin"; expected one of: operation, status, key, body, after, timeout.',
  ],
  ['GET keys?of=valid', undefined, 400, 'Unknown query parameter "of"; expected none.'],
  ['GET requests?key=nokey', undefined, 400, NO_KEY],
  ['GET requests/next?key=nokey&timeout=1', undefined, 400, NO_KEY],
  ['PUT ../w/a b', '{}', 400, NAME],
  ['PUT ../w/one', '{"sed":1,"fly":2}', 400, OPTIONS],
  ['POST ../w/default', '{}', 405, 'A world supports PUT, GET and DELETE.'],
])('the control interface responds to %s %s with a %i', async (request, body, status, message) => {
  const server = await serve()
  await server.world('default')
  const [method, path] = request.split(/ (.*)/)
  const response = await fetch(new URL(controlPath(path), server.url), { method: method!, body: body ?? null })
  expect([response.status, await response.json()]).toEqual([status, { error: ERRORS[status], message }])
})

it('a close responds to a request that waits for another with a 410, and does not wait for it', async () => {
  const server = await serve()
  const waiting = control(server, 'requests/next?timeout=60000')
  const stream = await control(server, 'events')
  await aMoment()
  const start = performance.now()
  await server.close()
  expect(performance.now() - start).toBeLessThan(900)
  const response = await waiting
  const message = 'The sandbox was stopped before a matching request arrived.'
  expect([response.status, await response.json()]).toEqual([410, { error: 'world_gone', message }])
  expect(await stream.text()).toContain('event: open')
})

it('the control interface lists its commands to whom asks for another', async () => {
  const server = await serve()
  const get = async (path: string) => (await control(server, path)).json()
  const { message, commands } = await get('')
  expect(message).toBe('The control interface of the sandbox.')
  expect(commands.slice(0, 4)).toEqual(['GET events', 'GET health', 'GET worlds', 'GET keys'])
  const known = `Unknown command; expected one of: ${commands.join(', ')}.`
  expect(await get('fly')).toEqual({ error: 'not_found', message: known })
})

it('the control interface of a world does not list the command for worlds, which it does not have', async () => {
  const server = await serve()
  await server.world('one')
  const get = async (path: string) => (await control({ url: `${server.url}/w/one` }, path)).json()
  expect((await get('')).commands.slice(0, 3)).toEqual(['GET events', 'GET health', 'GET keys'])
  expect((await get('worlds')).message).not.toContain('GET worlds')
})

const { versionSegment } = protocol
it.each<[path: string, options: ListenOptions, error: string, message: string]>([
  [controlPath('state'), { control: false }, 'not_found', 'The control interface is off.'],
  [
    controlPath('state'),
    { controlToken: 'secret' },
    'unauthorized',
    'The control token is missing or wrong. Send the one that the sandbox was given, or has printed, as Authorization: Bearer.',
  ],
  [
    `${versionSegment}/providers`,
    { requireWorld: true },
    'world_required',
    `Each test needs its own world: send requests to /w/<name>${versionSegment}, or a key such as key_valid.<name>.`,
  ],
  ['/w/one', {}, 'world_not_found', 'There is no world "one". Create it with PUT /w/one.'],
])('a GET of %s from a server with %j is refused with a sentence', async (path, options, error, message) => {
  const { url } = await serve(options)
  expect(await (await fetch(url + path)).json()).toEqual({ error, message })
})

it('the control interface says to a page of another origin how to get to the console', async () => {
  const { url } = await serve()
  const response = await control({ url }, 'state', undefined, { headers: { origin: 'https://a.example' } })
  expect(await response.json()).toEqual({
    error: 'forbidden',
    message:
      'A page of another origin may not control the sandbox. If you followed a link to the console, paste its address into the address bar of the browser instead.',
  })
})

it('a world that is gone says why', async () => {
  const server = await serve({ maxWorlds: 1 })
  const get = async (name: string) => (await fetch(`${server.url}/w/${name}`)).json()
  await server.world('one')
  await server.world('two')
  expect(await get('one')).toEqual({
    error: 'world_gone',
    message:
      'The world "one" was evicted, because it was the least recently used of more than 1 worlds (--max-worlds). Raise the limit, or delete worlds with DELETE.',
  })
  await fetch(`${server.url}/w/two`, { method: 'DELETE' })
  const message = 'The world "two" was deleted. Make it again with PUT.'
  expect(await get('two')).toEqual({ error: 'world_gone', message })
})
