import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DefaultTheme, defineConfig } from 'vitepress'
import { ICON } from './mark.js'
import { type LinkTargets, readPages } from './markdown.js'
import { withPolicy } from './policy.js'
import { searchBox } from './search-box.js'
import { slug } from './slug.js'
import { CODE } from './theme/excerpt.js'

/** What the build writes beside this file. */
interface Navigation extends LinkTargets {
  title: string
  description: string
  sidebar: DefaultTheme.SidebarMulti
}

const { title, description, sidebar, ...targets }: Navigation = JSON.parse(
  readFileSync(join(import.meta.dirname, 'navigation.json'), 'utf8'),
)
export default defineConfig({
  title,
  description,
  base: targets.base,
  lang: 'en',
  head: [['link', { rel: 'icon', href: ICON }]],
  transformHtml: withPolicy,
  markdown: {
    anchor: { slugify: slug },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => readPages(md, targets),
  },
  themeConfig: {
    logo: ICON,
    siteTitle: 'Workflow Automation',
    outline: { level: [2, 3], label: 'On this page' },
    nav: [
      { text: 'Guides', link: '/guides/getting-started', activeMatch: '^/guides/(?!package|register|what)' },
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
        translations: {
          modal: { noResultsText: 'Try fewer words, a path such as /runs, or a status: nothing found for' },
        },
        // Its type leaves the option out.
        miniSearch: { options: { storeFields: ['title', 'titles', 'text'] } as object },
        ...{ operations: targets.operations },
      },
    },
  },
  vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 4_000 }, plugins: [searchBox()] },
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
    .replaceAll(/<span class="lang">\w*<\/span>|<button[^>]*>\w*<\/button>|<thead>[\s\S]*?<\/thead>/g, '')
    .replaceAll(/<pre[\s\S]*?<\/pre>/g, (code) => `\n${CODE}${code.replaceAll('\n', ' ')}`)
    .replaceAll(/(?<!>)\n(?!<)/g, ' ')
  return onOneLine.replaceAll(/<\/td>\s*(?=<td)/g, ' · ').replaceAll(/<\/(?:p|li|tr|h\d|pre|summary)>/g, '$&\n')
}
