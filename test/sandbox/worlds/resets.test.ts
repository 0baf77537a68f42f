import { afterEach, expect, it } from 'vitest'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { aMoment } from '../../support/clock.js'
import { VERSION } from '../../support/fixtures.js'
import { raw, trigger } from '../calls.js'
import { endAll, JSON_KEY, KEY, serve } from '../ports.js'

afterEach(endAll)

it('a reset restores the first state', async () => {
  const sandbox = createSandbox()
  const before = JSON.stringify(sandbox.state)
  const first = await trigger(sandbox, sandbox.playbooks.succeeds)
  sandbox.inject({ status: 500 })
  sandbox.reset()
  expect(JSON.stringify(sandbox.state)).toBe(before)
  expect(sandbox.requests()).toEqual([])
  expect((await trigger(sandbox, sandbox.playbooks.succeeds)).body).toEqual(first.body)
})

it('a reset cancels a trigger whose body arrives late: it starts no run and uses no id', async () => {
  const sandbox = createSandbox()
  const lone = (await trigger(sandbox, sandbox.playbooks.succeeds)).body.id
  sandbox.reset()
  let arrive = (_: Uint8Array) => {}
  const body = new Promise<Uint8Array>((resolve) => {
    arrive = resolve
  })
  const late = sandbox.fetch({
    url: `${sandbox.baseUrl}/playbooks/${sandbox.playbooks.succeeds}/runs`,
    method: 'POST',
    headers: new Headers(JSON_KEY),
    text: async () => '',
    arrayBuffer: () => body,
  } as never)
  sandbox.reset()
  arrive(new TextEncoder().encode('{"inputs":{}}'))
  await expect(late).rejects.toThrow('fetch failed')
  expect(sandbox.requests()).toEqual([])
  expect(sandbox.clientRules().requests).toBe(0)
  expect((await trigger(sandbox, sandbox.playbooks.succeeds)).body.id).toBe(lone)
})

it('a reset ends a request whose body is still coming', async () => {
  const sandbox = createSandbox()
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) })
  const init = { method: 'POST', headers: JSON_KEY, body, duplex: 'half' }
  const path = `/playbooks/${sandbox.playbooks.succeeds}/runs`
  const open = expect(sandbox.fetch(sandbox.baseUrl + path, init)).rejects.toThrow('fetch failed')
  const server = await serve({}, sandbox)
  const head = `POST ${VERSION}${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer key_valid\r\ncontent-type: application/json\r\ncontent-length: 13\r\n\r\n{`
  let isOpen = true
  const onPort = raw(server.port, head).finally(() => {
    isOpen = false
  })
  // A busy machine may not have received it at the first reset.
  for (let resets = 0; isOpen && resets < 100; resets++) {
    await aMoment()
    sandbox.reset()
  }
  await open
  expect(await onPort).toBe('')
})

it('a request that is open at a reset fails, and takes no token after it', async () => {
  const sandbox = createSandbox({ clock: { now: () => Date.UTC(2030, 0) } })
  const tokens = () => sandbox.state.workspaces[0]?.tokens
  const all = tokens()
  const open = sandbox.fetch(`${sandbox.baseUrl}/workspaces/me`, { headers: KEY })
  sandbox.reset()
  await expect(open).rejects.toThrow('fetch failed')
  expect([tokens(), sandbox.requests(), sandbox.clientRules().requests]).toEqual([all, [], 0])
})

it('a response of a handler that is read while the sandbox is reset is not sent', async () => {
  let write = (_: string) => {}
  const stream = new ReadableStream({
    start(controller) {
      write = (text) => {
        controller.enqueue(new TextEncoder().encode(text))
        controller.close()
      }
    },
  })
  let isHandled = false
  const sandbox = createSandbox({
    handlers: {
      getCurrentWorkspace() {
        isHandled = true
        return new Response(stream)
      },
    },
  })
  const open = expect(sandbox.fetch(`${sandbox.baseUrl}/workspaces/me`, { headers: KEY })).rejects.toThrow(
    'fetch failed',
  )
  await expect.poll(() => isHandled).toBe(true)
  await new Promise((resolve) => setTimeout(resolve))
  sandbox.reset()
  write('{}')
  await open
})

it('a reset cancels requests in every state: before the body, in a delay, in a handler and while the response is read', async () => {
  const states: string[] = []
  let release = () => {}
  const sandbox = createSandbox({
    handlers: {
      getCurrentWorkspace: async ({ context }) => {
        states.push('handler')
        await new Promise<void>((resolve) => {
          release = resolve
        })
        return { status: 200, body: context.workspace }
      },
    },
  })
  const server = await serve({}, sandbox)
  sandbox.inject({ delay: 60_000, operation: 'listProviders' })
  const post = `POST ${VERSION}/playbooks/pb_7hQ2vn/runs HTTP/1.1\r\nhost: a\r\nauthorization: Bearer key_valid\r\ncontent-type: application/json\r\ncontent-length: 13\r\n\r\n`
  const half = raw(server.port, post, '{"inp', 400, 'uts":{}}')
  const slow = raw(
    server.port,
    `GET ${VERSION}/playbooks HTTP/1.1\r\nhost: a\r\n`,
    400,
    'authorization: Bearer key_valid\r\nconnection: close\r\n\r\n',
  )
  const delayed = expect(fetch(`${server.baseUrl}/providers`, { headers: KEY })).rejects.toThrow('fetch failed')
  const handled = expect(fetch(`${server.baseUrl}/workspaces/me`, { headers: KEY })).rejects.toThrow('fetch failed')
  await expect.poll(() => states).toEqual(['handler'])
  sandbox.reset()
  release()
  await Promise.all([delayed, handled])
  expect(await half).toBe('')
  // Its headers were complete only after the reset: it belongs to the new world.
  expect(await slow).toContain('HTTP/1.1 200')
  expect(sandbox.requests().map(({ request }) => request.path)).toEqual([`${VERSION}/playbooks`])
})
