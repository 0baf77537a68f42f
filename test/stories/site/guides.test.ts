import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Graphviz } from '@hpcc-js/wasm-graphviz'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { plans, transitions } from '../../../generated/contract.js'
import { withBasis } from '../../../scripts/contract/decorate.js'
import { loadContract } from '../../../scripts/contract/load.js'
import { documentForReaders } from '../../../scripts/emit/docs/document.js'
import { packageEntries } from '../../../scripts/emit/docs/entries.js'
import { type Guides, readGuides } from '../../../scripts/emit/docs/guides.js'
import { emitGuides } from '../../../scripts/emit/docs/index.js'
import { emitLlms, emitLlmsFull } from '../../../scripts/emit/docs/llms.js'
import { sitePages } from '../../../scripts/emit/docs/pages.js'
import { SAMPLE_LANGUAGES } from '../../../scripts/emit/docs/parts/samples.js'
import { slug } from '../../../site/slug.js'
import { repository as root } from '../../support/project.js'

const contract = await loadContract(root)
// biome-ignore lint/suspicious/noExplicitAny: a part of the document
type Json = Record<string, any>

const INDEX = 'start: home\ngroups:\n  - name: Guides\n    guides: [second, first]\n'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guides-'))
  for (const part of ['docs/guides', 'site']) await mkdir(join(folder, part), { recursive: true })
  await symlink(join(root, 'openapi'), join(folder, 'openapi'))
  await write({
    'guides.yaml': INDEX,
    'home.md': '# Start\n\nHello.\n',
    'first.md': '# First\n',
    'second.md': '# Second\n',
  })
})
afterEach(() => rm(folder, { recursive: true }))

describe('the guides', () => {
  test('the index sorts the guides, with unlisted ones at the end of the first group', async () => {
    await write({ 'another.md': '# Another\n' })
    const { start, groups } = await read()
    expect(start.title).toBe('Start')
    expect(groups[0]?.guides.map(({ name }) => name)).toEqual(['second', 'first', 'another'])
  })

  test('the last pages are the operations, the register and the changelog, if there is one', async () => {
    expect(lastGroup(await read())).toEqual(['operations', 'register'])
    await writeFile(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## 1.0.0\n\nThe first.\n')
    expect(lastGroup(await read())).toEqual(['operations', 'register', 'changelog'])
  })

  test.each([
    [
      'a guide that is listed but missing',
      { 'guides.yaml': INDEX.replace('second', 'absent') },
      /"absent" is listed but .*absent\.md is not there/,
    ],
    ['a link to no guide', { 'first.md': '# First\n\n[x](nowhere.md)\n' }, /first\.md.*"nowhere\.md" leads nowhere/],
    ['a link to no heading', { 'first.md': '# First\n\n[x](second.md#gone)\n' }, /"second\.md#gone" leads nowhere/],
    [
      'a link to no operation',
      { 'first.md': '# First\n\n[x](operations.md#droprun)\n' },
      /operations\.md#droprun" leads nowhere/,
    ],
    [
      'an unknown generated part',
      { 'first.md': '# First\n\n<!-- generated: palns -->\n<!-- /generated -->\n' },
      /"palns" is not a generated part/,
    ],
    ['a guide without a title', { 'first.md': 'First\n' }, /first line is not a heading/],
    [
      'a former guide whose new place is missing',
      { 'guides.yaml': `${INDEX}moved:\n  old: second.md#gone\n` },
      /moved: old .*"second\.md#gone" leads nowhere/,
    ],
  ])('the build fails for %s', async (_, files, message) => {
    await write(files)
    await expect(read()).rejects.toThrow(message)
  })

  test('guides link to operations, to each other and to the register, and code stays unchanged', async () => {
    await write({
      'second.md': '# Second\n\n## A part\n',
      'first.md':
        '# First\n\n[a](operations.md#getrun) [b](second.md#a-part) [c](register.md#a04) (S13)\n\n```ts\nf[0](x) // S13\n\nS14\n```\n',
    })
    expect((await read()).groups[0]?.guides[1]?.text).toBe(
      '[a](operations.md#getrun) [b](second.md#a-part) [c](register.md#a04) ([S13](register.md#s13))\n\n```ts\nf[0](x) // S13\n\nS14\n```',
    )
  })
})

test('a generated part is filled in place, an id becomes a link, and filling again changes nothing', async () => {
  const text = '# First\n\nAs S13 says.\n\n<!-- generated: cached -->\nold\n<!-- /generated -->\n\nEnd.\n'
  await write({ 'first.md': text })
  const filled = (await read()).files.get('first')!
  expect(filled).toMatch(
    /^# First\n\nAs \[S13\]\(register\.md#s13\) says\.\n\n<!-- generated: cached -->\n\n\| Operation /,
  )
  expect(filled).toMatch(/\|\n\n<!-- \/generated -->\n\nEnd\.\n$/)
  expect(filled).not.toContain('old')
  await write({ 'first.md': filled })
  expect((await read()).files.get('first')).toBe(filled)
})

const GUIDES = readdirSync(join(root, 'docs/guides')).filter((file) => file.endsWith('.md'))
// The links of what is packed are those of test/package/manifest.test.ts.
const PAGES = [...GUIDES.map((file) => `docs/guides/${file}`), 'CONTRIBUTING.md', 'docs/maintaining.md']

test.each(PAGES)('every link of %s leads to a file of the repository', (page) => {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/^```[\s\S]*?^```$|`[^`\n]*`/gm, '')
  const links = [...text.matchAll(/\]\((?!https?:)([^)\s#]+)/g)].map(([, link = '']) => link)
  expect(links.filter((link) => !existsSync(join(root, dirname(page), link)))).toEqual([])
})

describe('the generated part of the site', () => {
  test('the site lists the plans of the contract', async () => {
    await write({ 'first.md': '# First\n\n<!-- generated: plans -->\n\nold\n\n<!-- /generated -->\n' })
    const text = (await read()).groups[0]?.guides[1]?.text
    for (const plan of Object.values(plans)) {
      const limits = 'requestsPerMinute' in plan ? ` ${plan.requestsPerMinute} | ${plan.burst} ` : ''
      expect(text).toContain(`| ${plan.name} | ${plan.apiAccess ? 'yes' : 'no'} |${limits}`)
    }
  })

  test('a state machine is described in words, and drawn on the site', async () => {
    await write({ 'first.md': '# First\n\n<!-- generated: states Step -->\n<!-- /generated -->\n' })
    const guides = await read()
    expect(guides.groups[0]?.guides[1]?.text).toMatch(
      /`running` leads to `waiting_approval`, `succeeded`, or `failed`\. `waiting_approval` leads to `succeeded` or `failed`\. The/,
    )
    const page = sitePages(contract, guides, await Graphviz.load(), {}).get('guides/first.md') ?? ''
    expect(page).toMatch(/role="img" aria-label="[^"]*running leads to waiting_approval, succeeded, or failed\. /)
    expect(page.match(/class="edge"/g)).toHaveLength(
      Object.values(transitions.Step).flatMap((each) => ('next' in each ? each.next : [])).length,
    )
  })

  test('the register has a heading for every entry, and the consequence of each wrong assumption', async () => {
    const text = (await read()).groups.at(-1)?.guides.find(({ name }) => name === 'register')?.text ?? ''
    const plain = (words: string) => words.replaceAll(/[`\\]|\[(\w+)\]\([^)]*\)/g, '$1')
    for (const { id, ifWrong } of contract.register) {
      expect(text).toContain(`### ${id}\n`)
      if (ifWrong) expect(plain(text)).toContain(plain(ifWrong))
    }
    expect(text.indexOf('## Assumed')).toBeLessThan(text.indexOf('## Stated'))
  })

  test('every operation states its limits and has a sample in each language, and assumed fields are marked', async () => {
    const document = documentForReaders(contract)
    for (const { path, method, id } of contract.operations) {
      const operation = document.paths[path][method.toLowerCase()]
      expect(operation.description).toMatch(
        new RegExp(
          `^<div class="endpoint">.*${method}.*data-try="${id}".*\\n\\n<p class="facts">Counts against the (?:run quota|request rate) · .*retried on `,
        ),
      )
      const labels = operation['x-codeSamples'].map(({ label }: { label: string }) => label)
      expect(labels).toEqual(SAMPLE_LANGUAGES.map(({ label }) => label))
    }
    const properties = Object.values<object>(document.components.schemas).flatMap(({ properties = {} }: Json) =>
      Object.values<Json>(properties),
    )
    const marked = properties.filter(({ description = '' }) => description.includes('<summary>Assumed</summary>'))
    expect(marked.length).toBeGreaterThan(0)
    for (const { description } of marked) expect(description).toMatch(/<\/summary>.*register\.html#a(\d+)">A\1</)
    const required = Object.values<Json>(document.components.schemas).flatMap(({ required = [], properties }) =>
      required.map((name: string) => properties[name]),
    )
    expect(required.filter((each) => marked.includes(each))).toEqual([])
  })

  test('a pattern shows as what it means, and itself on demand', () => {
    const document = documentForReaders(contract)
    const { started_at: started } = document.components.schemas.Run.properties
    const node = started.$ref ? document.components.schemas.Timestamp : started
    expect(node.pattern).toBeUndefined()
    expect(node.description).toMatch(/<summary>Form: a UTC timestamp such as .*<\/summary><code>\^/)
  })

  test('llms.txt lists every page below 6 kB, and llms-full.txt has every operation, schema and register entry', async () => {
    const guides = await readGuides(root, withBasis(contract))
    const entries = packageEntries(root)
    const index = emitLlms(contract, guides, entries)
    expect(Buffer.byteLength(index)).toBeLessThan(6_000)
    for (const { name, summary } of guides.groups.flatMap(({ guides }) => guides)) {
      expect(index).toContain(`(guides/${name}.md): ${summary}`)
      expect(summary, name).toMatch(/^[^#|<>]{20,200}\.$/)
    }
    for (const { name, page } of entries) expect(index).toContain(`[${name}](reference/${page}.md)`)
    const text = emitLlmsFull(contract, guides)
    for (const { id, method, path } of contract.operations) expect(text).toContain(`## ${id}\n\n\`${method} ${path}\``)
    for (const schema of Object.keys(contract.document.components.schemas)) expect(text).toContain(`\n### ${schema}\n`)
    for (const { id } of contract.register) expect(text).toContain(`### ${id}\n`)
    expect(text).toContain('<base-url>')
    expect(text).not.toMatch(/<\/?(table|tr|td|th|figure|svg|small|a|code)\b/)
  })
})

describe('the guides in the package', () => {
  test('every link of a guide in the package leads to a file and a heading of the package', async () => {
    const files = await emitGuides(contract, root)
    const headings = (file: string) =>
      [...(files[file] ?? '').matchAll(/^#+ (.+)$/gm)].map(([, each = '']) => slug(each))
    for (const [file, text] of Object.entries(files)) {
      const prose = text.replaceAll(/^ *```[\s\S]*?^ *```$|`[^`\n]*`/gm, '')
      for (const [, path = '', anchor] of prose.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)) {
        const target = path || file
        if (!target.startsWith('..')) expect(files, `${file}: ${target}`).toHaveProperty([target])
        else expect(existsSync(join(root, 'docs/guides', target)), `${file}: ${target}`).toBe(true)
        if (anchor && !target.startsWith('..'))
          expect(headings(target), `${file}: ${target}#${anchor}`).toContain(anchor)
      }
    }
  })
})

const read = () => readGuides(folder, contract)
const lastGroup = ({ groups }: Guides) => groups.at(-1)?.guides.map(({ name }) => name)
const write = async (files: Record<string, string>) => {
  for (const [name, text] of Object.entries(files))
    await writeFile(join(folder, name === 'home.md' || name.endsWith('.yaml') ? 'site' : 'docs/guides', name), text)
}
