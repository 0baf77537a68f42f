import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type OperationId, operations } from '../../../generated/contract.js'
import contract from '../../../generated/openapi.json' with { type: 'json' }
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { listen } from '../../../src/tools/sandbox/port/index.js'
import { validateResponse } from '../../../src/validators/index.js'
import { seriousViolations } from '../../support/axe.js'
import { VERSION } from '../../support/fixtures.js'
import { goTo, type OpenPage, openSite, SCREENS, type Site, screenshot } from './site.js'

/** Where an operation is in the page. */
const SECTIONS = Object.fromEntries(
  Object.values<object>(contract.paths).flatMap((path) =>
    Object.values(path).map(({ operationId, tags: [tag] }) => [operationId, `/${tag}/${operationId}`.toLowerCase()]),
  ),
) as Record<OperationId, string>

const [DESKTOP] = SCREENS

let site: Site
let opened: OpenPage
let page: Page
async function openOn({ colorScheme, viewport }: (typeof SCREENS)[number]): Promise<void> {
  opened = await site.open('api/', { viewport, colorScheme })
  page = opened.page
  page.setDefaultTimeout(10_000)
}
beforeAll(async () => {
  site = await openSite()
  await openOn(DESKTOP)
})
afterAll(() => site.close())
beforeEach(() => page.keyboard.press('Escape'))

describe('Try it', () => {
  test.each(Object.keys(operations) as OperationId[])(
    'Try it sends %s to the sandbox in the page',
    async (operation) => {
      const dialog = await open(operation)
      await send(dialog)
      const status = Number(await dialog.locator('form .status').textContent())
      expect(operations[operation].success).toContain(status)
      if (hasBody(operation, status)) {
        const body = await dialog.getByRole('region', { name: 'Response body' }).first().textContent()
        expect(validateResponse(operation, { status, body: JSON.parse(body ?? '') })).toEqual([])
      }
      await dialog.getByText('Headers').first().click()
      expect(await dialog.locator('.response dl').first().textContent()).toContain('content-type')
    },
  )

  test('Try it shows next steps after the first request, and a body to its last line', async () => {
    await page.reload()
    const dialog = await open('triggerRun')
    expect(await dialog.getByText('Next steps').count()).toBe(0)
    const body = dialog.getByLabel('Body (JSON)')
    expect(await body.evaluate((field) => field.scrollHeight <= field.clientHeight)).toBe(true)
    expect(await dialog.getByLabel('id', { exact: true }).inputValue()).not.toBe('')
    await send(dialog)
    await dialog.getByText('Next steps').waitFor()
  })

  test('Try it sends the release to pin to, and refuses what is none', async () => {
    const dialog = await open('listProviders')
    await dialog.getByLabel('Service-Version').fill('tomorrow')
    await dialog.getByRole('button', { name: 'Send', exact: true }).click()
    await dialog.locator('form .status.warn').waitFor()
    expect(await dialog.locator('form pre').textContent()).toContain('Service-Version')
  })

  test('Try it copies its request as curl', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const dialog = await open('listProviders')
    await dialog.getByRole('button', { name: 'Copy as curl' }).click()
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toMatch(/^curl .*Authorization|authorization: Bearer YOUR_API_KEY/i)
  })

  test('Try it sends to a sandbox on this machine, and to no other address', async () => {
    const sandbox = createSandbox()
    const server = await listen(sandbox, { port: 0 })
    const dialog = await open('getCurrentWorkspace')
    await dialog.getByText('Use your own sandbox').click()
    await dialog.getByLabel('Base URL').fill(`https://workflow-automation.example${VERSION}`)
    await dialog.getByText('can reach only http://127.0.0.1').waitFor()
    await dialog.getByLabel('Base URL').fill(server.baseUrl)
    await dialog.getByText(`Requests go to ${server.baseUrl}.`).waitFor()
    await send(dialog)
    expect(await dialog.locator('form .status').textContent()).toBe('200')
    expect(sandbox.requests()).toHaveLength(1)
    await dialog.getByLabel('Base URL').fill('')
    await expect.poll(() => dialog.locator('form .status').count()).toBe(0)
    await server.close()
  })

  test('Try it polls and approves a triggered run until it finishes', async () => {
    const { dialog, run } = await trigger()
    const approve = run.getByRole('button', { name: 'Approve' })
    for (let polls = 0; polls < 5 && (await approve.isDisabled()); polls++) await poll(dialog, run)
    await approve.click()
    for (let polls = 0; polls < 6 && (await run.locator('.status').first().textContent()) !== 'succeeded'; polls++)
      await poll(dialog, run)
    expect(await run.locator('.status').first().textContent()).toBe('succeeded')
  })

  test('Try it shows the response to a request beyond the rate limit', async () => {
    const dialog = await open('getCurrentWorkspace')
    await send(dialog)
    await dialog.getByRole('button', { name: 'Send until rate limited' }).click()
    await dialog.locator('section .status.warn').waitFor()
    const body = await dialog.locator('section .response pre').textContent()
    expect(JSON.parse(body ?? '')).toMatchObject({ error: 'rate_limit_exceeded', retry_after: expect.any(Number) })
    await dialog.locator('section').getByText('Headers').click()
    expect(await dialog.locator('section .response dl').textContent()).toContain('retry-after')
    // One comes back each second: on a busy machine nobody may see the 0.
    await dialog.getByText(/^\d of \d+ requests left$/).waitFor()
    await dialog.getByText(/^[1-9]\d* of \d+ requests left$/).waitFor()
    await dialog.getByRole('button', { name: 'Reset the sandbox' }).click()
  })

  test('Try it scrolls to the whole of a response', async () => {
    await page.setViewportSize({ width: 1440, height: 420 })
    const dialog = await open('getCurrentWorkspace')
    await send(dialog)
    const bottom = () =>
      dialog.locator('form .response').evaluate((element) => Math.round(element.getBoundingClientRect().bottom))
    await expect.poll(bottom).toBeLessThanOrEqual(420)
    await page.setViewportSize(DESKTOP.viewport)
  })

  test('Try it closes when the reader leaves the page that it was opened on', async () => {
    await goTo(page, `#${SECTIONS.listProviders}`)
    const dialog = await open('getRun')
    await page.goBack()
    await expect.poll(() => dialog.count()).toBe(0)
  })

  test('Try it violates no policy, and makes no request', () => {
    expect(opened.complaints).toEqual([])
    const foreign = opened.requests.filter((url) => !/^(data|blob):|^http:\/\/127\.0\.0\.1:/.test(url))
    expect(foreign).toEqual([])
    const own = opened.requests.filter((url) => url.startsWith(site.url)).map((url) => url.slice(site.url.length))
    expect(own.filter((path) => !/^(?:api\/(?:redoc\.\w+\.js)?|assets\/.*|try\.js\?[0-9a-f]{8})$/.test(path))).toEqual(
      [],
    )
  })

  test.each(SCREENS)('Try it fits a $screen and is accessible on it', async (screen) => {
    await openOn(screen)
    const { dialog, run } = await trigger()
    await poll(dialog, run)
    await screenshot(page, `try-it-${screen.screen}`)
    expect(await seriousViolations(page)).toEqual([])
    const widths = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('dialog')].map((each) => each.scrollWidth),
    )
    expect(Math.max(...widths)).toBeLessThanOrEqual(screen.viewport.width)
  })
})

/** Whether a success has a body; only an operation with a success that has none says so. */
const hasBody = (operation: OperationId, status: number): boolean =>
  !(operations[operation] as { empty?: readonly number[] }).empty?.includes(status)

async function open(operation: OperationId) {
  await goTo(page, `#${SECTIONS[operation]}`)
  await page.locator(`[data-try="${operation}"]`).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('heading', { name: operations[operation].path }).waitFor()
  return dialog
}

type Dialog = Awaited<ReturnType<typeof open>>

async function send(dialog: Dialog): Promise<void> {
  await dialog.getByRole('button', { name: 'Send', exact: true }).click()
  await dialog.locator('form .status').waitFor()
}

/** Triggers a run, which the dialog then shows. */
async function trigger() {
  const dialog = await open('triggerRun')
  await send(dialog)
  const body = await dialog.locator('form pre').textContent()
  const { id } = JSON.parse(body ?? '') as { id: string }
  const run = dialog.getByRole('article', { name: `Run ${id}` })
  await run.waitFor()
  return { dialog, run }
}

/** Gets the run once, and waits for the response. */
async function poll(dialog: Dialog, run: Dialog): Promise<void> {
  const before = await run.textContent()
  await run.getByRole('button', { name: 'Poll' }).click()
  await dialog.locator('section').getByText('Response of getRun').waitFor()
  await expect.poll(() => run.textContent()).not.toBe(before)
}
