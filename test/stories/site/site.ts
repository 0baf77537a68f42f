import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, resolve } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launch } from '../../support/browser.js'

export const root = resolve(import.meta.dirname, '../../..')

/** Where the build has put the documentation. */
export const docs = join(root, 'dist/docs')

/** The documentation that was built, served on loopback, with a browser to look at it. */
export interface Site {
  url: string
  browser: Browser
  /** A page of the site, with every request and every message of the console that it made. */
  open(path?: string, options?: BrowserContextOptions): Promise<OpenPage>
  close(): Promise<void>
}

export interface OpenPage {
  page: Page
  requests: string[]
  /** Errors and warnings of the console, and errors that no script caught. */
  complaints: string[]
}

/** The site on loopback, below a path that ends with a slash. */
export async function openSite(folder = docs, base = '/'): Promise<Site> {
  if (!existsSync(folder)) throw new Error(`There is no documentation in ${folder}. Run npm run build first.`)
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const path = join(folder, pathname.startsWith(base) ? pathname.slice(base.length) : 'outside')
    const file = existsSync(path) && statSync(path).isDirectory() ? join(path, 'index.html') : path
    if (!existsSync(file))
      response.writeHead(404, { 'content-type': 'text/html' }).end(await readFile(join(folder, '404.html')))
    else response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' }).end(await readFile(file))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}${base}`
  const browser = await launch()
  return {
    url,
    browser,
    async open(path = '', options = {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, ...options })
      const page = await context.newPage()
      const requests: string[] = []
      const complaints: string[] = []
      page.on('request', (request) => requests.push(request.url()))
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(error.message))
      await page.goto(url + path)
      if (options.javaScriptEnabled !== false) await ready(page)
      return { page, requests, complaints }
    },
    async close() {
      await browser.close()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.png': 'image/png',
}

/** The scripts of the page have run: Redoc shows a part of the reference, or Vue has taken over the page. */
const ready = (page: Page) =>
  page.waitForFunction(() => {
    const app = document.querySelector('#app')
    return document.querySelector('[data-section-id]') ?? (app !== null && '__vue_app__' in app)
  })

/** Goes to a place of the API reference as a reader does who follows a link, and waits until it is shown. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => {
    location.hash = to
  }, hash)
  await page
    .locator(`[data-section-id="${hash.slice(1)}"]`)
    .first()
    .waitFor({ state: 'visible' })
}

/** What a site is looked at with. */
export const SCREENS = [
  { screen: 'desktop', colorScheme: 'light', viewport: { width: 1440, height: 1000 } },
  { screen: 'tablet', colorScheme: 'light', viewport: { width: 768, height: 1024 } },
  { screen: 'phone', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

/** Keeps what a page shows, to be looked at. */
export const screenshot = (page: Page, name: string) =>
  page.screenshot({ path: join(root, '.build/screenshots', `${name}.png`) })
