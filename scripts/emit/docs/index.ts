import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Graphviz } from '@hpcc-js/wasm-graphviz'
import { parse } from 'yaml'
import { withPolicy } from '../../../site/policy.js'
import { withBasis } from '../../contract/decorate.js'
import type { Contract, Json } from '../../contract/index.js'
import { fingerprintOf, kept } from '../../support/kept.js'
import { run } from '../../support/process.js'
import { emitDocuments } from '../openapi.js'
import { emitApi } from './api.js'
import { documentForReaders, operationRoute } from './document.js'
import { packageEntries, REFERENCE, REFERENCE_GUIDE } from './entries.js'
import { GENERATED_PAGE, type Guides, readGuides } from './guides.js'
import { OPERATIONS, REGISTER } from './links.js'
import { emitLlms, emitLlmsFull } from './llms.js'
import { homeText, sitePages } from './pages.js'
import { readPrograms } from './programs.js'
import { referencePages, withReferenceLinks } from './reference-pages.js'

/**
 * The files of `docs/guides/`: the guides, filled in place, and the pages that are generated as a whole, which are an index,
 * the operations and the register.
 *
 * @throws BuildError when a guide is missing or leads nowhere
 */
export async function emitGuides(contract: Contract, root: string): Promise<Record<string, string>> {
  const { groups, files } = await readGuides(root, withBasis(contract))
  const index = groups.flatMap(({ name, guides }) => [
    `## ${name}`,
    guides.map(({ name, title, summary }) => `- [${title}](${fileOf(name)}): ${summary}`).join('\n'),
  ])
  const pages = groups.flatMap(({ guides }) => guides).filter(({ name }) => [OPERATIONS, REGISTER].includes(name))
  return Object.fromEntries([
    ['README.md', `${['# Guides', GENERATED_PAGE, ...index].join('\n\n')}\n`],
    ...pages.map(({ name, title, text }) => [`${name}.md`, markdownOf(title, `${GENERATED_PAGE}\n\n${text}`)] as const),
    ...[...files].map(([name, text]) => [`${name}.md`, text] as const),
  ])
}

/** The file of a page, from the folder of the guides: the changelog is at the root of the package. */
const fileOf = (name: string): string => (name === 'changelog' ? '../../CHANGELOG.md' : `${name}.md`)

const markdownOf = (title: string, text: string): string =>
  `# ${title}\n\n${text.replaceAll(/<!-- states \w+ -->\n\n/g, '').replaceAll('](changelog.md', '](../../CHANGELOG.md')}\n`

/**
 * The documentation: the pages of VitePress, the API reference by Redoc, all of it as Markdown, and the contract for
 * download. What the two generators make is kept, and made again only when what they read has changed.
 */
export async function emitDocs(
  contract: Contract,
  reference: Map<string, string>,
  { root, folder, out, signal }: { root: string; folder: string; out: string; signal: AbortSignal },
): Promise<void> {
  const explained = withBasis(contract)
  const guides = await readGuides(root, explained)
  const rendered = await render(contract, guides, reference, { root, folder, signal })
  await mkdir(out, { recursive: true })
  await cp(rendered, out, { recursive: true })
  for (const [file, text] of Object.entries(emitDocuments(contract))) await writeFile(join(out, file), text)
  for (const { name, title, text } of guides.groups.flatMap(({ guides }) => guides))
    await writeFile(join(out, `guides/${name}.md`), markdownOf(title, text))
  for (const [name, target] of guides.moved) await writeFile(join(out, `guides/${name}.html`), movedPage(target))
  const home = homeText(guides.start, 'console.png')
  await writeFile(join(out, 'index.md'), markdownOf(guides.start.title, home))
  const entries = packageEntries(root)
  for (const { name, page } of entries)
    await writeFile(join(out, `${REFERENCE}/${page}.md`), markdownOf(name, withoutAnchors(reference.get(page) ?? '')))
  await writeFile(join(out, 'llms.txt'), emitLlms(explained, guides, entries))
  await writeFile(join(out, 'llms-full.txt'), emitLlmsFull(explained, guides))
  await writeFile(join(out, '404.html'), notFoundPage(out))
}

/** Leads from the address of a former guide to where its contents are. */
function movedPage(target: string): string {
  const page = target.replace('.md', '.html')
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>This page has moved</title>',
    `<link rel="canonical" href="${page}"><meta http-equiv="refresh" content="0; url=${page}">`,
    `<main><h1>This page has moved</h1><p>Its contents are in <a href="${page}">${page}</a>.</p></main></html>`,
  ].join('\n')
}

/**
 * What a host sends for an address without a page. Before anything else it leads on to the page that is meant by an address
 * with another ending, such as `/guides/terminal/`.
 */
function notFoundPage(out: string): string {
  const pages = readdirSync(out, { recursive: true }).map((file) => `${file}`.replaceAll('\\', '/'))
  const script = `
    const base = ${JSON.stringify(BASE)}
    const named = (page) => page.replace(/(?:\\/|(?:\\/?index)?\\.html)$/, '')
    const page = ${JSON.stringify(pages.filter((page) => page.endsWith('.html') && page !== '404.html'))}
      .find((page) => named(page) === named(location.pathname.slice(base.length)))
    if (page) location.replace(base + page + location.search + location.hash)`
  return withPolicy(`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>There is no such page</title>
  <script>${script}</script>
  <style>:root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif } main { max-width: 36rem; margin: 15vh auto; padding: 0 1.5rem }</style>
</head>
<body>
  <main>
    <h1>There is no such page</h1>
    <p>It may have another name now. <a href="${BASE}">The first page</a> leads to all guides and has a search,
      and the <a href="${BASE}api/">API reference</a> has every operation.</p>
  </main>
</body>
</html>
`)
}

/** TypeDoc writes the anchors of VitePress. */
const withoutAnchors = (text: string): string => text.replaceAll(/ \{#[^}\n]+\}$/gm, '')

/** Makes the pages with the two generators, and returns the folder where they are. */
async function render(
  contract: Contract,
  guides: Guides,
  reference: Map<string, string>,
  { root, folder, signal }: { root: string; folder: string; signal: AbortSignal },
): Promise<string> {
  const source = join(folder, 'pages')
  await cp(join(root, 'site'), join(source, '.vitepress'), { recursive: true })
  const document = documentForReaders(contract)
  const files = await filesOf(contract, guides, reference, root)
  await writeAll(source, files)
  await mkdir(join(source, 'public'), { recursive: true })
  if (existsSync(join(root, PICTURE))) await cp(join(root, PICTURE), join(source, 'public/console.png'))
  const inputs = fingerprintOf(source, [join(root, 'package-lock.json')], [JSON.stringify(document)])
  return kept(join(root, '.build/site'), inputs, async (part) => {
    const made = join(folder, 'vitepress')
    await writeAll(source, await emitApi(document, { root, folder, signal }))
    await run('vitepress', ['build', source, '--outDir', made], { cwd: root, signal })
    await cp(made, part, { recursive: true })
  })
}

/** Where the package is, and its version. */
function addresses(root: string) {
  const { name, version, repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const source = repository.url.replace(/^git\+|\.git$/g, '')
  return { version, npm: `https://www.npmjs.com/package/${name}`, source }
}

/** Writes files, by their names in a folder. */
async function writeAll(folder: string, files: Map<string, string>): Promise<void> {
  for (const [file, text] of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), text)
  }
}

const PICTURE = 'docs/console.png'

/** The path below which the site is served. */
const BASE = process.env.SITE_BASE ?? '/'

/** The pages, and what the configuration of VitePress reads. */
async function filesOf(contract: Contract, guides: Guides, reference: Map<string, string>, root: string) {
  const entries = packageEntries(root)
  const all = guides.groups.flatMap(({ guides }) => guides)
  const guide = all.find(({ name }) => name === REFERENCE_GUIDE)
  const words = parse(readFileSync(join(root, 'site/words.yaml'), 'utf8'))
  const pages = sitePages(contract, guides, await Graphviz.load(), words)
  const overview = pages.get(`guides/${REFERENCE_GUIDE}.md`)
  if (guide && overview) {
    pages.set(`guides/${REFERENCE_GUIDE}.md`, withReferenceLinks(overview, entries))
    for (const [file, text] of referencePages(entries, reference, guide)) pages.set(file, text)
  }
  const guideGroups = guides.groups.map(({ name, guides }) => ({
    text: name,
    collapsed: true,
    items: guides.map(({ name, title }) => ({ text: title, link: `/guides/${name}` })),
  }))
  const { title, summary } = contract.document.info
  const packageGroup = {
    text: 'Package',
    items: [
      { text: 'All entries', link: `/guides/${REFERENCE_GUIDE}` },
      ...entries.map(({ label, page }) => ({ text: label, link: `/${REFERENCE}/${page}` })),
    ],
  }
  const operationGroups = contract.document.tags.map(({ name }: Json) => ({
    text: name,
    items: contract.operations
      .filter(({ node }) => node.tags[0] === name)
      .map((each) => ({ text: each.node.summary, link: `/api/${operationRoute(each)}` })),
  }))
  const sidebar = {
    '/api/': [{ items: [{ text: title, link: '/api/#/' }] }, ...operationGroups],
    '/': guideGroups,
    [`/guides/${REFERENCE_GUIDE}`]: [packageGroup],
    [`/${REFERENCE}/`]: [packageGroup],
  }
  const operations = Object.fromEntries(
    contract.operations.map((each) => [each.id.toLowerCase(), operationRoute(each)]),
  )
  const register = Object.fromEntries(
    contract.register.map(({ id, text, question = text, choice = '' }) => [
      id.toLowerCase(),
      `${question} ${choice}`.trim(),
    ]),
  )
  // Pages name blocks of programs by their position, and operations by their id.
  const named = JSON.stringify([readPrograms(root), contract.document])
  const scripts = createHash('sha256').update(named).digest('hex').slice(0, 8)
  const navigation = { title, description: summary, base: BASE, sidebar, scripts, operations, register }
  return new Map([...pages, ['.vitepress/navigation.json', JSON.stringify({ ...navigation, ...addresses(root) })]])
}
