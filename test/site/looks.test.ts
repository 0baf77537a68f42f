import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seriousViolations } from '../support/axe.js'
import { goTo, openSite, SCREENS, type Site, screenshot } from './site.js'

const PLACES = {
  start: '#/',
  guide: '#/triggering-and-watching/follow-each-change',
  'other languages': '#/other-languages/what-was-tried',
  operation: '#/runs/triggerrun',
  register: '#/basis/assumed',
  states: '#/triggering-and-watching/step-statuses',
}

/** Rules that Redoc's own frame breaks, whatever it shows. Our text, tables and diagrams break none. */
const REDOC_BREAKS = new Set([
  // The choice of an example is labelled "Example", not with the name that it shows.
  'label-content-name-mismatch',
])

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())

describe.each(SCREENS)('on a $screen in $colorScheme', ({ screen, colorScheme, viewport }) => {
  let page: Page
  beforeAll(async () => {
    page = (await site.open('', { viewport, colorScheme })).page
  })
  afterAll(() => page.context().close())

  test.each(Object.entries(PLACES))(
    'the page %s fits the screen and passes the accessibility checks',
    async (name, hash) => {
      await goTo(page, hash)
      const run = page.locator(`[data-section-id="${hash.slice(1)}"] [data-run]`).first()
      if (await run.count()) {
        await run.click()
        await page.locator('output .request').first().waitFor()
      }
      await settled(page)
      await screenshot(page, `${name}-${screen}`)
      expect(await page.evaluate(() => document.documentElement.className)).toContain(colorScheme)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width)
      const violations = await seriousViolations(page)
      expect(violations.filter(({ rule }) => !REDOC_BREAKS.has(rule))).toEqual([])
    },
  )
})

/** Waits until nothing moves any more. */
async function settled(page: Page): Promise<void> {
  await page.evaluate(() => document.fonts.ready)
  let last = ''
  await expect
    .poll(
      async () => {
        const now = await page.evaluate(() => `${scrollY} ${document.documentElement.scrollHeight}`)
        const still = now === last
        last = now
        return still
      },
      { interval: 150 },
    )
    .toBe(true)
}
