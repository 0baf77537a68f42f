import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launch } from '../support/browser.js'

export const root = resolve(import.meta.dirname, '../..')

/** Where the build has put the documentation. */
export const docs = join(root, 'dist/docs')

/** The documentation that was built, served on loopback, with a browser to look at it. */
export interface Site {
  url: string
  browser: Browser
  /** A page at a place of the site, with every request and every message of the console that it made. */
  open(hash?: string, options?: BrowserContextOptions): Promise<OpenPage>
  close(): Promise<void>
}

export interface OpenPage {
  page: Page
  requests: string[]
  /** Errors and warnings of the console, and errors that no script caught. */
  complaints: string[]
}

/** The site on loopback, or as files of this machine. */
export async function openSite(from: 'server' | 'files' = 'server'): Promise<Site> {
  if (!existsSync(docs)) throw new Error('There is no documentation in dist/docs. Run npm run build first.')
  const server = createServer(async (request, response) => {
    const name = new URL(request.url ?? '/', 'http://site').pathname.slice(1) || 'index.html'
    const file = join(docs, name)
    if (!existsSync(file)) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': TYPES[extname(name)] ?? 'text/plain' }).end(await readFile(file))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const url = from === 'files' ? pathToFileURL(join(docs, 'index.html')).href : `http://127.0.0.1:${port}/`
  const browser = await launch()
  return {
    url,
    browser,
    async open(hash = '', options = {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, ...options })
      const page = await context.newPage()
      const requests: string[] = []
      const complaints: string[] = []
      page.on('request', (request) => requests.push(request.url()))
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(error.message))
      await page.goto(url + hash)
      await ready(page)
      return { page, requests, complaints }
    },
    async close() {
      await browser.close()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

const TYPES: Record<string, string> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8' }

/** Goes to a place of the page as a reader does who follows a link, and waits until it is shown. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to
  }, hash)
  const route = hash.replace(/^#/, '').split('#')[0] ?? ''
  await page.locator(`[data-section-id="${route}"]`).first().waitFor({ state: 'visible' })
}

/** The page's own script has run, and Redoc has taken over the page that was built. */
const ready = (page: Page) => page.locator('.search-button').waitFor({ state: 'attached' })

/** What a site is looked at with. */
export const SCREENS = [
  { screen: 'desktop', colorScheme: 'light', viewport: { width: 1440, height: 1000 } },
  { screen: 'phone', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

/** Keeps what a page shows, to be looked at. */
export const screenshot = (page: Page, name: string) =>
  page.screenshot({ path: join(root, '.build/screenshots', `${name}.png`) })
