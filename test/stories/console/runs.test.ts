import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { consoles, hold, rows, section, waitingRun } from './console.js'

const { start, opened } = consoles()

test('a waiting step appears in an open page and is announced, and its run continues or fails when it is decided', async () => {
  const { one, page } = await opened()
  const waits = section(page, /Waiting for approval/)
  await waits.getByText('Nothing is waiting for approval.').waitFor()
  const id = await waitingRun(one, { order: 'ord_1' })
  await waits.getByText('order: ord_1').waitFor()
  await waits.getByRole('status').getByText(`1 new: run ${id}, step_2 is waiting for approval.`).waitFor()
  await waits.getByRole('button', { name: 'Approve' }).click()
  await waits.getByText('Nothing is waiting for approval.').waitFor()
  expect(one.sandbox.state.workspaces[0]?.runs.find(({ run }) => run.id === id)?.run.steps[1]?.status).toBe('succeeded')
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

test('runs are found by status and text, and the detail of one that is filtered out closes', async () => {
  const one = await start()
  const waiting = await waitingRun(one, { order: 'ord_1' })
  const other = await one.trigger('succeeds', { customer: 'cus_2' })
  const page = await one.open()
  const runs = section(page, /^Runs/)
  await rows(page, 'Runs').filter({ hasText: other }).click()
  await page.getByRole('article', { name: `Run ${other}` }).waitFor()
  await runs.getByLabel('Status').selectOption('waiting for approval')
  await expect.poll(() => rows(page, 'Runs').allTextContents()).toEqual([expect.stringMatching(`^waiting.*${waiting}`)])
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
  expect(await first.getByRole('listitem').nth(0).textContent()).toMatch(/10:00:\d\d · \d/)
  expect(await first.getByRole('listitem').nth(2).textContent()).toMatch(/10:01:\d\d · \d/)
  const second = await steps(rejected)
  await second.getByRole('listitem').nth(1).getByText('rejected').waitFor()
  await second.getByText(/10:00:\d\d · 60\.0 s/).waitFor()
})

test('runs are listed newest first, and update live with each GET', async () => {
  const { one, page } = await opened()
  const first = await one.trigger('succeeds', { customer: 'cus_1' })
  const second = await one.trigger('fails')
  await expect.poll(() => rows(page, 'Runs').locator('code').allTextContents()).toEqual([second, first, 'run_8Zt4Lm2c'])
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

test('the response to a poll leaves the selection where it is, and one without a message says so', async () => {
  const { one, page } = await opened()
  const [first, second] = [await one.trigger('succeeds'), await one.trigger('succeeds')]
  await rows(page, 'Runs').filter({ hasText: first }).click()
  const held = hold()
  await page.route(`**/runs/${first}`, async (route) => {
    await held.released
    await route.continue()
  })
  const poll = page.getByRole('article', { name: `Run ${first}` }).getByRole('button', { name: 'Poll', exact: true })
  await poll.click()
  await rows(page, 'Runs').filter({ hasText: second }).click()
  const run = page.getByRole('article', { name: `Run ${second}` })
  await run.waitFor()
  const responded = page.waitForResponse(`**/runs/${first}`)
  held.release()
  await responded
  one.sandbox.inject({ operation: 'getRun', status: 500, body: {} })
  await run.getByRole('button', { name: 'Poll', exact: true }).click()
  await run.getByRole('alert').getByText('getRun failed with 500: no message').waitFor()
})
