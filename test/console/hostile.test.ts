import { expect, test } from 'vitest'
import type { World } from '../../src/sandbox/index.js'
import { consoles, rows, section } from './console.js'

const { start } = consoles()

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

test('1,000 faults that are injected at once are all counted', async () => {
  const one = await start()
  const page = await one.open()
  for (let count = 0; count < 1_000; count++) one.sandbox.inject({ status: 500 })
  await section(page, /Break something/)
    .getByText('1,000')
    .first()
    .waitFor()
})
