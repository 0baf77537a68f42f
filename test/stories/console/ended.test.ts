import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { listen } from '../../../src/tools/sandbox/port/index.js'
import { caller, trigger } from '../../sandbox/calls.js'
import { controlPath } from '../../sandbox/ports.js'
import { consoles, hold, rows, section } from './console.js'

const { start, newPage } = consoles()

const status = (page: Page) => page.locator('header').getByRole('status')

/** Lets an hour pass in the page. Resolves to how many requests it sends meanwhile. */
async function requestsInAnHour(page: Page): Promise<number> {
  let count = 0
  page.on('request', () => count++)
  for (let count = 0; count < 6; count++) await page.clock.runFor(600_000)
  return count
}

test.each([
  ['was deleted', (url: string) => fetch(`${url}/w/shop`, { method: 'DELETE' })],
  ['was evicted', (url: string) => fetch(`${url}/w/other`, { method: 'PUT' })],
])('the console of a world that %s says so, keeps what it shows, and asks no more', async (why, end) => {
  const { server, open } = await start({}, { maxWorlds: 1 })
  await server.world('shop')
  const page = await open({ path: `/w/shop${controlPath()}`, fakeTime: true })
  await end(server.url)
  await status(page).getByText(`The world "shop" ${why}`).waitFor()
  await status(page).getByText('Reload this page to try again.').waitFor()
  expect(await rows(page, 'Runs').count()).toBe(1)
  expect(await requestsInAnHour(page)).toBe(0)
})

test('the controls of a world that was deleted are disabled, and leave a new world of the same name alone', async () => {
  const { server, open } = await start({ progress: 'clock' })
  const world = await server.world('shop')
  const page = await open({ path: `/w/shop${controlPath()}` })
  await page.getByText('Send a request').click()
  await rows(page, 'Runs').first().click()
  await world[Symbol.asyncDispose]()
  await status(page).getByText('The world "shop" was deleted').waitFor()
  const again = await server.world('shop')
  const stateOf = async () => JSON.stringify((await again.state()).workspaces.map(({ runs }) => runs))
  const before = await stateOf()
  for (const name of ['Approve', 'Reject', 'Poll', 'Run again', 'Inject', 'Pause', '+1 min', 'Send']) {
    const button = page.getByRole('main').getByRole('button', { name, exact: true }).first()
    expect(await button.isEnabled(), name).toBe(false)
    await button.click({ force: true })
  }
  expect(await stateOf()).toBe(before)
  expect(await again.requests()).toEqual([])
  // What it shows can still be read.
  expect(await page.getByLabel('Text').isEnabled()).toBe(true)
})

test('a command to a server that has stopped reports that the sandbox is not responding', async () => {
  const { server, open } = await start()
  const page = await open()
  await server.close()
  await page.getByRole('button', { name: 'Inject' }).click()
  await page.getByRole('alert').getByText('The sandbox is not responding.').waitFor()
})

test('the console of a world that is made again shows the new one', async () => {
  const { server, open } = await start()
  const world = await server.world('shop')
  const page = await open({ path: `/w/shop${controlPath()}` })
  await trigger(world, world.playbooks.fails)
  await expect.poll(() => rows(page, 'Runs').count()).toBe(2)
  await server.world('shop')
  await expect.poll(() => rows(page, 'Runs').count()).toBe(1)
  await status(page).getByText('Live', { exact: true }).waitFor()
})

test('the console of a server that has stopped tries again for a minute, says so, and then asks no more', async () => {
  const { server, open } = await start()
  const page = await open({ fakeTime: true })
  await server.close()
  await status(page).getByText('No connection, retrying').waitFor()
  const ended = 'The sandbox is not responding. Reload this page to try again.'
  await expect
    .poll(() => page.clock.runFor(3_000).then(() => status(page).textContent()), { timeout: 60_000 })
    .toBe(ended)
  expect(await requestsInAnHour(page)).toBe(0)
})

test('a console that has no token asks for nothing until it gets one', async () => {
  const { server } = await start({}, { host: '0.0.0.0' })
  const page = await newPage()
  await page.clock.install()
  await page.goto(server.url + controlPath())
  await page.getByText('This sandbox requires a token').waitFor()
  expect(await requestsInAnHour(page)).toBe(0)
})

test('the console shows nothing of the sandbox that its server had before a restart', async () => {
  const { server, send, open } = await start()
  const page = await open()
  const held = hold()
  await page.route('**/rules', (route) => held.released.then(() => route.abort()), { times: 1 })
  const reading = page.waitForRequest('**/rules')
  await send('/playbooks')
  await reading
  // Their events wait in the page.
  for (let count = 0; count < 5; count++) await send('/providers')
  await server.close()
  await status(page).getByText('No connection, retrying').waitFor()
  const sandbox = createSandbox()
  const restarted = await listen(sandbox, { port: server.port })
  await status(page).getByText('Live', { exact: true }).waitFor()
  held.release()
  await sandbox.fetch(`${sandbox.baseUrl}/workspaces/me`)
  await expect
    .poll(() => rows(page, 'Requests').allTextContents(), { timeout: 20_000 })
    .toEqual([expect.stringContaining('/workspaces/me')])
  await restarted.close()
})

test('the console reads again what the sandbox did not respond to, and reports a lost connection when it stays silent', async () => {
  const { sandbox, open } = await start()
  const page = await open()
  await page.route('**/state?*', () => {}, { times: 1 })
  sandbox.pause()
  await page.getByText('Time is paused.').waitFor()
  const silent = await open({ fakeTime: true })
  await silent.route('**/keys', () => {})
  await silent.route('**/events', () => {})
  await silent.clock.runFor(41_000)
  await status(silent).getByText('No connection, retrying').waitFor()
})

test('"Approve all" sends nothing more once the world is gone', async () => {
  const { server, open } = await start()
  const world = await server.world('shop')
  for (let count = 0; count < 3; count++) {
    const { id } = (await trigger(world, world.playbooks.needsApproval)).body
    for (let polls = 0; polls < 2; polls++) await caller(world)(`/runs/${id}`)
  }
  const page = await open({ path: `/w/shop${controlPath()}` })
  const held = hold()
  let approvals = 0
  await page.route('**/approve', async (route) => {
    approvals++
    await held.released
    await route.continue()
  })
  const runs = section(page, /^Runs/)
  await runs.getByLabel('Status').selectOption('waiting for approval')
  const first = page.waitForRequest('**/approve')
  await runs.getByRole('button', { name: 'Approve all' }).click()
  await first
  await world[Symbol.asyncDispose]()
  await status(page).getByText('The world "shop" was deleted').waitFor()
  held.release()
  await runs.getByRole('alert').getByText('were not approved').waitFor()
  expect(approvals).toBe(1)
})
