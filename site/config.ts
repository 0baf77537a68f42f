import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DefaultTheme, defineConfig } from 'vitepress'
import { readPages } from './markdown.js'
import { withPolicy } from './policy.js'
import { slug } from './slug.js'
import { CODE } from './theme/excerpt.js'

/** What the build writes beside this file. */
export interface Navigation {
  title: string
  description: string
  sidebar: DefaultTheme.SidebarMulti
  operations: Record<string, string>
}

const { title, description, sidebar, operations }: Navigation = JSON.parse(
  readFileSync(join(import.meta.dirname, 'navigation.json'), 'utf8'),
)
const base = process.env.SITE_BASE ?? '/'

/** The mark of the site, in a tab and in the header. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M2 4h5v3H2zM9 9h5v3H9zM4 7v4h5' fill='none' stroke='%234f6bed' stroke-width='1.6'/%3E%3C/svg%3E"

export default defineConfig({
  title,
  description,
  base,
  lang: 'en',
  head: [['link', { rel: 'icon', href: ICON }]],
  transformHtml: withPolicy,
  markdown: {
    anchor: { slugify: slug },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => readPages(md, { base, operations }),
  },
  themeConfig: {
    logo: ICON,
    siteTitle: 'Workflow Automation',
    outline: { level: [2, 3], label: 'On this page' },
    nav: [
      { text: 'Guides', link: '/guides/overview', activeMatch: '^/guides/(?!package|register|what)' },
      // The pages of Redoc are not those of this application.
      { text: 'API', link: '/api/', target: '_self', noIcon: true },
      { text: 'Package', link: '/guides/package-reference', activeMatch: '^/(guides/package|reference/)' },
      { text: 'What may I rely on?', link: '/guides/what-may-i-rely-on', activeMatch: '^/guides/(register|what)' },
    ],
    sidebar,
    docFooter: { prev: 'Previous', next: 'Next' },
    search: {
      provider: 'local',
      options: {
        _render: textForSearch,
        detailedView: false,
        // Its type leaves the option out.
        miniSearch: { options: { storeFields: ['title', 'titles', 'text'] } as object },
      },
    },
  },
  vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 4_000 }, plugins: [ownSearch()] },
})

/**
 * A page for the search: each paragraph and each row of a table on a line, code marked as such. Leaves out what is found
 * elsewhere: the types of the document, which the operations describe.
 */
async function textForSearch(
  source: string,
  env: { relativePath: string },
  md: { renderAsync(source: string, env: object): Promise<string> },
) {
  if (/^reference\/contract-(?:types|examples)\.md$/.test(env.relativePath)) return ''
  const html = await md.renderAsync(source, env)
  const onOneLine = html
    .replaceAll(/<span class="lang">\w*<\/span>/g, '')
    .replaceAll(/<pre[\s\S]*?<\/pre>/g, (code) => `\n${CODE}${code.replaceAll('\n', ' ')}`)
    .replaceAll(/(?<!>)\n(?!<)/g, ' ')
  return onOneLine.replaceAll(/<\/td>\s*(?=<td)/g, ' · ').replaceAll(/<\/(?:p|li|tr|h\d|pre|summary)>/g, '$&\n')
}

/**
 * Gives the search of VitePress the order of site/theme/search.ts and a line of text for each hit, and makes each link an
 * option of its list: in VitePress it is inside one, which readers of a screen cannot follow.
 */
function ownSearch() {
  const changes: [found: RegExp, by: string][] = [
    [/index\.search\(filterTextValue\)\.slice\(0, 16\)/, 'theme.value.search.options.find(index, filterTextValue)'],
    [/map\?\.get\(anchor\) \?\? ""/, 'r.excerpt'],
    [/(v-html="p\.title" \/>\s*<\/span>)/, '$1<span class="kind">{{ p.kind }}</span>'],
    [/<div v-if="showDetailedList" class="excerpt-wrapper">/, '<div class="excerpt-wrapper">'],
    // A name needs a role.
    [/<kbd :aria-label=/g, '<kbd role="img" :aria-label='],
    [
      /role="button"\s+:aria-owns="[^"]+"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
      'role="dialog" aria-modal="true"',
    ],
    [
      /\s:id="'localsearch-item-' \+ index"\s+:aria-selected="selectedIndex === index \? 'true' : 'false'"\s+role="option"/,
      ' role="presentation"',
    ],
    [
      /:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/,
      `:id="'localsearch-item-' + index" :aria-selected="selectedIndex === index ? 'true' : 'false'" role="option"`,
    ],
  ]
  return {
    name: 'own-search',
    enforce: 'pre' as const,
    transform(code: string, id: string) {
      if (!id.endsWith('VPLocalSearchBox.vue')) return undefined
      return changes.reduce((text, [found, by]) => {
        if (!found.test(text)) throw new Error('VitePress has changed its search: see ownSearch in site/config.ts.')
        return text.replace(found, by)
      }, code)
    },
  }
}
