import { expect, test } from 'vitest'
import { trigger } from '../../sandbox/calls.js'
import { controlPath } from '../../sandbox/ports.js'
import { consoles, rows } from './console.js'

const { start } = consoles()

test('the console switches between worlds, each with its own runs, and reports one that does not exist', async () => {
  const one = await start()
  const world = await one.server.world('checkout')
  await trigger(world, world.playbooks.succeeds, { inputs: { from: 'a test' } })
  const page = await one.open()
  await expect.poll(() => rows(page, 'Runs').count()).toBe(1)
  await page.getByLabel('World').fill('checkout')
  expect(page.url()).toBe(one.server.url + controlPath())
  await page.getByRole('button', { name: 'Open' }).click()
  await page.waitForURL(`**/w/checkout${controlPath()}`)
  await rows(page, 'Runs').first().click()
  await page.getByText('a test').waitFor()
  await page.getByRole('button', { name: 'Run again' }).click()
  await expect.poll(async () => (await world.state()).workspaces[0]?.runs.length).toBe(3)
  await page.getByLabel('World').fill('')
  await page.getByRole('button', { name: 'Open' }).click()
  await page.waitForURL(one.server.url + controlPath())
  await page.goto(`${one.server.url}/w/missing${controlPath()}`)
  await page.getByRole('status').getByText('missing').waitFor()
})
