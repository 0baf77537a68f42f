import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readPrograms } from '../../../scripts/emit/docs/programs.js'
import { budget } from '../../support/budgets.js'
import { GUIDE_OUTPUT } from './guide-output.js'
import { docs, type OpenPage, openSite, root, type Site } from './site.js'

const programs = readPrograms(root)
const runnable = programs.filter((program) => program.runnable > 0).map(({ name }) => name)
const pathOf = (guide: string) => (guide === 'home' ? '' : `guides/${guide}.html`)

let site: Site
let opened: OpenPage
beforeAll(async () => {
  site = await openSite()
  opened = await site.open()
})
afterAll(() => site.close())

test('Run is offered for code that a browser can execute, and for no other', () => {
  expect(runnable).toEqual(expect.arrayContaining(['home', 'getting-started', 'errors-and-retries', 'verifying']))
  // They need a Redis, a file, a server or a test runner.
  for (const name of ['many-processes', 'recorded-traffic', 'implementing', 'testing'])
    expect(runnable).not.toContain(name)
})

test('Run and Try it add to the site no more than their budget, and nothing to its first view', () => {
  const sizes = ['run.js', 'try.js'].map((name) => gzipSync(readFileSync(join(docs, name))).length)
  expect(sizes[0]! + sizes[1]!).toBeLessThanOrEqual(budget('bytes of Run and Try it, compressed'))
  expect(opened.requests.filter((url) => /(?:run|try)\.js/.test(url))).toEqual([])
})

test.each(programs.map(({ name }) => name))(
  'the code of %s is on the page unchanged, and prints there what it prints in Node',
  async (guide) => {
    const { page } = opened
    // As a reader goes from page to page, which loads no document anew.
    await page.goto(`${site.url}${pathOf(guide)}`)
    const shown = await page
      .locator('.vp-doc pre code')
      .evaluateAll((all) => all.map(({ textContent }) => textContent?.trim()))
    const text = readFileSync(join(root, guide === 'home' ? 'site/home.md' : `docs/guides/${guide}.md`), 'utf8')
    const codes = [...text.matchAll(/^( *)```[^\n]*\n([\s\S]*?)^ *```$/gm)].map(([, indent = '', code = '']) =>
      code.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim(),
    )
    for (const code of codes) expect(shown).toContain(code)
    const printed: string[] = []
    const blocks = await page
      .locator('[data-run]')
      .evaluateAll((all) => all.map((each) => each.getAttribute('data-run') ?? ''))
    for (const block of blocks) printed.push(...(await run(block)))
    // Some guides end with what the page does not have, such as a port; some are tested beside what they describe.
    const expected = runnable.includes(guide) ? GUIDE_OUTPUT[guide] : undefined
    if (expected) expect(printed).toEqual(expected.slice(0, Math.max(printed.length, Math.min(expected.length, 1))))
    expect(opened.complaints).toEqual([])
  },
)

test('Run works after a change of page without a new document, and requests nothing but its script', async () => {
  const { page, requests, complaints } = await site.open('guides/getting-started.html')
  await page.locator('.pager-link.next').click()
  await page.waitForURL(/terminal/)
  await page.locator('.VPNavBarTitle a').click()
  await page.locator('[data-run="home/0"]').click()
  await page.locator('output .request').first().waitFor()
  expect(await page.locator('output').first().innerText()).toMatch(/^POST [\s\S]+\nsucceeded$/)
  // A page names blocks by their position, so it must get the script that was built with it.
  expect(requests.filter((url) => /run\.js/.test(url))).toEqual([expect.stringMatching(/\/run\.js\?[0-9a-f]{8}$/)])
  expect(requests.filter((url) => !url.startsWith(site.url) && !/^(data|blob):/.test(url))).toEqual([])
  expect(complaints).toEqual([])
})

test('Run says beside its button that its script could not be loaded, and loads it with the next click', async () => {
  const { page } = await site.open('')
  await page.route('**/run.js*', (route) => route.abort(), { times: 1 })
  const button = page.locator('[data-run="home/0"]')
  await button.click()
  const note = page.locator('.runnable').first().getByRole('alert')
  await note.getByText('could not be loaded').waitFor()
  expect(await button.textContent()).toBe('Run')
  await button.click()
  await page.locator('[data-run="home/0"] + output .request').first().waitFor()
  expect(await note.count()).toBe(0)
  await page.context().close()
})

/** Runs a block and returns the lines that it prints. */
async function run(block: string): Promise<string[]> {
  const { page } = opened
  const button = page.locator(`[data-run="${block}"]`)
  const output = page.locator(`[data-run="${block}"] + output`)
  await button.click()
  await expect.poll(() => output.locator('div').count(), { timeout: 20_000 }).toBeGreaterThan(0)
  await expect.poll(() => button.isEnabled(), { timeout: 20_000 }).toBe(true)
  expect(await output.locator('.problem').allTextContents()).toEqual([])
  return output.locator('div:not(.request)').allTextContents()
}
