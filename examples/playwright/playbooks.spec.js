import { test as base, expect } from '@playwright/test'
import { worldFixture } from '@workflow-automation/contract/testing'

// A world for each test: the application has one base URL, and the key selects the world.
const test = base.extend(worldFixture(`http://127.0.0.1:${process.env.SANDBOX_PORT ?? '4010'}`))

test('a key shows the playbooks of its workspace', async ({ page, world }) => {
  await page.goto('/')
  await page.getByLabel('Key').fill(world.keys.valid)
  await page.getByRole('button', { name: 'Show' }).click()
  await expect(page.getByRole('listitem').first()).toBeVisible()
  expect(await world.requests({ operation: 'listPlaybooks' })).toHaveLength(1)
})

test('a key without permission is explained', async ({ page, world }) => {
  await page.goto('/')
  await page.getByLabel('Key').fill(world.keys.hobby)
  await page.getByRole('button', { name: 'Show' }).click()
  await expect(page.getByRole('alert')).toContainText('403')
})

test('an outage of the service is waited out', async ({ page, world }) => {
  await world.inject({ operation: 'listPlaybooks', status: 503, times: 2 })
  await page.goto('/')
  await page.getByLabel('Key').fill(world.keys.valid)
  await page.getByRole('button', { name: 'Show' }).click()
  await expect(page.getByRole('listitem').first()).toBeVisible({ timeout: 15_000 })
})
