import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operations } from '../../../generated/contract.js'
import { entriesOf } from '../../../scripts/emit/dist.js'
import { packageEntries, REFERENCE } from '../../../scripts/emit/docs/entries.js'
import { docs, root } from './site.js'

const entries = packageEntries(root)
const htmlOf = (page: string) =>
  readFileSync(join(docs, REFERENCE, `${page}.html`), 'utf8')
    .replace(/[\s\S]*<main/, '')
    .replace(/<\/main>[\s\S]*/, '')
const textOf = (page: string) =>
  htmlOf(page)
    .replaceAll(/<(?:script|style)[\s\S]*?<\/(?:script|style)>|<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')

describe('the reference of the package', () => {
  test('every entry of the package has a page, which begins with two sentences and an example', () => {
    expect(entries.length).toBe(Object.keys(entriesOf(root)).length)
    for (const { name, page } of entries) {
      const html = readFileSync(join(docs, REFERENCE, `${page}.html`), 'utf8')
      const [, opening = ''] = /<h1[\s\S]*?<\/h1>([\s\S]*?)<h2/.exec(html) ?? []
      const [words = ''] =
        opening
          .replaceAll(/<div[\s\S]*/g, '')
          .replaceAll(/<[^>]*>/g, '')
          .match(/[\s\S]+/) ?? []
      expect(words.match(/\.(?:\s|$)/g)?.length, name).toBeGreaterThanOrEqual(2)
      expect(opening, name).toMatch(/class="language-ts/)
    }
  })

  test('no page of the reference names a folder of the machine that made it', () => {
    for (const { page } of entries) expect(textOf(page), page).not.toContain(root)
  })

  test('the functions that readers begin with say what they take and what they throw', () => {
    for (const [page, name] of [
      ['contract', 'createClient'],
      ['contract', 'createFetch'],
      ['contract-sandbox', 'createSandbox'],
      ['contract-testing', 'createTestService'],
      ['contract-service', 'createService'],
      ['contract-conformance', 'checkConformance'],
    ] as const) {
      const [, part = ''] = textOf(page).split(new RegExp(`Functions [\\s\\S]*?${name}\\(\\)`))
      expect(part, name).toMatch(/Parameters[\s\S]*Throws/)
    }
    expect(textOf('contract')).toMatch(
      /createClient\(\)[\s\S]*Options[\s\S]*baseUrl string[\s\S]*with the methods [^.]*waitForRun\(\)[\s\S]*createFetch\(\)/,
    )
  })

  test('a function is shown with one signature, and a type without what only the compiler needs', () => {
    for (const { page } of entries) {
      const [found] =
        /Call Signature|Inherited from|Overrides |\[BRAND\]|MDN Reference|&amp; object|References /.exec(
          textOf(page),
        ) ?? []
      expect(found, page).toBeUndefined()
      const [functions = ''] = htmlOf(page).split(/<h2 id="(?!functions)/)
      expect(functions.match(/<blockquote>/g)?.length, page).toBe(functions.match(/<h3 /g)?.length)
    }
    expect(textOf('contract-sandbox')).toContain('createSandbox ( options? : SandboxOptions ): Sandbox')
  })

  test('each operation of a client is described once', () => {
    for (const id of Object.keys(operations))
      expect(htmlOf('contract').split(`</a> <code>${id}</code></td>`).length - 1, id).toBe(1)
  })

  test('the errors that a function throws are links', () => {
    for (const { page } of entries)
      for (const [causes] of htmlOf(page).matchAll(/(?<=Throws<\/h4>)<ul>[\s\S]*?<\/ul>/g))
        expect(causes.replaceAll(/<a [\s\S]*?<\/a>/g, ''), page).not.toMatch(/\w+Error\b/)
    expect(htmlOf('contract-sandbox')).toMatch(
      /Throws<\/h4><ul><li><a href="https:[^"]*\/TypeError"[^>]*>TypeError<\/a> when[^<]*<\/li><li><a href="#invalidworlderror">/,
    )
  })

  test('every export but a function opens on a click of one line, which has no link', () => {
    for (const { page } of entries) {
      const html = htmlOf(page)
      const [functions = '', ...others] = html.split(/(?=<h2 id="(?!functions))/)
      expect(functions, page).not.toContain('<summary>')
      const summaries = [...others.join('').matchAll(/<summary>([\s\S]*?)<\/summary>/g)].map(([, line = '']) => line)
      expect(summaries.length, page).toBe(others.join('').match(/<h3 /g)?.length ?? 0)
      for (const line of summaries) expect(line).toMatch(/^\s*<p>(?:(?!<a |<\/p>)[\s\S])+<\/p>\s*$/)
    }
  })

  test('every link within the reference leads to an anchor, no anchor is there twice, and parts of an export have none', () => {
    const anchorsOf = (page: string) => [...htmlOf(page).matchAll(/ id="([^"]+)"/g)].map(([, anchor = '']) => anchor)
    const anchors = new Map(entries.map(({ page }) => [page, anchorsOf(page)]))
    for (const { page } of entries) {
      expect(new Set(anchors.get(page)).size, page).toBe(anchors.get(page)?.length)
      for (const [, other = '', anchor = ''] of htmlOf(page).matchAll(/href="(?:\.\/)?([\w-]*)(?:\.html)?#([^"]+)"/g))
        expect(anchors.get(other || page) ?? [anchor], page).toContain(anchor)
      expect(htmlOf(page), page).not.toMatch(/ id="(?:parameters|returns|properties)[-\d]*"/)
    }
  })
})
