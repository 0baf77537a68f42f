import { describe, expect, test } from 'vitest'
import type { World } from '../../../src/tools/sandbox/index.js'
import { control, controlPath } from '../../sandbox/ports.js'
import { serve } from '../../support/server.js'
import { type Console, complaints, consoles, rows, section } from './console.js'

const { start, newPage } = consoles()

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}

test('every response below /__sandbox/ has the policy and headers that keep other pages out', async () => {
  const { server } = await start()
  await server.world('one')
  for (const path of ['', 'console.js', 'styles.css', 'state', 'events', 'no-such-command'])
    for (const prefix of ['', '/w/one']) {
      const { headers, body } = await control({ url: server.url + prefix }, path, undefined, {
        headers: { accept: 'text/html' },
      })
      await body?.cancel()
      expect(Object.fromEntries(headers), path).toMatchObject(HEADERS)
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
})

/** Serves a page of another origin. Resolves to its port. */
async function foreign() {
  const site = await serve(() => ({ headers: { 'content-type': 'text/html' }, body: '<p>foreign</p>' }))
  return { ...site, port: Number(new URL(site.baseUrl).port) }
}

/** A sandbox with one request and one fault, which are left as they were. */
async function guarded(port = 0): Promise<Console & { untouched(): void }> {
  const one = await start({}, { port })
  one.sandbox.inject({ operation: 'getRun', status: 500 })
  await one.send('/playbooks')
  const untouched = () => {
    expect(one.sandbox.faults).toHaveLength(1)
    // A browser with a window asks for an icon by itself.
    expect(one.sandbox.requests().filter(({ request }) => request.path !== '/favicon.ico')).toHaveLength(1)
    complaints.length = 0
  }
  return { ...one, untouched }
}

// localhost is another site than 127.0.0.1; another port of 127.0.0.1 is only another origin.
test.each(['http://localhost', 'http://127.0.0.1'])('a page of %s cannot change or read the sandbox', async (host) => {
  const { server, untouched } = await guarded()
  const { port } = await foreign()
  const page = await newPage()
  await page.goto(`${host}:${port}/`)
  const base = server.url + controlPath()
  const read = await page.evaluate(async (base) => {
    const attempts = (['cors', 'no-cors'] as const).flatMap((mode) => [
      fetch(`${base}state`, { mode }),
      fetch(`${base}reset`, { mode, method: 'POST', body: '{}' }),
    ])
    navigator.sendBeacon(`${base}reset`, '{}')
    new Image().src = `${base}reset`
    return Promise.all(attempts.map((each) => each.then((response) => response.text()).catch(() => '')))
  }, base)
  expect(read).toEqual(['', '', '', ''])
  const frame = await page.evaluate(async (base) => {
    const element = document.createElement('iframe')
    element.src = base
    document.body.append(element)
    await new Promise((resolve) => element.addEventListener('load', resolve))
    return element.contentDocument
  }, base)
  expect(frame).toBeNull()
  expect(page.frames().map((each) => each.url())).not.toContain(base)
  await page.setContent(
    `<form method="post" enctype="text/plain" action="${base}reset"><input name='{"a' value='b"}'><button>send</button></form>`,
  )
  await page.getByText('send').click()
  await page.getByText('A page of another origin may not control the sandbox.').waitFor()
  untouched()
  await page.goto(`${host}:${port}/`)
  await page.setContent(`<a href="${base}">console</a>`)
  await page.getByText('console').click()
  await page
    .getByText(host.includes('localhost') ? 'paste its address into the address bar' : 'Waiting for approval')
    .first()
    .waitFor()
  untouched()
})

test('a page whose name was rebound to this machine after it was loaded cannot change or read the sandbox', async () => {
  const { port, close } = await foreign()
  const page = await newPage()
  await page.goto(`http://rebound.example:${port}/`)
  await close()
  const { untouched } = await guarded(port)
  const statuses = await page.evaluate(
    ([state = '', reset = '']) =>
      Promise.all([
        fetch(state).then(({ status }) => status),
        fetch(reset, { method: 'POST' }).then(({ status }) => status),
      ]),
    [controlPath('state'), controlPath('reset')],
  )
  expect(statuses).toEqual([403, 403])
  untouched()
})

describe('a sandbox that other machines can reach', () => {
  test('the console asks for the control token, which the printed URL contains and which leaves the address bar', async () => {
    const one = await start({}, { host: '0.0.0.0' })
    const page = await newPage()
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url()))
    await page.goto(one.server.url + controlPath())
    await page.getByText('This sandbox requires a token').waitFor()
    await page.getByLabel('Token').fill(one.server.controlToken ?? '')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    const other = await newPage()
    await other.goto(one.server.consoleUrl ?? '')
    await other.getByText('Live', { exact: true }).waitFor()
    expect(other.url()).toBe(one.server.url + controlPath())
    expect(sent.join()).not.toContain(one.server.controlToken)
  })

  test('the console reads a token of any characters from the printed URL, in an open page too', async () => {
    const one = await start({}, { host: '0.0.0.0', controlToken: 'a+b%41&c#d "e' })
    const page = await newPage()
    await page.goto(one.server.url + controlPath())
    await page.getByText('This sandbox requires a token').waitFor()
    await page.goto(one.server.consoleUrl ?? '')
    await page.getByText('Live', { exact: true }).waitFor()
    expect(page.url()).toBe(one.server.url + controlPath())
    await page.reload()
    await page.getByText('Live', { exact: true }).waitFor()
  })

  test('the console takes a token in a browser that blocks storage, from the printed URL too', async () => {
    const one = await start({}, { host: '0.0.0.0' })
    const page = await newPage()
    await page.addInitScript(() => {
      Object.defineProperty(globalThis, 'sessionStorage', {
        get() {
          throw new DOMException('Storage is blocked.', 'SecurityError')
        },
      })
    })
    await page.goto(one.server.consoleUrl ?? '')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.reload()
    await page.getByLabel('Token').fill(one.server.controlToken ?? '')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
  })

  test('the console keeps the tokens of sandboxes apart that a proxy serves below several paths', async () => {
    const one = await start({}, { host: '0.0.0.0' })
    const proxy = await serve(async ({ method, url, headers }) => {
      if (url.endsWith('/events')) return { status: 502 }
      const { accept = '', authorization = '' } = headers
      const response = await fetch(one.server.url + url.replace(/^\/\w+/, ''), {
        method,
        headers: { accept, authorization },
      })
      const type = response.headers.get('content-type') ?? ''
      return { status: response.status, headers: { 'content-type': type }, body: await response.text() }
    })
    const { origin } = new URL(proxy.baseUrl)
    const page = await newPage()
    await page.goto(`${origin}/first${controlPath()}#token=${one.server.controlToken}`)
    await page.getByText('Polling', { exact: true }).waitFor()
    await page.goto(`${origin}/second${controlPath()}`)
    await page.getByText('This sandbox requires a token').waitFor()
    expect(await page.getByText('The saved token is not valid').count()).toBe(0)
    await page.goto(`${origin}/first${controlPath()}`)
    await page.getByText('Polling', { exact: true }).waitFor()
  })

  test('the console reports a wrong token and asks again', async () => {
    const one = await start({}, { host: '0.0.0.0' })
    const page = await newPage()
    await page.goto(one.server.url + controlPath())
    for (const typed of ['wrong', 'wröng…']) {
      await page.getByLabel('Token').fill(typed)
      await page.getByRole('button', { name: 'Open' }).click()
      await page.getByText('The saved token is not valid for this sandbox.').waitFor()
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
  await waits.getByText('Nothing is waiting for approval.').waitFor()
  const shown = () => ['attacked' in globalThis, document.images.length]
  expect(await page.evaluate(shown)).toEqual([false, 0])
  expect(await page.evaluate(() => document.body.innerText)).not.toMatch(/[\u202e\0]/)
})
