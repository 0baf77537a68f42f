import { afterEach, expect, it } from 'vitest'
import { connectSandbox } from '../../../src/tools/sandbox/remote/index.js'
import { serve as serveStub } from '../../support/server.js'
import { caller, trigger } from '../calls.js'
import { control, controlPath, endAll, serve } from '../ports.js'

afterEach(endAll)

it('connectSandbox names the URL that it cannot reach', async () => {
  const server = await serve()
  await server.close()
  await expect(connectSandbox(server.url).world('a')).rejects.toThrow(
    `PUT /w/a failed: no sandbox can be reached at ${server.url}. Start one with npx @workflow-automation/contract sandbox`,
  )
  await expect(connectSandbox(server.url).world('a')).rejects.toMatchObject({ cause: { message: 'fetch failed' } })
  expect(() => connectSandbox('https://sandbox.example')).not.toThrow()
})

it('connectSandbox reports that a server is not a sandbox', async () => {
  const { origin } = new URL((await serveStub(() => ({ body: '<p>hello</p>' }))).baseUrl)
  await expect(connectSandbox(origin).world('a')).rejects.toThrow(
    `${origin} is not a sandbox: PUT /w/a responded 200 without JSON`,
  )
})

it.each([{}, null])('connectSandbox says that a request failed when the error %j has no message', async (body) => {
  const { origin } = new URL((await serveStub(() => ({ status: 500, body }))).baseUrl)
  await expect(connectSandbox(origin).world('a')).rejects.toThrow(/^PUT \/w\/a failed with 500: no message$/)
})

it('connectSandbox names the URL of a sandbox whose response breaks off', async () => {
  const stub = await serveStub((_, __, { response }) => {
    response.writeHead(200, { 'content-length': '100' }).write('{')
    setTimeout(() => response.destroy(), 50)
    return undefined
  })
  const { origin } = new URL(stub.baseUrl)
  await expect(connectSandbox(origin).world('a')).rejects.toThrow(`no sandbox can be reached at ${origin}`)
})

it.each([['localhost:4010'], ['not a url'], ['ftp://127.0.0.1'], [5], [null]])(
  'connectSandbox refuses the URL %s',
  (url) => {
    expect(() => connectSandbox(url as string)).toThrow(
      /connectSandbox expects a URL such as http:\/\/127\.0\.0\.1:4010/,
    )
  },
)

it('connectSandbox refuses the name of a world that no path can have, before it sends anything', async () => {
  const server = await serve()
  for (const name of ['.', '..', '', 'a/b', 'a b', 'x'.repeat(65), 'ä', 'a\n', undefined])
    await expect(connectSandbox(server.url).world(name as string), `${name}`).rejects.toThrow(
      `A world's name must have 1 to 64 letters, digits, ".", "_" or "-"`,
    )
  expect(await (await control(server, 'worlds')).json()).toEqual([])
})

it('connectSandbox makes worlds whose names are those of properties and paths', async () => {
  const server = await serve()
  for (const name of ['__proto__', 'constructor', 'w', 'v1', '__sandbox', '...']) {
    const world = await connectSandbox(server.url).world(name)
    expect([name, (await caller(world, 'key_valid')('/playbooks')).status]).toEqual([name, 200])
    expect([name, (await caller(server, world.keys.valid)('/playbooks')).status]).toEqual([name, 200])
    expect(await world.requests()).toHaveLength(2)
  }
})

it('a world is missing after its server was restarted, and connectSandbox makes it again', async () => {
  const server = await serve()
  const { port } = server
  const world = await connectSandbox(server.url).world('shop')
  await server.close()
  const again = await serve({ port })
  await expect(world.state()).rejects.toThrow('There is no world "shop". Create it with PUT /w/shop.')
  expect((await connectSandbox(again.url).world('shop')).baseUrl).toBe(world.baseUrl)
  expect((await world.state()).workspaces).not.toEqual([])
})

it('connectSandbox and the functions of its worlds refuse what they have no option for', async () => {
  const server = await serve()
  expect(() => connectSandbox(server.url, { tokn: 'x' } as never)).toThrow('unknown option "tokn"')
  const world = await connectSandbox(server.url).world('strict')
  await expect(world.requests({ afer: 3 } as never)).rejects.toThrow(
    'unknown option "afer"; expected one of: operation, status, key, body, after',
  )
  await expect(world.reject('none')).rejects.toThrow('There is no run with the id "none" in the sandbox.')
})

it('connectSandbox needs the token of a server that other machines can reach', async () => {
  const server = await serve({ host: '0.0.0.0' })
  const wrong = connectSandbox(server.url, { token: 'wrong' }).world('a')
  await expect(wrong).rejects.toThrow('PUT /w/a failed with 401: The control token is missing or wrong.')
  await expect(connectSandbox(server.url).world('a')).rejects.toThrow('401')
  const world = await connectSandbox(server.url, { token: server.controlToken }).world('a')
  expect((await caller(world)('/playbooks')).status).toBe(200)
  await world.reset()
  await world[Symbol.asyncDispose]()
})

it('the functions of a world take what those of a sandbox take', async () => {
  const world = await (await serve()).world('own', { plan: false })
  for (const times of [undefined, 3, Number.POSITIVE_INFINITY])
    await world.inject({ drop: true, ...(times && { times }) })
  expect((await world.faults()).map(({ left }) => left)).toEqual([1, 3, undefined])
  await world.clearFaults()
  expect(await world.faults()).toEqual([])
  const { id } = (await trigger(world, world.playbooks.needsApproval)).body
  for (let poll = 0; poll < 2; poll++) await caller(world)(`/runs/${id}`)
  expect(await world.reject(id)).toMatchObject({ id, status: 'failed' })
  await expect(world.approve(id)).rejects.toThrow(`POST /w/own${controlPath('runs/')}`)
  await expect(world.approve('a/b')).rejects.toThrow('There is no run with the id "a/b" in the sandbox.')
  await world.advance(5)
  const paused = async () => (await world.state()) as unknown as { paused: boolean }
  await world.pause()
  expect(await paused()).toMatchObject({ paused: true })
  await world.resume()
  expect(await paused()).toMatchObject({ paused: false })
  const inputs = { order: '7' }
  await trigger(world, world.playbooks.succeeds, { inputs })
  expect(await world.requests({ body: { inputs } })).toMatchObject([{ operation: 'triggerRun' }])
  await world.reset()
  expect(await world.requests()).toEqual([])
})

it('disposing of a world says when it was not deleted', async () => {
  const stub = await serveStub((_, index) => (index === 0 ? { body: {} } : { status: 500, body: { message: 'No.' } }))
  const world = await connectSandbox(stub.baseUrl).world('stuck')
  await expect(world[Symbol.asyncDispose]()).rejects.toThrow('DELETE /w/stuck failed with 500: No.')
  expect(() => connectSandbox('http://127.0.0.1', { token: 5 as never })).toThrow('token must be a string')
})
