import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { consoles, rows } from './console.js'

const { start, newPage } = consoles()

const status = (page: Page) => page.locator('header').getByRole('status')

/** Lets an hour pass in the page. Resolves to how many requests it sends meanwhile. */
async function requestsInAnHour(page: Page): Promise<number> {
  let count = 0
  page.on('request', () => count++)
  for (let minute = 0; minute < 60; minute++) await page.clock.runFor(60_000)
  return count
}

test.each([
  ['was deleted', (url: string) => fetch(`${url}/w/shop`, { method: 'DELETE' })],
  ['was evicted', (url: string) => fetch(`${url}/w/other/v1/playbooks`)],
])('the console of a world that %s says so, keeps what it shows, and asks no more', async (why, end) => {
  const { server, open } = await start({}, { maxWorlds: 1 })
  await server.world('shop')
  const page = await open({ path: '/w/shop/__sandbox/', fakeTime: true })
  await end(server.url)
  await status(page).getByText(`The world "shop" ${why}`).waitFor()
  await status(page).getByText('Reload this page to try again.').waitFor()
  expect(await rows(page, 'Runs').count()).toBe(1)
  expect(await requestsInAnHour(page)).toBe(0)
})

test('the console of a world that is made again shows the new one', async () => {
  const { server, open } = await start()
  const { baseUrl, playbooks, keys } = await server.world('shop')
  const page = await open({ path: '/w/shop/__sandbox/' })
  const headers = { authorization: `Bearer ${keys.valid}`, 'content-type': 'application/json' }
  await fetch(`${baseUrl}/playbooks/${playbooks.fails}/runs`, { method: 'POST', headers, body: '{"inputs":{}}' })
  await expect.poll(() => rows(page, 'Runs').count()).toBe(2)
  await server.world('shop')
  await expect.poll(() => rows(page, 'Runs').count()).toBe(1)
  await status(page).getByText('Live', { exact: true }).waitFor()
})

test('the console of a server that has stopped tries again for a minute, says so, and then asks no more', async () => {
  const { server, open } = await start()
  const page = await open({ fakeTime: true })
  await server.close()
  await status(page).getByText('No connection, trying again').waitFor()
  const ended = 'The sandbox does not respond. Reload this page to try again.'
  await expect
    .poll(() => page.clock.runFor(1_000).then(() => status(page).textContent()), { timeout: 60_000 })
    .toBe(ended)
  expect(await requestsInAnHour(page)).toBe(0)
})

test('a console that has no token asks for nothing until it gets one', async () => {
  const { server } = await start({}, { host: '0.0.0.0' })
  const page = await newPage()
  await page.clock.install()
  await page.goto(`${server.url}/__sandbox/`)
  await page.getByText('This sandbox wants its token').waitFor()
  expect(await requestsInAnHour(page)).toBe(0)
})
