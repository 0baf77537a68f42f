import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { consoles, rows, section } from './console.js'

const { opened } = consoles()

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
