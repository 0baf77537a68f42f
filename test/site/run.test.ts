import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { slug } from '../../scripts/emit/docs/links.js'
import { readPrograms } from '../../scripts/emit/docs/programs.js'
import { GUIDE_OUTPUT } from './guide-output.js'
import { goTo, type OpenPage, openSite, root, type Site } from './site.js'

const programs = readPrograms(root)
const runnable = programs.filter((program) => program.runnable > 0).map(({ name }) => name)

let site: Site
let opened: OpenPage
let page: Page
beforeAll(async () => {
  site = await openSite('files')
  opened = await site.open()
  page = opened.page
})
afterAll(() => site.close())

test('Run is offered for code that a browser can execute, and for no other', () => {
  expect(runnable).toEqual(expect.arrayContaining(['overview', 'getting-started', 'validators', 'verifying']))
  // They need a Redis, a file, a server or a test runner.
  for (const name of ['many-processes', 'recorded-traffic', 'implementing', 'testing'])
    expect(runnable).not.toContain(name)
})

test.each(programs.map(({ name }) => name))(
  'the code of %s is on the page unchanged, and prints there what it prints in Node',
  async (guide) => {
    const printed: string[] = []
    for (const { route, codes } of sectionsOf(guide)) {
      await goTo(page, `#${route}`)
      const section = page.locator(`[data-section-id="${route}"]`)
      const shown = section.locator('pre.code')
      await expect.poll(() => shown.count()).toBe(codes.length)
      expect(await shown.evaluateAll((all) => all.map(({ textContent }) => textContent))).toEqual(codes)
      for (const block of await blocksOf(section)) printed.push(...(await run(block)))
    }
    if (runnable.includes(guide)) expect(printed).toEqual(GUIDE_OUTPUT[guide])
    expect(opened.complaints).toEqual([])
  },
)

test('Run loads one script and makes no other request', () => {
  expect(opened.requests.filter((url) => !/^(data|blob):/.test(url))).toEqual([
    site.url,
    ...['page.js', 'run.js'].map((name) => site.url.replace('index.html', name)),
  ])
})

/** The places of a guide in the page, with the code that stands there. */
function sectionsOf(guide: string): { route: string; codes: string[] }[] {
  const text = readFileSync(join(root, `openapi/guides/${guide}.md`), 'utf8')
  const [start, below] = guide === 'overview' ? ['/', '/section/'] : [`/${guide}`, `/${guide}/`]
  return text.split(/^## /m).map((section, index) => ({
    route: index === 0 ? start : below + slug(section.split('\n')[0] ?? ''),
    codes: [...section.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, code = '']) => withoutIndent(code)),
  }))
}

const withoutIndent = (code: string): string => code.replaceAll(new RegExp(`^${code.match(/^ */)}`, 'gm'), '').trim()

const blocksOf = (section: ReturnType<Page['locator']>) =>
  section.locator('[data-run]').evaluateAll((all) => all.map((button) => button.getAttribute('data-run') ?? ''))

/** Runs a block and returns the lines that it prints. */
async function run(block: string): Promise<string[]> {
  const button = page.locator(`[data-run="${block}"]`)
  const output = page.locator(`[data-run="${block}"] + output`)
  await button.click()
  await expect.poll(() => output.locator('div').count(), { timeout: 20_000 }).toBeGreaterThan(0)
  await expect.poll(() => button.isEnabled(), { timeout: 20_000 }).toBe(true)
  expect(await output.locator('.problem').allTextContents()).toEqual([])
  return output.locator('div:not(.request)').allTextContents()
}
