// Serves a folder to a browser without network, and expects that the page shows every operation and warns of nothing.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join, normalize } from 'node:path'
import { serve } from 'srvx'
import { launch } from '../../support/browser.js'

const TYPES: Record<string, string> = { html: 'text/html', js: 'text/javascript', css: 'text/css' }

const server = serve({
  port: 0,
  hostname: '127.0.0.1',
  silent: true,
  async fetch({ url }) {
    const path = normalize(new URL(url).pathname)
    const content = await readFile(join(process.cwd(), path)).catch(() => undefined)
    const type = TYPES[path.split('.').at(-1) ?? ''] ?? 'application/json'
    return content ? new Response(content, { headers: { 'Content-Type': type } }) : new Response('', { status: 404 })
  },
})
await server.ready()
const { paths } = JSON.parse(await readFile('openapi.json', 'utf8'))
const operations: { summary: string }[] = Object.values<object>(paths).flatMap((item) => Object.values(item))
const browser = await launch()
const page = await browser.newPage()
const warnings: string[] = []
page.on('pageerror', (error) => warnings.push(error.message))
page.on('console', (message) => {
  // Of the icon, for which every browser asks.
  if (/^(warning|error)$/.test(message.type()) && !message.location().url.endsWith('/favicon.ico'))
    warnings.push(message.text())
})
page.on('request', (request) => {
  if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(server.url ?? ''))
    warnings.push(`requests ${request.url()}`)
})
await page.goto(`${server.url}index.html`)
for (const { summary } of operations) await page.getByText(summary).first().waitFor({ state: 'attached' })
const text = await page.locator('body').innerText()
await browser.close()
await server.close(true)
assert.doesNotMatch(text, /\bwarning\b|could not be rendered|resolver error|unable to render/i)
assert.deepEqual(warnings, [])
