import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { goTo, openSite, root, type Site } from './site.js'

const PLACES = {
  start: '#/',
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

const SCREENS = [
  { screen: 'desktop', colorScheme: 'light', viewport: { width: 1440, height: 1000 } },
  { screen: 'phone', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

describe.each(SCREENS)('on a $screen in $colorScheme', ({ screen, colorScheme, viewport }) => {
  let page: Page
  beforeAll(async () => {
    page = (await site.open('', { viewport, colorScheme })).page
  })
  afterAll(() => page.context().close())

  test.each(Object.entries(PLACES))('%s fits the screen and passes the accessibility checks', async (name, hash) => {
    await goTo(page, hash)
    await settled(page)
    await page.screenshot({ path: await shot(`${name}-${screen}`) })
    expect(await page.evaluate(() => document.documentElement.className)).toContain(colorScheme)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width)
    const violations = await seriousViolations(page)
    expect(violations.filter(({ rule }) => !REDOC_BREAKS.has(rule))).toEqual([])
  })
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

async function shot(name: string): Promise<string> {
  const folder = join(root, 'dist/docs-screenshots')
  await mkdir(folder, { recursive: true })
  return join(folder, `${name}.png`)
}

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

interface Violation {
  rule: string
  where: string[]
}

/** Run by the debugger, which the page's policy for scripts does not hold. */
async function seriousViolations(page: Page): Promise<Violation[]> {
  await page.evaluate(await readFile(axe, 'utf8'))
  return page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run()
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => ({ rule: id, where: nodes.slice(0, 5).map(({ target }) => target.join(' ')) }))
  })
}

interface AxeResults {
  violations: { id: string; impact: string; nodes: { target: string[] }[] }[]
}
