import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { entriesOf } from '../../scripts/emit/dist.js'
import { packageEntries, REFERENCE } from '../../scripts/emit/docs/entries.js'
import { docs, root } from './site.js'

const folder = join(docs, REFERENCE)
const pages = readdirSync(folder, { recursive: true })
  .map((file) => `${file}`)
  .filter((file) => file.endsWith('.html'))

describe('the reference of the package', () => {
  test('every entry of the package with functions has a page', () => {
    const described = packageEntries(root)
    expect(described.length).toBe(Object.keys(entriesOf(root)).length - 2)
    for (const { page } of described) expect(existsSync(join(docs, page)), page).toBe(true)
  })

  test('every link of the reference leads to a page', () => {
    for (const page of pages) {
      const text = readFileSync(join(folder, page), 'utf8')
      const links = [...text.matchAll(/ href="(?!https?:|#)([^"#]+)/g)].map(([, link = '']) => link)
      const dead = links.filter((link) => !existsSync(join(folder, dirname(page), link)))
      expect(dead, page).toEqual([])
    }
  })

  test('no page of the reference names a folder of the machine that made it', () => {
    for (const page of pages) expect(readFileSync(join(folder, page), 'utf8'), page).not.toContain(root)
  })

  test('the functions that readers begin with say what they take and what they throw', () => {
    for (const name of [
      'contract.createClient',
      'contract.createFetch',
      'contract_sandbox.createSandbox',
      'contract_testing.createTestService',
      'contract_service.createService',
      'contract_conformance.checkConformance',
    ])
      expect(readFileSync(join(folder, `functions/${name}.html`), 'utf8'), name).toMatch(
        /Throws[\s\S]*TypeError|Throws/,
      )
  })
})
