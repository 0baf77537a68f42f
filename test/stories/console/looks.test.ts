import { copyFile, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { seriousViolations } from '../../support/axe.js'
import { budget } from '../../support/budgets.js'
import { repository } from '../../support/project.js'
import { type Console, consoles, rows, section } from './console.js'

const { start, newPage } = consoles()

/** A sandbox in which something of each kind has happened. */
async function busy(): Promise<Console> {
  const one = await start()
  const { send, trigger, sandbox } = one
  const get = async (id: string, times: number) => {
    for (let count = 0; count < times; count++) await send(`/runs/${id}`)
  }
  await get(await trigger('succeeds', { customer: 'cus_81Kx' }), 3)
  await get(await trigger('fails'), 3)
  await get(await trigger('needsApproval', { order: 'ord_5512', amount: '129.00' }), 2)
  await get(await trigger('needsApproval', { order: 'ord_5518', amount: '12.50' }), 2)
  await get(await trigger('slow', { year: '2026' }), 4)
  sandbox.inject({ operation: 'getRun', drop: true, untilCleared: true })
  sandbox.inject({ operation: 'listProviders', status: 500 })
  await send('/runs/run_8Zt4Lm2c').catch(() => {})
  await send('/workspaces/me', { key: 'key_hobby' })
  await send('/playbooks?page=x')
  await send('/providers')
  await send('/workspaces/me', { key: 'key_limited' })
  await send('/playbooks')
  return one
}

async function openDetails(page: Page): Promise<void> {
  await rows(page, 'Runs').nth(1).click()
  await rows(page, 'Requests').nth(1).click()
  await page.getByRole('region', { name: /Response \d+ body/ }).waitFor()
}

const folder = join(repository, '.build/console')

const SCREENS = [
  { screen: 'desktop', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { screen: 'phone-dark', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

describe('the console', () => {
  test.each(SCREENS)(
    'the console fits a $screen and passes the accessibility checks',
    async ({ screen, ...options }) => {
      const one = await busy()
      const page = await one.open(options)
      await mkdir(folder, { recursive: true })
      await page.screenshot({ path: join(folder, `${screen}-first.png`) })
      await openDetails(page)
      await page.screenshot({ path: join(folder, `${screen}.png`), fullPage: true })
      await page.getByText('Send a request').click()
      await page.getByText('Start a run').click()
      for (const each of await page.getByText('Headers').all()) await each.click()
      await section(page, 'Send a request').getByLabel('Operation').selectOption('triggerRun')
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await section(page, 'Send a request').getByText('201').waitFor()
      await page.screenshot({ path: join(folder, `${screen}-open.png`), fullPage: true })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        options.viewport.width,
      )
      expect(await seriousViolations(page)).toEqual([])
      await page.getByRole('button', { name: 'Reset…' }).click()
      await page.screenshot({ path: join(folder, `${screen}-reset.png`) })
      expect(await seriousViolations(page)).toEqual([])
    },
  )

  test('the screenshot in the README is the one of the console', async () => {
    const picture = join(repository, 'docs/console.png')
    if (process.env.UPDATE_PICTURES) await copyFile(join(folder, 'desktop-first.png'), picture)
    expect((await stat(picture)).size).toBeLessThanOrEqual(budget('bytes of the screenshot in the README'))
  })

  test('the console can be driven by the keyboard alone', async () => {
    const one = await busy()
    const page = await one.open()
    const focus = async (matches: string) => {
      for (let count = 0; count < 60; count++) {
        await page.keyboard.press('Tab')
        const name = await page.evaluate(() => {
          const element = document.activeElement as HTMLElement | null
          return element?.getAttribute('aria-label') ?? element?.innerText ?? ''
        })
        if (name === matches) return
      }
      throw new Error(`Tab does not reach ${matches}.`)
    }
    await focus('Approve')
    await page.keyboard.press('Enter')
    await expect
      .poll(() =>
        section(page, /Waiting for approval/)
          .getByRole('button', { name: 'Approve' })
          .count(),
      )
      .toBe(1)
    // What was decided is gone, and the focus is where it was.
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Waiting for approval')
    await focus('Start a run')
    await page.keyboard.press('Enter')
    await focus('Start')
    await page.keyboard.press('Enter')
    await expect.poll(() => rows(page, 'Runs').count()).toBe(7)
    await focus('Runs')
    await page.keyboard.press('End')
    await page.getByRole('article', { name: 'Run run_8Zt4Lm2c' }).waitFor()
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => page.getByRole('article', { name: 'Run run_8Zt4Lm2c' }).count()).toBe(0)
    await focus('Requests')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('article', { name: /^Request/ }).waitFor()
    await focus('Clear all')
    await page.keyboard.press('Space')
    await expect.poll(() => one.sandbox.faults).toEqual([])
    for (const name of ['+1 s', 'Inject', 'Send']) {
      if (name === 'Send') await section(page, 'Send a request').locator('summary').first().press('Enter')
      const button = page.getByRole('button', { name, exact: true })
      await button.press('Enter')
      await one.send('/providers')
      await rows(page, 'Requests').first().getByText('/providers').waitFor()
      expect(await button.evaluate((element) => element === document.activeElement)).toBe(true)
    }
    await focus('Reset…')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
  })

  test('the console explains itself to a browser without JavaScript', async () => {
    const { server } = await start()
    const page = await newPage({ javaScriptEnabled: false })
    await page.goto(server.consoleUrl ?? '')
    expect(await page.locator('body').innerText()).toContain('needs JavaScript')
  })
})
