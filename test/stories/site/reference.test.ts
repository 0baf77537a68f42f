import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../../../scripts/emit/dist.js'
import { packageEntries, REFERENCE } from '../../../scripts/emit/docs/entries.js'
import { docs, root } from './site.js'

const entries = packageEntries(root)
const textOf = (page: string) =>
  readFileSync(join(docs, REFERENCE, `${page}.html`), 'utf8')
    .replace(/[\s\S]*<main/, '')
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
      /createClient\(\)[\s\S]*with the methods [^.]*waitForRun\(\)[\s\S]*createFetch\(\)/,
    )
  })
})
