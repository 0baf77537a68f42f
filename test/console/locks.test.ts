import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { World } from '../../src/sandbox/index.js'
import { type Console, complaints, consoles, rows, section } from './console.js'

const { start, newPage } = consoles()

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

test('every response below /__sandbox/ has the policy and headers that keep other pages out', async () => {
  const { server } = await start()
  await server.world('one')
  for (const path of ['', 'console.js', 'styles.css', 'state', 'events', 'no-such-command'])
    for (const prefix of ['', '/w/one']) {
      const { headers, body } = await fetch(`${server.url}${prefix}/__sandbox/${path}`, {
        headers: { accept: 'text/html' },
      })
      await body?.cancel()
      expect(Object.fromEntries(headers), path).toMatchObject({
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
      })
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
})

describe('a page of another origin', () => {
  const servers: { close(): void }[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  /** Serves an empty page, on another port and so of another origin. */
  const foreign = async (): Promise<string> => {
    const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>foreign</p>'))
    servers.push(server.listen(0, '127.0.0.1'))
    await once(server, 'listening')
    return `:${(server.address() as AddressInfo).port}/`
  }

  const untouched = ({ sandbox }: Console) => {
    expect(sandbox.faults).toHaveLength(1)
    // A browser with a window asks for an icon by itself.
    expect(sandbox.requests().filter(({ request }) => request.path !== '/favicon.ico')).toHaveLength(1)
  }

  // localhost is another site than 127.0.0.1; another port of 127.0.0.1 is only another origin.
  test.each(['http://localhost', 'http://127.0.0.1'])(
    'a page of %s cannot change or read the sandbox',
    async (host) => {
      const one = await start()
      one.sandbox.inject({ operation: 'getRun', status: 500 })
      await one.send('/playbooks')
      const page = await newPage()
      await page.goto(host + (await foreign()))
      const base = `${one.server.url}/__sandbox/`
      const read = await page.evaluate(async (base) => {
        const attempts = ['state', 'requests', 'keys', ''].flatMap((path) => [
          fetch(base + path).then((response) => response.text()),
          fetch(base + path, { mode: 'no-cors' }).then((response) => response.text()),
        ])
        for (const [path, method] of [
          ['reset', 'POST'],
          ['faults', 'DELETE'],
          ['advance', 'POST'],
        ] as const)
          attempts.push(
            fetch(base + path, { method, body: '{"ms":1}' }).then((response) => response.text()),
            fetch(base + path, { method: 'POST', mode: 'no-cors', body: '{"ms":1}' }).then((response) =>
              response.text(),
            ),
          )
        navigator.sendBeacon(`${base}reset`, '{}')
        for (const path of ['reset', 'faults']) new Image().src = base + path
        const script = document.createElement('script')
        script.src = `${base}state`
        document.body.append(script)
        return (await Promise.allSettled(attempts)).map((each) => (each.status === 'fulfilled' ? each.value : ''))
      }, base)
      expect(read.every((text) => text === '')).toBe(true)
      const frame = await page.evaluate(async (base) => {
        const element = document.createElement('iframe')
        element.src = base
        document.body.append(element)
        await new Promise((resolve) => element.addEventListener('load', resolve))
        return element.contentDocument === null
      }, base)
      expect(frame).toBe(true)
      expect(page.frames().map((each) => each.url())).not.toContain(base)
      await page.evaluate((base) => {
        document.body.innerHTML = `<form method="post" enctype="text/plain" action="${base}reset"><input name='{"a' value='b"}'></form>`
        document.forms[0]?.submit()
      }, base)
      await page.getByText('A page of another origin may not control the sandbox.').waitFor()
      untouched(one)
      await page.goto(host + (await foreign()))
      await page.setContent(`<a href="${base}">console</a>`)
      await page.getByText('console').click()
      await page
        .getByText(host.includes('localhost') ? 'paste its address into the address bar' : 'Waiting for approval')
        .first()
        .waitFor()
      untouched(one)
      complaints.length = 0
    },
  )
})

test('a rebound page in a browser cannot change or read the sandbox', async () => {
  const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>foreign</p>'))
  await once(site.listen(0, '127.0.0.1'), 'listening')
  const { port } = site.address() as AddressInfo
  const page = await newPage()
  await page.goto(`http://rebound.example:${port}/`)
  site.closeAllConnections()
  await new Promise((closed) => site.close(closed))
  const one = await start({}, { port })
  one.sandbox.inject({ operation: 'getRun', status: 500 })
  await one.send('/playbooks')
  const statuses = await page.evaluate(() =>
    Promise.all(
      [
        ['GET', ''],
        ['GET', 'state'],
        ['GET', 'requests'],
        ['POST', 'reset'],
        ['POST', 'inject'],
      ].map(async ([method, command]) => (await fetch(`/__sandbox/${command}`, { method: method as string })).status),
    ),
  )
  expect(statuses).toEqual([403, 403, 403, 403, 403])
  expect(one.sandbox.faults).toHaveLength(1)
  expect(one.sandbox.requests()).toHaveLength(1)
  complaints.length = 0
})

describe('a sandbox that other machines can reach', () => {
  test('the console asks for the control token, which the printed URL contains and which leaves the address bar', async () => {
    const one = await start({}, { host: '0.0.0.0' })
    const page = await newPage()
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url()))
    await page.goto(`${one.server.url}/__sandbox/`)
    await page.getByText('This sandbox wants its token').waitFor()
    await page.getByLabel('Token').fill(one.server.controlToken ?? '')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    const other = await newPage()
    await other.goto(one.server.consoleUrl ?? '')
    await other.getByText('Live', { exact: true }).waitFor()
    expect(other.url()).toBe(`${one.server.url}/__sandbox/`)
    expect(sent.join()).not.toContain(one.server.controlToken)
  })

  test('the console reads a token of any characters from the printed URL, in an open page too', async () => {
    const one = await start({}, { host: '0.0.0.0', controlToken: 'a+b%41&c#d "e' })
    const page = await newPage()
    await page.goto(`${one.server.url}/__sandbox/`)
    await page.getByText('This sandbox wants its token').waitFor()
    await page.goto(one.server.consoleUrl ?? '')
    await page.getByText('Live', { exact: true }).waitFor()
    expect(page.url()).toBe(`${one.server.url}/__sandbox/`)
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
  })

  test('the console reports a wrong token and asks again', async () => {
    const one = await start({}, { host: '0.0.0.0' })
    const page = await newPage()
    await page.goto(`${one.server.url}/__sandbox/`)
    for (const typed of ['wrong', 'wröng…']) {
      await page.getByLabel('Token').fill(typed)
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText('The token that this page has is not the one of the sandbox.').waitFor()
    }
    await page.getByLabel('Token').fill(`\u200b${one.server.controlToken} `)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
  })
})

/** Markup, a change of the direction of writing, what ends a segment of a URL, and a property of every object. */
const HOSTILE = '<img src=x onerror="globalThis.attacked=1">\u202e\u0000__proto__/../?#%"\'&amp;'

test('texts of a world, of inputs and of messages are shown as text, and their ids work', async () => {
  const world: World = {
    [HOSTILE]: {
      workspace: { id: HOSTILE, name: `Acme Operations ${HOSTILE}` },
      plan: false,
      keys: { [HOSTILE]: { value: 'key_valid' } },
      playbooks: {
        pay: {
          playbook: { id: `pb${HOSTILE}`, name: `Pay ${HOSTILE}` },
          steps: [{ approval: true, capability: `mail.${HOSTILE}` }],
        },
      },
      providers: [{ id: 'mail' }],
      runs: [{ id: `run${HOSTILE}`, playbook_id: `pb${HOSTILE}`, started_at: '2026-11-22T00:00:00Z' }],
    },
  }
  const one = await start({
    world,
    handlers: {
      listProviders: () => {
        throw new Error(`Broken: ${HOSTILE}`)
      },
    },
  })
  const page = await one.open()
  const path = `/playbooks/${encodeURIComponent(`pb${HOSTILE}`)}/runs`
  const body = JSON.stringify({ inputs: { [HOSTILE]: HOSTILE, ['__proto__']: 'own' } })
  expect((await one.send(path, { method: 'POST', body })).status).toBe(201)
  expect((await one.send(`/runs/${encodeURIComponent(`run${HOSTILE}`)}`)).status).toBe(200)
  await one.send('/providers', { headers: { 'x-note': `<img src=x onerror="globalThis.attacked=1">'` } })
  for (const row of await rows(page, 'Requests').all()) await row.click()
  for (const row of await rows(page, 'Runs').all()) await row.click()
  const waits = section(page, /Waiting for approval/)
  await waits.getByRole('button', { name: 'Approve' }).click()
  await waits.getByText('Nothing waits for approval.').waitFor()
  const { attacked, images, text } = await page.evaluate(() => ({
    attacked: 'attacked' in globalThis,
    images: document.images.length,
    text: document.body.innerText
      .split('\n')
      .filter((line) => /[\u202e\0]/.test(line))
      .join('|'),
  }))
  expect([attacked, images]).toEqual([false, 0])
  expect(text).not.toMatch(/[\u202e\0]/)
})
