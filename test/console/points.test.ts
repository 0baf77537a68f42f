import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createSandbox, type SandboxOptions, type World } from '../../src/sandbox/index.js'
import { trigger } from '../sandbox/calls.js'
import { type Console, consoles, rows, section } from './console.js'

const { start } = consoles()

/** A sandbox, and a page of its console. */
async function opened(options?: SandboxOptions) {
  const one = await start(options)
  return { one, page: await one.open() }
}

/** Makes a run wait for approval. */
async function waitingRun({ trigger, send }: Console, inputs?: Record<string, string>): Promise<string> {
  const id = await trigger('needsApproval', inputs)
  for (let count = 0; count < 2; count++) await send(`/runs/${id}`)
  return id
}

describe('Waiting for approval', () => {
  test('a waiting step appears in an open page and is announced, and its run continues or fails when it is decided', async () => {
    const { one, page } = await opened()
    const waits = section(page, /Waiting for approval/)
    await waits.getByText('Nothing is waiting for approval.').waitFor()
    const id = await waitingRun(one, { order: 'ord_1' })
    await waits.getByText('order: ord_1').waitFor()
    await waits.getByRole('status').getByText(`1 new: run ${id}, step_2 is waiting for approval.`).waitFor()
    await waits.getByRole('button', { name: 'Approve' }).click()
    await waits.getByText('Nothing is waiting for approval.').waitFor()
    expect(one.sandbox.state.workspaces[0]?.runs.find(({ run }) => run.id === id)?.run.steps[1]?.status).toBe(
      'succeeded',
    )
    const other = await waitingRun(one)
    await waits.getByRole('button', { name: 'Reject' }).click()
    await rows(page, 'Runs').filter({ hasText: other }).getByText('failed').waitFor()
  })

  test('a double click approves one run, not the one that moves into its row', async () => {
    const one = await start()
    for (let count = 0; count < 3; count++) await waitingRun(one)
    const page = await one.open()
    const approve = section(page, /Waiting for approval/).getByRole('button', { name: 'Approve' })
    await expect.poll(() => approve.count()).toBe(3)
    await approve.first().click({ clickCount: 2, delay: 60 })
    await expect.poll(() => approve.count()).toBe(2)
    await one.send('/providers')
    await rows(page, 'Requests').first().getByText('/providers').waitFor()
    expect(await approve.count()).toBe(2)
  })

  test('a run explains why it cannot be approved: not there yet, no approval needed, or finished', async () => {
    const { one, page } = await opened()
    const later = await one.trigger('needsApproval')
    await section(page, /Waiting for approval/)
      .getByText(`${later}: not yet. Step 2 of 4 needs approval but has not started: each GET advances the run.`)
      .waitFor()
    const never = await one.trigger('succeeds')
    await rows(page, 'Runs').filter({ hasText: never }).click()
    const run = page.getByRole('article', { name: `Run ${never}` })
    await run.getByText('No step of this run needs approval.').waitFor()
    expect(await run.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true)
    for (let count = 0; count < 3; count++) await one.send(`/runs/${never}`)
    await run.getByText('No step is waiting for approval: the run has succeeded.').waitFor()
  })

  test('the console shows the error of the sandbox when an approval fails', async () => {
    const one = await start()
    const id = await waitingRun(one)
    const page = await one.open()
    await page.route('**/approve', (route) => route.continue({ url: route.request().url().replace(id, 'run_gone') }))
    const waits = section(page, /Waiting for approval/)
    await waits.getByRole('button', { name: 'Approve' }).click()
    await waits.getByRole('alert').getByText('There is no run with the id "run_gone" in the sandbox.').waitFor()
  })
})

test('five waiting runs are shown, and all of them can be found and approved together', async () => {
  const one = await start()
  for (let count = 1; count <= 7; count++) await waitingRun(one, { order: `ord_${count}` })
  const page = await one.open()
  const waits = section(page, /Waiting for approval/)
  await expect.poll(() => waits.getByRole('button', { name: 'Approve' }).count()).toBe(5)
  await waits.getByRole('button', { name: 'Show all 7' }).click()
  const runs = section(page, /^Runs/)
  expect(await runs.evaluate((element) => element === document.activeElement)).toBe(true)
  await expect.poll(() => rows(page, 'Runs').count()).toBe(7)
  await runs.getByLabel('Search').fill('ord_7')
  await runs.getByText('1 waiting.').waitFor()
  await runs.getByRole('button', { name: 'Approve all' }).click()
  await runs.getByText('No run matches.').waitFor()
  await runs.getByLabel('Search').fill('')
  await runs.getByRole('button', { name: 'Approve all' }).click()
  await waits.getByText('Nothing is waiting for approval.').waitFor()
})

describe('Runs', () => {
  test('runs are found by status and text, and the detail of one that is filtered out closes', async () => {
    const one = await start()
    const waiting = await waitingRun(one, { order: 'ord_1' })
    const other = await one.trigger('succeeds', { customer: 'cus_2' })
    const page = await one.open()
    const runs = section(page, /^Runs/)
    await rows(page, 'Runs').filter({ hasText: other }).click()
    await page.getByRole('article', { name: `Run ${other}` }).waitFor()
    await runs.getByLabel('Status').selectOption('waiting for approval')
    await expect
      .poll(() => rows(page, 'Runs').allTextContents())
      .toEqual([expect.stringMatching(`^waiting.*${waiting}`)])
    await expect.poll(() => page.getByRole('article').count()).toBe(0)
    await runs.getByLabel('Status').selectOption('All')
    await runs.getByLabel('Search').fill('CUS_2')
    await expect.poll(() => rows(page, 'Runs').allTextContents()).toEqual([expect.stringContaining(other)])
    await runs.getByLabel('Search').fill('nothing like it')
    await runs.getByText('No run matches.').waitFor()
  })

  test.each([1280, 420])(
    'the details of a run and of a request open beside their row or close below it, in a page %d px wide',
    async (width) => {
      const one = await start()
      for (let index = 0; index < 12; index++) await one.trigger('succeeds')
      const page = await one.open({ viewport: { width, height: 900 } })
      for (const list of ['Runs', 'Requests']) {
        await rows(page, list).nth(1).click()
        const article = section(page, new RegExp(`^${list}`)).getByRole('article')
        await article.waitFor()
        const row = (await rows(page, list).and(page.locator('[aria-selected="true"]')).boundingBox())!
        const details = (await article.boundingBox())!
        const isBeside = details.x >= row.x + row.width && details.y <= row.y
        const gap = details.y - (row.y + row.height)
        expect(isBeside || (gap >= 0 && gap < 200), `${list}: ${JSON.stringify({ row, details })}`).toBe(true)
        expect(isBeside).toBe(width > 900)
      }
    },
  )

  test('a world without runs offers its first run: with a button, and as a line for a terminal', async () => {
    const { main } = createSandbox().export()
    const one = await start({ world: { main: { ...main!, runs: [] } } })
    const page = await one.open()
    const runs = section(page, /^Runs/)
    const line = await runs.locator('.empty pre').innerText()
    expect(line).toMatch(/^curl .*key_valid/)
    await promisify(execFile)('sh', ['-c', line])
    await expect.poll(() => rows(page, 'Runs').count()).toBe(1)
    await expect.poll(() => runs.getByText('No runs yet.').count()).toBe(0)
    one.sandbox.reset()
    await runs.getByRole('button', { name: 'Run Welcome a customer' }).click()
    await page.getByRole('article', { name: /^Run / }).waitFor()
    expect(one.sandbox.requests({ operation: 'triggerRun', status: 201 })).toHaveLength(1)
  })

  test('a run leads to its requests, and a request to its run, whatever the lists are filtered by', async () => {
    const one = await start()
    const id = await waitingRun(one)
    const page = await one.open()
    await rows(page, 'Runs').filter({ hasText: id }).click()
    const run = page.getByRole('article', { name: `Run ${id}` })
    await run.getByText(/in request 3, \d\d:\d\d:\d\d/).waitFor()
    await section(page, /^Requests/)
      .getByLabel('Status')
      .selectOption('5xx')
    await run.getByRole('button', { name: /^1 triggerRun 201/ }).click()
    const request = page.getByRole('article', { name: 'Request 1' })
    await request.waitFor()
    expect(await request.evaluate((element) => element === document.activeElement)).toBe(true)
    await section(page, /^Runs/).getByLabel('Search').fill('no match')
    await expect.poll(() => run.count()).toBe(0)
    await request.getByRole('button', { name: 'Show the run' }).click()
    await run.waitFor()
    expect(await run.evaluate((element) => element === document.activeElement)).toBe(true)
  })

  test('a run shows when its steps started, how long they took, and what was decided', async () => {
    const one = await start({ progress: 'clock', startTime: '2030-01-01T10:00:00Z' })
    one.sandbox.pause()
    const page = await one.open()
    const approved = await one.trigger('needsApproval')
    const rejected = await one.trigger('needsApproval')
    one.sandbox.advance(60_000)
    one.sandbox.approve(approved)
    one.sandbox.reject(rejected)
    one.sandbox.advance(60_000)
    const steps = async (id: string) => {
      await rows(page, 'Runs').filter({ hasText: id }).click()
      return page.getByRole('article', { name: `Run ${id}` })
    }
    const first = await steps(approved)
    await first.getByRole('listitem').nth(1).getByText('approved').waitFor()
    expect(await first.getByRole('listitem').nth(0).textContent()).toMatch(/10:00:00 · \d/)
    expect(await first.getByRole('listitem').nth(2).textContent()).toMatch(/10:01:00 · \d/)
    const second = await steps(rejected)
    await second.getByRole('listitem').nth(1).getByText('rejected').waitFor()
    await second.getByText('10:00:00 · 60.0 s').waitFor()
  })

  test('runs are listed newest first, and update live with each GET', async () => {
    const { one, page } = await opened()
    const first = await one.trigger('succeeds', { customer: 'cus_1' })
    const second = await one.trigger('fails')
    await expect
      .poll(() => rows(page, 'Runs').locator('code').allTextContents())
      .toEqual([second, first, 'run_8Zt4Lm2c'])
    const row = rows(page, 'Runs').filter({ hasText: first })
    await row.getByText('0 of 2 steps · advances with the next GET').waitFor()
    await one.send(`/runs/${first}`)
    await row.getByText('1 of 2 steps · advances with the next GET').waitFor()
    await row.click()
    const run = page.getByRole('article', { name: `Run ${first}` })
    await run.getByText('cus_1').waitFor()
    await run.getByRole('button', { name: 'Poll', exact: true }).click()
    await row.getByText('2 of 2 steps').waitFor()
  })

  test('a run is started from a playbook with inputs, is shown with them, and started again unless they are too long', async () => {
    const { one, page } = await opened()
    await page.getByText('Start a run').click()
    const form = section(page, /Runs/)
    await form.getByLabel('Playbook').selectOption({ label: 'Refund an order (main)' })
    const inputs = { order: 'ord_7', text: 'x'.repeat(3_000) }
    await form.getByLabel('Inputs (JSON)').fill(JSON.stringify(inputs))
    await form.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('article').getByText('ord_7').waitFor()
    await page.getByRole('button', { name: 'Run again' }).click()
    await expect
      .poll(() => one.sandbox.state.workspaces[0]?.runs.slice(1).map((each) => each.inputs))
      .toEqual([inputs, inputs])
    await form.getByLabel('Inputs (JSON)').fill(JSON.stringify({ order: 'ord_8', text: 'x'.repeat(20_000) }))
    await form.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('article').getByText('The inputs were too long to keep').waitFor()
    expect(await page.getByRole('button', { name: 'Run again' }).isDisabled()).toBe(true)
    await rows(page, 'Requests').first().click()
    await page
      .getByRole('region', { name: /Request \d+ body/ })
      .getByText('ord_8')
      .waitFor()
    await form.getByLabel('Inputs (JSON)').fill('{')
    await form.getByRole('button', { name: 'Start' }).click()
    await form.getByRole('alert').waitFor()
  })
})

describe('Requests', () => {
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
    expect(shown[0]).toContain(
      'getRun · The run belongs to the workspace "other", but the key "main" belongs to "main".',
    )
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
})

describe('Break something', () => {
  test('injected faults make calls fail, are listed while they wait, can be cleared, and are refused with the reason', async () => {
    const { one, page } = await opened()
    const faults = section(page, /Break something/)
    await faults.getByLabel('Operation').selectOption('listProviders')
    await faults.getByLabel('Status').fill('503')
    await faults.getByLabel('Delay (ms)').fill('20')
    await faults.getByLabel('Times').fill('2')
    await faults.getByRole('button', { name: 'Inject' }).click()
    await faults.getByText('listProviders, status 503, delayed by 20 ms').waitFor()
    expect((await one.send('/providers')).status).toBe(503)
    await faults.getByText('1 call left').waitFor()
    await faults.getByLabel('Operation').selectOption('Any')
    await faults.getByLabel('Drop the connection').check()
    await faults.getByLabel('Until cleared').check()
    await faults.getByRole('button', { name: 'Inject' }).click()
    await faults.getByText('any operation, delayed by 20 ms, connection dropped').waitFor()
    await expect(one.send('/playbooks')).rejects.toThrow()
    await faults.getByRole('button', { name: 'Clear fault 1' }).click()
    await expect.poll(() => one.sandbox.faults.map(({ number }) => number)).toEqual([2])
    await faults.getByRole('button', { name: 'Clear all' }).click()
    await expect.poll(() => one.sandbox.faults).toEqual([])
    await expect.poll(() => faults.getByRole('list').count()).toBe(0)
    await faults.getByLabel('Drop the connection').uncheck()
    await faults.getByLabel('Malformed body').check()
    await faults.getByLabel('Status').fill('')
    await faults.getByRole('button', { name: 'Inject' }).click()
    await faults.getByText('any operation, delayed by 20 ms, body truncated').waitFor()
    await expect((await one.send('/playbooks')).json()).rejects.toThrow()
    await faults.getByLabel('Status').fill('7')
    await faults.getByRole('button', { name: 'Inject' }).click()
    await faults.getByRole('alert').getByText('status must be an integer from 200 to 599').waitFor()
  })

  test('presets break the next polls, the next call or the response of the next trigger, and a run its own polls', async () => {
    const { one, page } = await opened()
    const faults = section(page, /Break something/)
    const id = await one.trigger('succeeds')
    await rows(page, 'Runs').filter({ hasText: id }).click()
    await page.getByRole('button', { name: 'Break the polls' }).click()
    await faults.getByText(`getRun, status 500, run ${id}`).waitFor()
    expect((await one.send('/runs/run_8Zt4Lm2c')).status).toBe(200)
    for (let count = 0; count < 3; count++) expect((await one.send(`/runs/${id}`)).status).toBe(500)
    await faults.getByRole('button', { name: /^Next call: 429/ }).click()
    await faults.getByText('any operation, status 429, retryAfter 30').waitFor()
    expect((await one.send('/providers')).headers.get('retry-after')).toBe('30')
    await faults.getByRole('button', { name: /^Next three polls/ }).click()
    await faults.getByText('3 calls left').waitFor()
    await faults.getByRole('button', { name: 'Next trigger: response lost' }).click()
    await faults.getByText('triggerRun, response lost, after effect').waitFor()
    await expect(one.trigger('succeeds')).rejects.toThrow()
    await expect.poll(() => rows(page, 'Runs').count()).toBe(3)
  })
})

describe('Time and limits', () => {
  test('time can be advanced and paused, and the remaining tokens are shown', async () => {
    const { one, page } = await opened({ progress: 'clock' })
    const time = section(page, 'Time and limits')
    await time.getByRole('button', { name: 'Pause' }).click()
    await time.getByText('Time is paused.').waitFor()
    for (let count = 0; count < 30; count++) await one.send('/workspaces/me')
    await time.getByText('90 of 120 tokens, 60 per minute').waitFor()
    expect(await time.getByRole('meter', { name: 'Tokens of main' }).getAttribute('value')).toBe('90')
    const id = await one.trigger('succeeds')
    await rows(page, 'Runs').filter({ hasText: id }).getByText('time is paused').waitFor()
    await time.getByRole('button', { name: '+1 s' }).click()
    await time.getByText('91 of 120 tokens').waitFor()
    await rows(page, 'Runs').filter({ hasText: id }).getByText('1 of 2 steps').waitFor()
    await time.getByRole('button', { name: 'Resume' }).click()
    await rows(page, 'Runs').filter({ hasText: id }).getByText('2 of 2 steps · ended').waitFor()
  })

  test('time goes on by itself, to the next change of a run, and to a time that is set', async () => {
    const { one, page } = await opened({ progress: 'clock', startTime: '2030-01-01T10:00:00Z' })
    const time = section(page, 'Time and limits')
    await time.getByText(/2030-01-01 10:00:0[1-9]/).waitFor()
    one.sandbox.pause()
    const id = await one.trigger('slow')
    const row = rows(page, 'Runs').filter({ hasText: id })
    for (const steps of [1, 2, 3]) {
      await time.getByRole('button', { name: 'To the next change' }).click()
      await row.getByText(`${steps} of 12 steps`).waitFor()
    }
    one.sandbox.resume()
    await row.getByText(/advances in \d+\.\d s/).waitFor()
    await time.getByLabel('New time (UTC)').fill('2030-01-01 11:00:00')
    await time.getByRole('button', { name: 'Set time' }).click()
    await row.getByText('ended').waitFor()
    await time.getByRole('time').getByText('2030-01-01 11:00:00').waitFor()
    await time.getByLabel('New time (UTC)').fill('2029-01-01')
    await time.getByRole('button', { name: 'Set time' }).click()
    await time.getByRole('alert').getByText('setTime() expects a time from').waitFor()
  })

  test('a snapshot is saved and restored, the state is exported as a world, and a reset asks for confirmation', async () => {
    const { one, page } = await opened()
    const state = section(page, 'State')
    await one.trigger('succeeds')
    await expect.poll(() => rows(page, 'Runs').count()).toBe(2)
    const save = async (name: string) => {
      const [download] = await Promise.all([page.waitForEvent('download'), state.getByRole('button', { name }).click()])
      return download.path()
    }
    const snapshot = await save('Save a snapshot')
    const world = JSON.parse(await readFile(await save('Export as a world'), 'utf8'))
    expect(createSandbox({ world }).state.workspaces[0]?.runs).toHaveLength(2)
    await page.getByRole('button', { name: 'Reset…' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(one.sandbox.requests()).toHaveLength(1)
    await page.getByRole('button', { name: 'Reset…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reset' }).click()
    await expect.poll(() => rows(page, 'Runs').count()).toBe(1)
    await page.getByText('No requests yet.').waitFor()
    await state.getByRole('button', { name: 'Restore', exact: true }).click()
    await state.getByRole('alert').getByText('Choose a snapshot file first.').waitFor()
    await state.getByLabel('Snapshot to restore').setInputFiles(snapshot)
    await state.getByRole('button', { name: 'Restore', exact: true }).click()
    await expect.poll(() => rows(page, 'Runs').count()).toBe(2)
  })
})

describe('Worlds', () => {
  test('the console switches between worlds, each with its own runs, and reports one that does not exist', async () => {
    const one = await start()
    const world = await one.server.world('checkout')
    await trigger(world, world.playbooks.succeeds, { inputs: { from: 'a test' } })
    const page = await one.open()
    await expect.poll(() => rows(page, 'Runs').count()).toBe(1)
    await page.getByLabel('World').fill('checkout')
    expect(page.url()).toBe(`${one.server.url}/__sandbox/`)
    await page.getByRole('button', { name: 'Open' }).click()
    await page.waitForURL('**/w/checkout/__sandbox/')
    await rows(page, 'Runs').first().click()
    await page.getByText('a test').waitFor()
    await page.getByRole('button', { name: 'Run again' }).click()
    await expect.poll(async () => (await world.state()).workspaces[0]?.runs.length).toBe(3)
    await page.getByLabel('World').fill('')
    await page.getByRole('button', { name: 'Open' }).click()
    await page.waitForURL(`${one.server.url}/__sandbox/`)
    await page.goto(`${one.server.url}/w/missing/__sandbox/`)
    await page.getByRole('status').getByText('missing').waitFor()
  })
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
