import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { run } from '../../../generated/examples.js'
import type { World } from '../../../src/tools/sandbox/index.js'
import { consoles, rows, section } from './console.js'

const { start, opened } = consoles()

test('a 404 says whether there is no such run or playbook, or which workspace has it', async () => {
  const workspace = (name: string, runs: World[string]['runs'] = []): World[string] => ({
    workspace: { id: `ws_${name}`, name: name === 'main' ? 'Acme Operations' : name },
    plan: false,
    keys: { [name]: { value: `key_${name}` } },
    playbooks: { [`pay_${name}`]: { playbook: { id: `pb_${name}`, name: 'Pay' }, steps: [{}] } },
    providers: [],
    runs,
  })
  const run = { id: 'run_theirs', playbook_id: 'pb_other', started_at: '2026-11-22T00:00:00Z' }
  const { one, page } = await opened({ world: { main: workspace('main'), other: workspace('other', [run]) } })
  await one.send('/runs/run_theirs', { key: 'key_main' })
  await one.send('/runs/run_none', { key: 'key_main' })
  await one.send('/playbooks/pb_other/runs', { key: 'key_main', method: 'POST', body: '{"inputs":{}}' })
  await one.send('/nowhere', { headers: { authorization: '' } })
  await expect.poll(() => rows(page, 'Requests').count()).toBe(4)
  const shown = (await rows(page, 'Requests').allTextContents()).reverse()
  expect(shown[0]).toContain('getRun · The run belongs to the workspace "other", but the key "main" belongs to "main".')
  expect(shown[1]).toContain('getRun · No such run exists.')
  expect(shown[2]).toContain(
    'triggerRun · The playbook belongs to the workspace "other", but the key "main" belongs to "main".',
  )
  expect(shown[3]).toContain('unknown operation · The path is not in the contract.')
})

test('a refused request shows the reason, and a dropped one that it got no response', async () => {
  const one = await start()
  const { send, sandbox } = one
  const page = await one.open()
  sandbox.inject({ operation: 'listProviders', status: 500 })
  sandbox.inject({ operation: 'getRun', drop: true })
  await send('/playbooks')
  await send('/workspaces/me', { key: 'key_limited' })
  await send('/playbooks/pb_7hQ2vn/runs', { method: 'POST', body: '{"inputs":{}}', key: 'key_read_only' })
  await send('/workspaces/me', { key: 'key_hobby' })
  await send('/workspaces/me', { key: 'guess' })
  await send('/playbooks?page=x')
  await send('/providers')
  await send('/runs/run_8Zt4Lm2c').catch(() => {})
  await expect.poll(async () => (await rows(page, 'Requests').count()) >= 8).toBe(true)
  const shown = (await rows(page, 'Requests').allTextContents()).reverse()
  const expected = [
    /^200.*key valid/,
    /^429.*0\.0 of 0 tokens were left; the next one is available in \d+ s\./,
    /^403.*The key "readOnly" may not call triggerRun\./,
    /^403.*The plan hobby has no API access\./,
    /^401.*No workspace has this key\./,
    /^400.*query page does not match the contract \(type\)\./,
    /^500.*Fault 1\./,
    /^none.*Fault 2 \(no response\)\./,
  ]
  expect(shown).toHaveLength(expected.length)
  for (const [index, pattern] of expected.entries()) expect(shown[index]).toMatch(pattern)
  expect(shown.every((text) => /\d ms|\d s/.test(text))).toBe(true)
})

test('requests are filtered by status, operation and text, and their bodies are pretty-printed', async () => {
  const { one, page } = await opened()
  await one.trigger('succeeds', { note: 'find me' })
  await one.send('/playbooks?page=x')
  await one.send('/providers')
  const list = rows(page, 'Requests')
  await expect.poll(() => list.count()).toBe(3)
  const filters = section(page, /Requests/)
  await filters.getByLabel('Status').selectOption('4xx')
  await expect.poll(() => list.allTextContents()).toEqual([expect.stringContaining('page=x')])
  await filters.getByLabel('Status').selectOption('All')
  await filters.getByLabel('Operation').selectOption('listProviders')
  await expect.poll(() => list.allTextContents()).toEqual([expect.stringContaining('/providers')])
  await filters.getByLabel('Operation').selectOption('All')
  await filters.getByLabel('Text').fill('FIND me')
  await expect.poll(() => list.count()).toBe(1)
  await list.first().click()
  expect(await page.getByRole('region', { name: /Request \d+ body/ }).textContent()).toBe(
    '{\n  "inputs": {\n    "note": "find me"\n  }\n}',
  )
  await page
    .getByRole('region', { name: /Response \d+ body/ })
    .getByText('"status": "running"')
    .waitFor()
})

test('a request is copied as a curl command that sends the same again, whatever it contains', async () => {
  const one = await start()
  const page = await one.open({ permissions: ['clipboard-read', 'clipboard-write'] })
  const inputs = { note: `it's $(touch /tmp/no) "quoted" \u001b[31m` }
  await one.trigger('succeeds', inputs)
  await rows(page, 'Requests').first().click()
  await page.getByRole('article', { name: 'Request 1' }).getByRole('button', { name: 'Copy as curl' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  const command = await page.evaluate(() => navigator.clipboard.readText())
  expect(command).not.toMatch(/\p{Cc}/u)
  const { stdout: printed } = await promisify(execFile)('bash', ['-c', command])
  expect(printed).toContain('201')
  expect(one.sandbox.requests().map(({ request }) => request.body)).toEqual([{ inputs }, { inputs }])
})

test('the first part of a request of half a megabyte and of its inputs is shown, with how long it was', async () => {
  const one = await start()
  await one.trigger(
    'succeeds',
    Object.fromEntries(Array.from({ length: 20_000 }, (_, each) => [`name ${each}`, 'value'])),
  )
  const page = await one.open()
  await rows(page, 'Requests').first().click()
  await page
    .getByRole('region', { name: /Request \d+ body/ })
    .getByText(/… \(\d{6} characters\)/)
    .waitFor()
  const request = page.getByRole('article', { name: 'Request 1' })
  await request.getByText('The request was too long to keep, so it cannot be copied.').waitFor()
  expect(await request.getByRole('button', { name: 'Copy as curl' }).count()).toBe(0)
  await rows(page, 'Runs').first().click()
  await page.getByText(/^19\d{3} more$/).waitFor()
})

test('a request is sent from the page, with a key that is hidden until it is shown', async () => {
  const { page } = await opened()
  await page.getByText('Send a request').click()
  const form = section(page, 'Send a request')
  expect(await form.textContent()).not.toContain('key_valid')
  await form.getByRole('button', { name: 'Show key' }).click()
  await form.getByText('key_valid').waitFor()
  await form.getByLabel('Operation').selectOption('listPlaybooks')
  await form.getByLabel('per_page').fill('1')
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByText('"per_page": 1').waitFor()
  await form.getByText('Headers').click()
  await form.getByText('application/json').waitFor()
  await form.getByLabel('API key').selectOption('No key')
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByText('401').waitFor()
  await form.getByLabel('Operation').selectOption('triggerRun')
  await form.getByLabel('API key').selectOption('valid')
  await form.getByRole('button', { name: 'Send' }).click()
  await form.getByText('201').waitFor()
  expect(await page.evaluate(() => document.documentElement.outerHTML)).not.toContain('key_read_only')
})

test('looking at the console moves no run, logs no request and takes no token', async () => {
  const one = await start()
  const before = JSON.stringify(one.sandbox.state)
  const page = await one.open()
  await rows(page, 'Runs').first().click()
  await page.getByText('Send a request').click()
  await page.getByText('Start a run').click()
  await page.reload()
  await rows(page, 'Runs').first().waitFor()
  expect(JSON.stringify(one.sandbox.state)).toBe(before)
  expect(one.sandbox.requests()).toEqual([])
})

test('a response with a header that is too long to keep is shown with its beginning', async () => {
  const { one, page } = await opened()
  one.sandbox.inject({
    operation: 'triggerRun',
    status: 201,
    headers: { 'x-long': 'y'.repeat(5_000) },
    body: { ...run },
  })
  await one.trigger('succeeds')
  await rows(page, 'Requests').first().click()
  const request = page.getByRole('article', { name: 'Request 1' })
  await request.getByText('Headers').last().click()
  await request.getByText(/^y+… \(5000 characters\)$/).waitFor()
  await request.getByRole('button', { name: 'Copy as curl' }).waitFor()
})

test('the console drops the runs and requests that the sandbox drops', async () => {
  const { one, page } = await opened({ maxRuns: 2, maxRequests: 3, plan: false })
  for (let count = 0; count < 4; count++) await one.trigger('succeeds')
  await rows(page, 'Requests').getByText('4', { exact: true }).waitFor()
  expect([await rows(page, 'Runs').count(), await rows(page, 'Requests').count()]).toEqual([2, 3])
})

test('the last of "Show more" moves the focus to the list, because the button disappears', async () => {
  const { one, page } = await opened({ plan: false })
  for (let count = 0; count < 201; count++) await one.send('/providers')
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect.poll(() => rows(page, 'Requests').count()).toBe(201)
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Requests')
})

test('the id that the form offers stays while new runs come', async () => {
  const { one, page } = await opened()
  await page.getByText('Send a request').click()
  const form = section(page, 'Send a request')
  await form.getByLabel('Operation').selectOption('getRun')
  const id = form.getByLabel('id', { exact: true })
  const offered = await id.inputValue()
  const newer = await one.trigger('succeeds')
  await rows(page, 'Runs').filter({ hasText: newer }).waitFor()
  expect(await id.inputValue()).toBe(offered)
  await form.getByLabel('Operation').selectOption('listProviders')
  await form.getByLabel('Operation').selectOption('getRun')
  expect(await id.inputValue()).toBe(newer)
})
