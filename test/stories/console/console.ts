import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/tools/sandbox/index.js'
import { type ListenOptions, listen, type SandboxServer } from '../../../src/tools/sandbox/port/index.js'
import { controlPath } from '../../sandbox/ports.js'
import { launch } from '../../support/browser.js'

/** A sandbox on a port, and browsers that look at it. */
export interface Console {
  sandbox: Sandbox<string, string>
  server: SandboxServer
  /** Sends a request to the API. */
  send(path: string, init?: RequestInit & { key?: string }): Promise<Response>
  trigger(playbook: string, inputs?: Record<string, string>): Promise<string>
  /** A page of the console, once it shows the sandbox. With `fakeTime` its clock can be moved. */
  open(options?: BrowserContextOptions & { path?: string; fakeTime?: boolean }): Promise<Page>
}

/** What pages complained of; no test may leave anything here. */
export const complaints: string[] = []

/** Registers the hooks of a test file: one browser for all its tests, closed pages and servers after each. */
export function consoles() {
  let browser: Browser
  let cleanups: (() => Promise<unknown>)[] = []
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())
  afterEach(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup()
    cleanups = []
    expect(complaints.splice(0)).toEqual([])
  })
  const newPage = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
    cleanups.push(() => context.close())
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) complaints.push(message.text())
    })
    return page
  }
  const start = async (options: SandboxOptions = {}, listening: ListenOptions = {}): Promise<Console> => {
    const sandbox = createSandbox(options) as Sandbox<string, string>
    const server = await listen(sandbox, listening)
    cleanups.push(() => server.close())
    const send: Console['send'] = (path, { key = 'key_valid', ...init } = {}) =>
      fetch(server.baseUrl + path, {
        ...init,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...init.headers },
      })
    return {
      sandbox,
      server,
      send,
      async trigger(playbook, inputs = {}) {
        const path = `/playbooks/${sandbox.playbooks[playbook]}/runs`
        const response = await send(path, { method: 'POST', body: JSON.stringify({ inputs }) })
        return (await response.json()).id
      },
      async open({ path = controlPath(), fakeTime = false, ...options } = {}) {
        const page = await newPage(options)
        if (fakeTime) await page.clock.install()
        await page.goto(server.url + path)
        await page.getByText('Live', { exact: true }).waitFor()
        await page.getByText('Acme Operations').waitFor()
        return page
      },
    }
  }
  /** A sandbox, and a page of its console. */
  const opened = async (options?: SandboxOptions) => {
    const one = await start(options)
    return { one, page: await one.open() }
  }
  return { start, opened, newPage }
}

/** The part of the page below a heading. */
export const section = (page: Page, name: string | RegExp) => page.getByRole('region', { name })

/** The rows of a list that are in the page. */
export const rows = (page: Page, list: string) => page.getByRole('listbox', { name: list }).getByRole('option')

/** Makes a run wait for approval. */
export async function waitingRun({ trigger, send }: Console, inputs?: Record<string, string>): Promise<string> {
  const id = await trigger('needsApproval', inputs)
  for (let count = 0; count < 2; count++) await send(`/runs/${id}`)
  return id
}

/** What requests wait for until it is released. */
export function hold() {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  return { released, release }
}
