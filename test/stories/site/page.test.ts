import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../../generated/contract.js'
import { violations } from '../../support/axe.js'
import { budget } from '../../support/budgets.js'
import { VERSION } from '../../support/fixtures.js'
import { docs, type OpenPage, openSite, type Site } from './site.js'

const read = (file: string) => readFileSync(join(docs, file), 'utf8')
const pages = readdirSync(docs, { recursive: true })
  .map((file) => `${file}`)
  .filter((file) => file.endsWith('.html') && file !== '404.html')
const written = pages.filter((file) => !file.startsWith('api/'))

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())

describe('every page', () => {
  test('every link of a page leads to a page, a heading or a file of the site', () => {
    const anchors = new Map(pages.map((page) => [page, new Set(read(page).match(/(?<= id=")[^"]+/g) ?? [])]))
    const dead: string[] = []
    for (const page of written)
      for (const [, link = ''] of read(page).matchAll(/<a [^>]*?href="([^"]+)"/g)) {
        if (/^https?:|^mailto:/.test(link)) continue
        const [path = '', anchor = ''] = link.split('#')
        const file = path === '' ? page : path.startsWith('/') ? path.slice(1) : join(dirname(page), path)
        const target = file === '' || file.endsWith('/') ? `${file}index.html` : file
        const isRoute = target === 'api/index.html'
        if (!existsSync(join(docs, target))) dead.push(`${link} on ${page}`)
        else if (anchor && !isRoute && !anchors.get(target)?.has(decodeURIComponent(anchor)))
          dead.push(`${link} on ${page}`)
      }
    expect(written.length).toBeGreaterThan(35)
    expect(dead).toEqual([])
  })

  test('a page requests nothing from other machines, violates no policy and logs no error', async () => {
    const { page, requests, complaints } = await site.open()
    for (const each of written) {
      await page.goto(site.url + each)
      await page.locator('h1').first().waitFor()
    }
    expect(requests.filter((url) => !url.startsWith(site.url) && !/^(data|blob):/.test(url))).toEqual([])
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('what a guide loads at first and the API reference are within their budgets', async () => {
    const { page, requests } = await site.open('guides/getting-started.html')
    await page.waitForLoadState('networkidle')
    const files = new Set(
      requests.map((url) => new URL(url).pathname.slice(1)).filter((file) => existsSync(join(docs, file))),
    )
    const bytes = [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(docs, file))).length, 0)
    expect(bytes).toBeLessThanOrEqual(budget('bytes of a guide, compressed'))
    const [script = ''] = readdirSync(join(docs, 'api')).filter((file) => /^redoc\.[0-9a-f]{8}\.js$/.test(file))
    expect(gzipSync(read(`api/${script}`)).length).toBeLessThanOrEqual(budget('bytes of the API reference, compressed'))
    expect(read('api/index.html').length).toBeLessThanOrEqual(400_000)
    await page.context().close()
  })

  test.each(['guides/getting-started.html', 'api/'])(
    'the policy of %s blocks foreign scripts and requests',
    async (path) => {
      const { page, complaints } = await site.open(path)
      const title = await page.title()
      const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content')
      expect(policy).toMatch(/default-src 'self'; object-src 'none'; script-src 'self' 'sha256-/)
      expect(policy?.replace(/connect-src[^;]*/, '')).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/)
      await page.evaluate(() => {
        const script = document.createElement('script')
        script.textContent = 'document.title = "taken over"'
        document.head.append(script)
      })
      const response = await page.evaluate(() =>
        fetch('https://workflow-automation.example/').then(String, () => 'refused'),
      )
      expect(await page.title()).toBe(title)
      expect(response).toBe('refused')
      expect(complaints.join()).toMatch(/Content Security Policy/)
      await page.context().close()
    },
  )

  test('the address of a former guide leads to where its contents are', async () => {
    const { page } = await site.open('guides/fast-tests.html')
    await page.waitForURL(/guides\/testing\.html#fast-tests$/)
    await page.locator('h2#fast-tests').waitFor()
    await page.context().close()
  })

  test('an address with another ending, or of a former guide, leads to its page, and any other says so', async () => {
    const { page } = await site.open('', { javaScriptEnabled: true })
    for (const [address, wanted] of [
      ['guides/terminal', /\/guides\/terminal\.html$/],
      ['guides/terminal/#commands', /\/guides\/terminal\.html#commands$/],
      ['guides/overview/', /\/guides\/getting-started\.html/],
    ] as const) {
      await page.goto(site.url + address)
      await page.waitForURL(wanted)
      await page.locator('main h1').waitFor()
    }
    await page.goto(`${site.url}guides/nothing/`)
    await page.getByRole('main').getByRole('link', { name: 'The first page' }).waitFor()
    expect(await violations(page)).toEqual([])
    await page.context().close()
  })

  test('words in angle brackets and braces are shown as they are written', () => {
    const text = read('guides/verifying.html') + read('guides/changelog.html')
    expect(text).toContain('&lt;base-url&gt;')
    for (const page of written) expect(read(page), page).not.toContain('[object Object]')
  })

  test('every page but the API reference can be read without scripts, which leads to the operations as text', async () => {
    const { page } = await site.open('guides/errors-and-retries.html', { javaScriptEnabled: false })
    expect(await page.locator('main').innerText()).toMatch(/ConnectionError/)
    await page.goto(`${site.url}api/`)
    await page.getByRole('link', { name: 'Operations as text' }).click()
    for (const id of Object.keys(operations)) await page.locator(`h2#${id.toLowerCase()}`).waitFor()
    await page.goto(site.url)
    expect(await page.locator('main').innerText()).toContain('waitForRun')
    await page.context().close()
  })

  test.each(['', 'guides/register.html', 'api/'])(
    'the page "%s" can be read in a frame without storage',
    async (path) => {
      const page = await site.browser.newPage()
      await page.setContent(
        `<iframe sandbox="allow-scripts" src="${site.url}${path}" width="1200" height="800"></iframe>`,
      )
      const frame = page.frameLocator('iframe')
      await frame.locator('h1').first().waitFor()
      await expect
        .poll(() => frame.locator('body').innerText())
        .toMatch(/(?:What may I rely on\?|Workflow Automation Service)[\s\S]{200}/)
      await page.context().close()
    },
  )
})

describe('a reader', () => {
  let opened: OpenPage
  let page: Page
  beforeAll(async () => {
    opened = await site.open('', { permissions: ['clipboard-read', 'clipboard-write'] })
    page = opened.page
  })
  afterAll(() => page.context().close())

  test.each([
    ['har', /recorded-traffic/],
    ['lost response', /errors-and-retries/],
    ['sse', /recipes/],
    ['pagination', /getting-started|operations\.html#listplaybooks/],
    ['429', /errors-and-retries|limits-and-many-runs/],
    ['webhook', /what-may-i-rely-on/],
    ['axios', /bring-your-own-client/],
    ['java', /other-languages/],
    ['schemathesis', /other-languages/],
    ['POST /playbooks', /operations\.html#triggerrun/],
    ['getRun', /operations\.html#getrun/],
    ['Retry-After', /errors-and-retries|limits-and-many-runs/],
    ['waiting_approval', /triggering-and-watching/],
    ['approve', /triggering-and-watching/],
    ['rate limt', /limits-and-many-runs/],
    ['is it my client', /recorded-traffic/],
    ['kubernetes', /shared-sandbox/],
    ['docker', /shared-sandbox/],
    ['createClient', /reference\/contract\.html#createclient/],
    ...Object.keys(operations).map((id): [string, RegExp] => [id, new RegExp(`#${id.toLowerCase()}`)]),
  ])('the page about "%s" is among the first three that the search finds', async (words, wanted) => {
    expect((await search(page, words)).slice(0, 3).join('\n')).toMatch(wanted)
  })

  test('a hit that is an operation leads to its page in the API reference', async () => {
    const { page: reader } = await site.open('guides/limits-and-many-runs.html')
    await search(reader, 'triggerRun')
    await reader.keyboard.press('Enter')
    await reader.waitForURL(/\/api\/#\/runs\/triggerrun$/)
    await reader.context().close()
  })

  test('the search works by keyboard alone, and on a phone', async () => {
    await search(page, 'wait for an approval')
    await page.keyboard.press('Enter')
    await page.waitForURL(/triggering-and-watching\.html#wait-for-an-approval$/)
    const { page: phone } = await site.open('guides/limits-and-many-runs.html', {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
    })
    await phone.getByRole('button', { name: 'Search' }).tap()
    await phone.getByRole('searchbox').or(phone.locator('#localsearch-input')).first().fill('approval')
    await phone.locator('.result').first().tap()
    await phone.waitForURL(/approval/)
    await phone.context().close()
  })

  test('the sidebar follows the reader through the API reference, and leads to each operation', async () => {
    const { page, complaints } = await site.open('guides/errors-and-retries.html')
    await page.locator('.VPNavBarMenu').getByRole('link', { name: 'API' }).click()
    for (const [name, hash] of [
      ['Get a run', '#/runs/getrun'],
      ['Trigger a run of a playbook', '#/runs/triggerrun'],
    ] as const) {
      await page.locator('.VPSidebar').getByRole('link', { name }).click()
      await expect.poll(() => new URL(page.url()).hash).toBe(hash)
      await expect.poll(() => page.title()).toBe(`${name} - Workflow Automation Service`)
      await expect.poll(() => page.locator('.VPSidebarItem.is-active.is-link').allInnerTexts()).toEqual([name])
    }
    await page.goBack()
    await expect.poll(() => page.title()).toBe('Get a run - Workflow Automation Service')
    await page.locator('.VPNavBarMenu').getByRole('link', { name: 'Guides' }).click()
    await page.locator('h1', { hasText: 'Getting started' }).waitFor()
    expect(await page.locator('#redoc').count()).toBe(0)
    await page.goBack()
    await page.locator('[data-section-id="/runs/getrun"]').waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('the code of a guide can be copied as it is written', async () => {
    await page.goto(`${site.url}guides/getting-started.html`)
    await page.getByRole('button', { name: 'Copy' }).first().click()
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe('npm install @workflow-automation/contract')
  })

  test('the register shows the entries of one kind, one area and some words, assumed first', async () => {
    await page.goto(`${site.url}guides/register.html`)
    const visible = page.locator('.entry:visible')
    const all = await visible.count()
    expect(await visible.first().getAttribute('data-kind')).toBe('assumed')
    await page.getByRole('button', { name: /^stated \d+$/ }).click()
    await page.getByLabel('Area').selectOption('Errors')
    const kinds = await visible.evaluateAll((each) => each.map(({ dataset }) => `${dataset.kind} ${dataset.area}`))
    expect(new Set(kinds)).toEqual(new Set(['stated Errors']))
    expect(kinds.length).toBeLessThan(all)
    await page.getByText(`${kinds.length} entries`).waitFor()
    const headings = await page.locator('.register .vp-doc h2:visible').allInnerTexts()
    expect(headings.map((text) => text.split(/\W/)[0])).toEqual(['Stated'])
    await page.getByLabel('Text').fill('no such words')
    await page.getByText('No entries match.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    expect(await visible.count()).toBe(all)
    expect(await page.getByLabel('Text').evaluate((field) => field === document.activeElement)).toBe(true)
    await page.getByLabel('Text').fill('Retry-After seconds')
    const texts = await visible.allInnerTexts()
    expect(texts.length).toBeLessThan(all)
    for (const text of texts) expect(text.toLowerCase()).toMatch(/retry-after[\s\S]*seconds|seconds[\s\S]*retry-after/)
    await page.evaluate(() => {
      location.hash = '#a14'
    })
    await page.locator('#a14').waitFor({ state: 'visible' })
  })

  test('the sidebar shows where the reader is', async () => {
    await page.goto(`${site.url}guides/register.html`)
    const active = page.locator('.VPSidebarItem.is-active a')
    await expect.poll(async () => (await active.boundingBox())?.y ?? Infinity).toBeLessThan(1000)
  })

  test.each(['#statuses-of-a-run', '#step-statuses'])(
    'the names of the statuses fit into the diagram of %s',
    async (part) => {
      await page.goto(`${site.url}guides/triggering-and-watching.html${part}`)
      const margins = await page.locator('.states .node').evaluateAll((nodes) =>
        nodes.map((node) => {
          const [box, text] = ['path', 'text'].map((each) => node.querySelector(each)?.getBoundingClientRect())
          return Math.min((text?.left ?? 0) - (box?.left ?? 0), (box?.right ?? 0) - (text?.right ?? 0))
        }),
      )
      expect(margins.length).toBeGreaterThan(2)
      expect(Math.min(...margins)).toBeGreaterThan(2)
    },
  )

  test('what is certain has a badge, and the reason beside it', async () => {
    await page.goto(`${site.url}guides/what-may-i-rely-on.html`)
    const badges = await page
      .locator('td[data-label="Reliable?"]')
      .evaluateAll((cells) =>
        cells.map((cell) => cell.querySelector('.badge')?.textContent ?? `none: ${cell.textContent}`),
      )
    expect(badges.length).toBeGreaterThan(30)
    expect([...new Set(badges)].sort()).toEqual(['Assumed', 'No', 'No (assumed)', 'Not known', 'Yes', 'Yes (assumed)'])
  })

  test('the choice of dark holds on the guides and on the API reference', async () => {
    const { page } = await site.open('guides/limits-and-many-runs.html')
    await page.locator('.VPSwitchAppearance').first().click()
    await page.goto(`${site.url}api/`)
    await expect.poll(() => page.evaluate(() => document.documentElement.className)).toContain('dark')
    await page.locator('.VPSwitchAppearance').first().click()
    await expect.poll(() => page.evaluate(() => document.documentElement.className)).not.toContain('dark')
    await page.goto(`${site.url}guides/limits-and-many-runs.html`)
    expect(await page.evaluate(() => document.documentElement.className)).not.toContain('dark')
    await page.context().close()
  })

  test('a reader of the keyboard can skip the navigation, and reach an operation', async () => {
    const { page } = await site.open('api/')
    await tabTo(page, /^Skip to content$/)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('VPContent')
    await page.reload()
    await page.locator('[data-section-id]').first().waitFor()
    await tabTo(page, /^Get a run/)
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).hash).toBe('#/runs/getrun')
    await expect.poll(() => page.title()).toBe('Get a run - Workflow Automation Service')
    await page.context().close()
  })

  test('a code sample can be copied in each of the three forms', async () => {
    await page.goto(`${site.url}api/#/runs/triggerrun`)
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
    expect(copied[0]).toContain(
      `curl --request POST \\\n  'https://workflow-automation.example${VERSION}/playbooks/pb_3kX9wq/runs'`,
    )
    expect(copied[1]).toContain("client.triggerRun('pb_3kX9wq', {")
    expect(copied[2]).toContain(`await fetch('https://workflow-automation.example${VERSION}/playbooks/pb_3kX9wq/runs'`)
  })

  test('an operation begins with its method and path, and its assumptions are a line that opens', async () => {
    await page.goto(`${site.url}api/#/runs/triggerrun`)
    const operation = page.locator('[data-section-id="/runs/triggerrun"]')
    await expect
      .poll(() => operation.locator('.endpoint').innerText())
      .toMatch(/^POST \/playbooks\/\{id\}\/runs\s+Try it$/)
    const folded = operation.locator('details.basis').first()
    expect(await folded.innerText()).toMatch(/^5 assumptions$/)
    await folded.locator('summary').click()
    expect(await folded.innerText()).toContain('There is no idempotency key.')
    expect(await operation.innerText()).not.toMatch(/\[0-9\]\{4\}|\\d\{4\}|\^\[/)
  })

  test('the schema of a response lists its properties and no "property name*" of any type', async () => {
    await page.goto(`${site.url}api/#/runs/getrun`)
    const operation = page.locator('[data-section-id="/runs/getrun"]')
    await operation.getByRole('button', { name: /^200/ }).click()
    await expect.poll(() => operation.innerText()).toContain('started_at')
    expect(await operation.innerText()).not.toContain('property name*')
  })

  test.each(['clientoptions', 'apierror'])('a link to the type %s opens it in the reference', async (anchor) => {
    await page.goto(`${site.url}reference/contract.html#${anchor}`)
    const entry = page.locator('.export', { has: page.locator(`#${anchor}`) })
    await entry.locator('table').first().waitFor({ state: 'visible' })
    expect(await page.locator('.export details[open]').count()).toBe(1)
    await page.goto(`${site.url}reference/contract.html`)
    expect(await page.locator('.export details[open]').count()).toBe(0)
  })

  test('a phone opens the list of operations as on the other pages', async () => {
    const { page } = await site.open('api/', { viewport: { width: 390, height: 844 }, hasTouch: true })
    await page.locator('.VPLocalNav .menu').tap()
    await page.locator('.VPSidebar').getByRole('link', { name: 'Get a run' }).tap()
    await expect.poll(() => new URL(page.url()).hash).toBe('#/runs/getrun')
    await page.context().close()
  })
})

/** Opens the search, looks for these words, and returns the links that it finds. */
async function search(page: Page, words: string): Promise<string[]> {
  if ((await page.locator('#localsearch-input').count()) === 0) await page.keyboard.press('Control+k')
  await page.locator('#localsearch-input').fill(words)
  // It waits for the end of the typing.
  const links = () => page.locator('.result').evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''))
  let last: string[] = []
  await expect
    .poll(
      async () => {
        const now = await links()
        const isSettled = now.length > 0 && now.join() === last.join()
        last = now
        return isSettled
      },
      { interval: 250, timeout: 10_000 },
    )
    .toBe(true)
  return last
}

/** Presses Tab until a text has the focus. */
async function tabTo(page: Page, text: RegExp): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
    if (text.test(focused)) return
  }
}
