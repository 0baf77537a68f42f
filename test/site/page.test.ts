import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../generated/operations.js'
import { budget } from '../support/budgets.js'
import { docs, goTo, openSite, type Site } from './site.js'

let site: Site
let walk: Walk
beforeAll(async () => {
  site = await openSite()
  walk = await walkThrough(site)
})
afterAll(() => site.close())

const closePages = async () => {
  for (const context of site.browser.contexts()) await context.close()
}

describe('the page', () => {
  afterEach(closePages)

  test('the page is within its budget, as it is and compressed', () => {
    const file = join(docs, 'index.html')
    expect(statSync(file).size).toBeLessThanOrEqual(budget('bytes of the page'))
    expect(gzipSync(readFileSync(file)).length).toBeLessThanOrEqual(budget('bytes of the page, compressed'))
  })

  test('reading the whole page requests nothing but its own script and logs no error', () => {
    const requests = walk.requests.filter((url) => !/^(data|blob):/.test(url))
    expect(requests).toEqual([site.url, `${site.url}page.js`])
    expect(walk.complaints).toEqual([])
  })

  test('the page has no broken link', async () => {
    const dead: string[] = []
    for (const [link, from] of walk.links) if (!(await leadsSomewhere(link))) dead.push(`${link} on ${from}`)
    expect(walk.links.size).toBeGreaterThan(60)
    expect(dead).toEqual([])
  })

  test('the Content-Security-Policy of the page blocks foreign scripts and requests', async () => {
    const { page, complaints } = await site.open()
    const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content')
    expect(policy).toMatch(/default-src 'none'; script-src 'self' 'sha256-/)
    expect(policy).toMatch(/connect-src http:\/\/127\.0\.0\.1:\* http:\/\/localhost:\*;/)
    expect(policy?.replace(/connect-src[^;]*/, '')).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/)
    await page.evaluate(() => {
      const script = document.createElement('script')
      script.textContent = 'document.title = "taken over"'
      document.head.append(script)
    })
    const response = await page.evaluate(() =>
      fetch('https://workflow-automation.example/').then(String, () => 'refused'),
    )
    expect(await page.title()).toBe('Workflow Automation Service')
    expect(response).toBe('refused')
    expect(complaints.join()).toMatch(/Content Security Policy/)
  })

  const leadsSomewhere = async (link: string): Promise<boolean> => {
    if (link.startsWith('https:')) return true
    if (!link.startsWith('#')) return (await fetch(new URL(link, site.url))).ok
    const [route = '', anchor] = link.slice(1).split('#')
    return walk.anchors.has(route) && (!anchor || walk.anchors.get(route)?.includes(anchor) === true)
  }
})

describe('a reader', () => {
  let page: Page
  beforeAll(async () => {
    page = (await site.open('', { permissions: ['clipboard-read', 'clipboard-write'] })).page
  })
  afterAll(closePages)

  test.each([
    ...['waiting_approval', 'Retry-After', 'pino', 'jest', 'cursor', 'idempotent', 'cancel', 'A14'],
    ...['guarantee', 'retention', 'failed final', 'maxRetryAfter', 'createFetch', 'checkConformance'],
    ...Object.keys(operations),
  ])('the search finds %s', async (words) => {
    await search(page, words)
    await expect.poll(async () => (await found(page)).join('\n').toLowerCase()).toContain(words.toLowerCase())
  })

  test.each([
    ['pagination', /page/],
    ['webhooks', /poll/],
    ['key rotation', /Keep a key secret/],
    ['tirggering', /triggering/i],
  ])('the search for %s finds what the documentation calls otherwise', async (words, expected) => {
    await search(page, words)
    await expect.poll(async () => (await found(page)).join('\n')).toMatch(expected)
  })

  test('the search shows each part once, and leads to it by keyboard alone', async () => {
    await search(page, 'wait for an approval')
    await expect.poll(async () => (await found(page))[0]).toContain('Wait for an approval')
    const results = await found(page)
    expect(new Set(results).size).toBe(results.length)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.title(), { timeout: 10_000 }).toContain('Wait for an approval')
    expect(await page.getByRole('dialog').count()).toBe(0)
  })

  test('a link to a register entry scrolls to it', async () => {
    await goTo(page, '#/basis/assumed#a14')
    await expect.poll(() => page.locator('#a14').isVisible()).toBe(true)
    await expect.poll(async () => (await page.locator('#a14').boundingBox())?.y ?? -1).toBeGreaterThanOrEqual(0)
    await expect.poll(async () => (await page.locator('#a14').boundingBox())?.y ?? 9_999).toBeLessThan(500)
  })

  test('the section of an entry leads to all entries that were read from it', async () => {
    await goTo(page, '#/basis/stated#s06')
    await page.locator('#s06').getByRole('link', { name: 'Section 2' }).click()
    await expect.poll(() => page.locator('#section-2').isVisible()).toBe(true)
    expect(await page.locator('#section-2').innerText()).toMatch(/^Section 2: S05, S06, /)
  })

  test.each(['statuses-of-a-run', 'step-statuses'])('the names of the %s fit into their diagram', async (part) => {
    // Redoc renders only what is near the reader, so the reader goes to the diagram itself.
    await goTo(page, `#/triggering-and-watching/${part}`)
    const nodes = page.locator(`[data-section-id$="/${part}"] .states .node`)
    await nodes.first().waitFor()
    const margins = () =>
      nodes.evaluateAll((nodes) =>
        nodes.map((node) => {
          const [box, text] = ['path', 'text'].map((part) => node.querySelector(part)?.getBoundingClientRect())
          return Math.min((text?.left ?? 0) - (box?.left ?? 0), (box?.right ?? 0) - (text?.right ?? 0))
        }),
      )
    expect((await margins()).length).toBeGreaterThan(2)
    // The page may still be laid out.
    await expect.poll(async () => Math.min(...(await margins())), { timeout: 10_000 }).toBeGreaterThan(2)
  })

  test('the title of the window is that of the part that is read, which has one main heading', async () => {
    await goTo(page, '#/caching')
    await expect.poll(() => page.title(), { timeout: 10_000 }).toBe('Caching - Workflow Automation Service')
    await page.locator('[data-section-id="/caching"] h2[aria-level="1"]').first().waitFor()
  })

  test('the code of a guide can be copied as it is written', async () => {
    await goTo(page, '#/')
    const button = page.locator('[data-copy]').first()
    await button.click()
    await expect.poll(() => button.textContent()).toBe('Copied')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('npm install @workflow-automation/contract')
  })

  test('a code sample can be copied in each of the three forms', async () => {
    await goTo(page, '#/runs/triggerrun')
    const panel = page.locator('.panel-request-samples').first()
    const copied: string[] = []
    for (const label of ['curl', 'TypeScript client', 'TypeScript fetch']) {
      await panel
        .getByText('curl', { exact: true })
        .or(panel.getByText(/^TypeScript/))
        .first()
        .click()
      await page.getByRole('menuitem', { name: label, exact: true }).first().click()
      await panel.locator('.code-block-header').getByTestId('copy-button').click()
      copied.push(await page.evaluate(() => navigator.clipboard.readText()))
    }
    expect(copied[0]).toContain("curl --request POST 'https://workflow-automation.example/v1/playbooks/pb_3kX9wq/runs'")
    expect(copied[1]).toContain("client.triggerRun('pb_3kX9wq', {")
    expect(copied[2]).toContain("await fetch('https://workflow-automation.example/v1/playbooks/pb_3kX9wq/runs'")
  })

  test('a reader of the keyboard can skip the navigation, which is a landmark, and reach an operation', async () => {
    const { page } = await site.open()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('MAIN')
    expect(await page.getByRole('navigation', { name: 'Documentation' }).count()).toBe(1)
    await page.reload()
    await page.locator('.search-button').waitFor()
    await tabTo(page, /^Runs$/)
    await page.keyboard.press('Enter')
    await page.locator('.menu-content a[href="#/runs/getrun"]').waitFor()
    await tabTo(page, /^Get a run/)
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).hash).toBe('#/runs/getrun')
    await page.locator('[data-section-id="/runs/getrun"]').waitFor()
  })

  test('the search leads to the reference of the package, which requests nothing from other machines and logs no error', async () => {
    const { page, requests, complaints } = await site.open()
    await search(page, 'createTestService')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/reference\/functions\/contract_testing\.createTestService\.html$/)
    expect(await page.locator('h1').innerText()).toContain('createTestService')
    await page.goto(`${site.url}reference/modules/contract.html`)
    await page.getByRole('link', { name: 'ClientOptions', exact: true }).first().click()
    await page.waitForURL(/ClientOptions\.html$/)
    expect(await page.locator('main, .col-content').first().innerText()).toContain('maxResponseSize')
    expect(requests.filter((url) => !url.startsWith(site.url) && !/^(data|blob):/.test(url))).toEqual([])
    expect(complaints).toEqual([])
  })

  test('the page for paper has every operation, guide and entry of the register, and needs no script', async () => {
    const titles = await page
      .locator('.menu-content [data-text]')
      .evaluateAll((all) => all.map((each) => each.textContent))
    await page.goto(`${site.url}print.html`)
    const text = (await page.locator('body').innerText()).replaceAll(/\s+/g, ' ')
    for (const id of Object.keys(operations)) expect(text).toContain(id)
    for (const title of titles.slice(1, 5)) expect(text).toContain(title)
    expect(text).toContain('A34')
    expect(await page.locator('script').count()).toBe(0)
  })
})

/** Opens the search and looks for these words. */
async function search(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search the documentation' }).fill(words)
}

/** The texts of what the search finds. */
const found = (page: Page) => page.getByRole('option').allInnerTexts()

/** Presses Tab until a text has the focus. */
async function tabTo(page: Page, text: RegExp): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
    if (text.test(focused)) return
  }
}

interface Walk {
  requests: string[]
  complaints: string[]
  /** Where each link was last seen. */
  links: Map<string, string>
  /** The ids that are in the page, by place. */
  anchors: Map<string, string[]>
}

/** Goes to every place that the navigation leads to, with its groups opened, and notes what is there. */
async function walkThrough({ open }: Site): Promise<Walk> {
  const { page, requests, complaints } = await open()
  const links = new Map<string, string>()
  const anchors = new Map<string, string[]>()
  const queue = ['/']
  for (let route = queue.shift(); route !== undefined; route = queue.shift()) {
    if (anchors.has(route)) continue
    await goTo(page, `#${route}`)
    await page.locator(`.menu-content a[href="#${route}"] [data-active="true"]`).waitFor()
    anchors.set(route, await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id)))
    // Redoc offers each of its own headings and fields as a link for copying; those are not ours.
    for (const link of await hrefs(page, 'a[href]:not([aria-label^="link to"], .skip)')) links.set(link, route)
    queue.push(...(await hrefs(page, '.menu-content a[href^="#/"]')).map((link) => link.slice(1)))
  }
  await page.getByTestId('color-mode-switcher').first().click()
  return { requests, complaints, links, anchors }
}

const hrefs = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((all) => all.map((a) => a.getAttribute('href') ?? ''))
