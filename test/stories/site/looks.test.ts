import { afterAll, beforeAll, expect, test } from 'vitest'
import { violations } from '../../support/axe.js'
import { openSite, SCREENS, type Site, screenshot } from './site.js'

const PAGES = {
  home: '',
  guide: 'guides/triggering-and-watching.html',
  'other languages': 'guides/other-languages.html',
  'what may I rely on': 'guides/what-may-i-rely-on.html',
  register: 'guides/register.html',
  'package reference': 'reference/contract-testing.html',
  'API reference': 'api/',
  operation: 'api/#/runs/triggerrun',
}

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())

/** Each page in each width, in light and dark by turns. */
const LOOKS = SCREENS.flatMap((screen, column) =>
  Object.entries(PAGES).map(([name, path], row) => {
    const colorScheme = (row + column) % 2 === 0 ? ('light' as const) : ('dark' as const)
    return { ...screen, colorScheme, name, path }
  }),
)

test.each(LOOKS)('the page $name fits a $screen in $colorScheme, and axe finds nothing', async (look) => {
  const { screen, colorScheme, viewport, name, path } = look
  const { page } = await site.open(path, { viewport, colorScheme, reducedMotion: 'reduce' })
  const run = page.locator('[data-run]').first()
  if (await run.count()) {
    await run.click()
    await page.locator('output .request').first().waitFor()
  }
  await page.evaluate(() => document.fonts.ready)
  await page.waitForTimeout(path.startsWith('api') ? 1_000 : 100)
  await screenshot(page, `${name}-${screen}-${colorScheme}`)
  expect(await page.evaluate(() => document.documentElement.classList.contains('dark'))).toBe(colorScheme === 'dark')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width)
  expect(await violations(page)).toEqual([])
  await page.context().close()
})

test.each(['light', 'dark'] as const)('axe finds nothing in the results of the search in %s', async (colorScheme) => {
  const { page } = await site.open('', { colorScheme, reducedMotion: 'reduce' })
  await page.keyboard.press('Control+k')
  await page.locator('#localsearch-input').fill('retry')
  await page.locator('.result').first().waitFor()
  await screenshot(page, `search-${colorScheme}`)
  expect(await violations(page)).toEqual([])
  await page.context().close()
})

test('a phone opens the navigation of the site and follows it', async () => {
  const { page } = await site.open('guides/limits-and-many-runs.html', {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  await page.locator('.VPLocalNav .menu').tap()
  await page.locator('.VPSidebar').getByRole('link', { name: 'Errors and retries' }).tap()
  await page.waitForURL(/errors-and-retries/)
  await page.context().close()
})
