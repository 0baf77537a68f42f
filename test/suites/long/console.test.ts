import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { listen } from '../../../src/tools/sandbox/port/index.js'
import { trigger } from '../../sandbox/calls.js'
import { type Console, consoles, rows, section } from '../../stories/console/console.js'

const { start } = consoles()

/** Requests of the sandbox in this process, as fast as they go. */
async function traffic({ sandbox }: Console, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await trigger(sandbox, `${sandbox.playbooks.needsApproval}`, {
      inputs: { order: `ord_${index}`, note: 'x'.repeat(200) },
    })
    // The server writes its events, and the page reads them.
    if (index % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Reads the page's figures; times are those of the processor, in s, so that a busy machine does not count. */
async function metricsOf(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return async ({ collect = false } = {}) => {
    // What a first collection finalizes, the next one frees.
    for (let left = collect ? 3 : 0; left > 0; left--) {
      await session.send('HeapProfiler.collectGarbage')
      await page.waitForTimeout(300)
    }
    const { metrics } = await session.send('Performance.getMetrics')
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value])) as Record<
      'TaskDuration' | 'JSHeapUsedSize' | 'Nodes',
      number
    >
  }
}

test('the console has the newest 1,000 of more runs and requests: 200 rows at first, more when asked, and all by keyboard', async () => {
  const one = await start({ plan: false, maxRequests: 10_000 })
  await traffic(one, 1_500)
  const page = await one.open()
  for (const part of [/^Runs/, /^Requests/])
    await section(page, part)
      .getByText(/The newest 1,000 of 1,5\d\d\./)
      .waitFor()
  expect(await rows(page, 'Runs').count()).toBe(200)
  const id = await one.trigger('succeeds')
  await rows(page, 'Runs').first().getByText(id).waitFor()
  await section(page, /^Runs/).getByRole('button', { name: 'Show more' }).click()
  expect(await rows(page, 'Runs').count()).toBe(400)
  await page.getByRole('listbox', { name: 'Requests' }).focus()
  await page.keyboard.press('End')
  await rows(page, 'Requests').last().getByText('/runs').waitFor()
  expect(await rows(page, 'Requests').last().getAttribute('aria-posinset')).toBe('1000')
})

test('the request being read stays in view while new ones arrive', async () => {
  const one = await start({ plan: false })
  await traffic(one, 100)
  const page = await one.open()
  const list = page.getByRole('listbox', { name: 'Requests' })
  await list.evaluate((element) => element.scrollTo(0, 56 * 40))
  const row = rows(page, 'Requests').filter({ has: page.getByText('59', { exact: true }) })
  await row.waitFor()
  const before = await row.boundingBox()
  await traffic(one, 10)
  await section(page, /Requests/)
    .getByText('110', { exact: true })
    .first()
    .waitFor()
  await expect.poll(async () => (await row.boundingBox())?.y).toBe(before?.y)
})

test('the console does not grow with traffic once it shows as much as it keeps', async () => {
  const one = await start({ plan: false, maxRuns: 1_000 })
  const page = await one.open()
  const metrics = await metricsOf(page)
  const shown = async (count: number) => {
    await traffic(one, count)
    const last = `${one.sandbox.requests().at(-1)?.number}`
    await rows(page, 'Requests').first().getByText(last, { exact: true }).waitFor()
  }
  await shown(1_200)
  const before = await metrics({ collect: true })
  await shown(1_600)
  const after = await metrics({ collect: true })
  const mebibytes = (value: number) => `${(value / 2 ** 20).toFixed(1)} MiB`
  console.log(`Memory ${mebibytes(before.JSHeapUsedSize)}, and later ${mebibytes(after.JSHeapUsedSize)}.`)
  expect(after.JSHeapUsedSize).toBeLessThan(before.JSHeapUsedSize * 1.1 + 2 ** 20)
  expect(after.Nodes).toBeLessThan(before.Nodes * 1.2 + 200)
})

test('two tabs show the same, and one sees what the other does', async () => {
  const one = await start()
  const [first, second] = [await one.open(), await one.open()]
  const id = await one.trigger('needsApproval')
  for (let count = 0; count < 2; count++) await one.send(`/runs/${id}`)
  const approve = (page: Page) => section(page, /Waiting for approval/).getByRole('button', { name: 'Approve' })
  for (const page of [first, second]) await approve(page).waitFor()
  await approve(first).click()
  await section(second, /Waiting for approval/)
    .getByText('Nothing is waiting for approval.')
    .waitFor()
  await section(second, /Break something/)
    .getByRole('button', { name: 'Inject' })
    .click()
  await section(first, /Break something/)
    .getByText('any operation, status 500')
    .waitFor()
  await section(second, 'Time and limits').getByRole('button', { name: 'Pause' }).click()
  await section(first, 'Time and limits').getByRole('button', { name: 'Resume' }).waitFor()
  for (const page of [first, second]) await expect.poll(() => rows(page, 'Requests').count()).toBe(3)
})

test('the console shows the new sandbox after a restart of the server', async () => {
  const one = await start()
  const page = await one.open()
  const id = await one.trigger('succeeds')
  await rows(page, 'Runs').filter({ hasText: id }).waitFor()
  await one.server.close()
  await page.getByText('No connection, retrying').waitFor()
  const sandbox = createSandbox({ seed: 2 })
  const server = await listen(sandbox, { port: one.server.port })
  try {
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('No requests yet.').waitFor()
    const next = await one.trigger('fails')
    expect(next).not.toBe(id)
    await rows(page, 'Runs').filter({ hasText: next }).waitFor()
    expect(await rows(page, 'Runs').filter({ hasText: id }).count()).toBe(0)
    expect(await rows(page, 'Requests').count()).toBe(1)
  } finally {
    await page.close()
    await server.close()
  }
})

test('the console polls where events do not come through, and reads events once they do', async () => {
  const one = await start()
  const page = await one.open()
  await page.context().route('**/events', (route) => route.fulfill({ status: 502, body: '' }))
  await page.reload()
  await page.getByText('Polling').waitFor()
  const id = await one.trigger('succeeds')
  await rows(page, 'Runs').filter({ hasText: id }).waitFor()
  one.sandbox.reset()
  await page.getByText('No requests yet.').waitFor()
  await page.context().unroute('**/events')
  await page.getByText('Live', { exact: true }).waitFor()
})
