import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DefaultTheme, defineConfig } from 'vitepress'
import { ICON } from './mark.js'
import { type LinkTargets, readPages } from './markdown.js'
import { withPolicy } from './policy.js'
import { searchBox } from './search-box.js'
import { slug } from './slug.js'

/** What the build writes beside this file. */
interface Navigation extends LinkTargets {
  title: string
  description: string
  /** The path below which the site is served, with a slash at both ends. */
  base: string
  sidebar: DefaultTheme.SidebarMulti
  /** The version of what the pages name in the scripts of Run and Try it. */
  scripts: string
  version: string
  npm: string
  /** The repository. */
  source: string
}

const { title, description, base, sidebar, scripts, version, npm, source, ...targets }: Navigation = JSON.parse(
  readFileSync(join(import.meta.dirname, 'navigation.json'), 'utf8'),
)
export default defineConfig({
  title,
  description,
  base,
  lang: 'en',
  head: [['link', { rel: 'icon', href: ICON }]],
  transformHtml: withPolicy,
  transformHead: ({ pageData: { frontmatter } }) =>
    frontmatter.script ? [['script', { defer: '', src: `${base}${frontmatter.script.slice(1)}` }]] : [],
  markdown: {
    // The parts of an export in the reference have none, so that the outline and the search have its methods alone.
    anchor: { slugify: slug, level: [1, 2, 3] },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => readPages(md, targets),
  },
  themeConfig: {
    logo: ICON,
    siteTitle: 'Workflow Automation',
    outline: { level: [2, 3], label: 'On this page' },
    nav: [
      { text: 'Guides', link: '/guides/getting-started', activeMatch: '^/guides/(?!package|register|what)' },
      { text: 'API', link: '/api/', activeMatch: '^/api/' },
      { text: 'Package', link: '/guides/package-reference', activeMatch: '^/(guides/package|reference/)' },
      { text: 'What may I rely on?', link: '/guides/what-may-i-rely-on', activeMatch: '^/guides/(register|what)' },
      { text: version, link: '/guides/changelog' },
    ],
    socialLinks: [
      { icon: 'npm', link: npm, ariaLabel: 'The package on npm' },
      { icon: 'github', link: source, ariaLabel: 'The repository' },
    ],
    sidebar,
    ...{ scripts },
    docFooter: { prev: 'Previous', next: 'Next' },
    search: {
      provider: 'local',
      options: {
        _render: textForSearch,
        translations: {
          modal: { noResultsText: 'Try fewer words, a path such as /runs, or a status: nothing found for' },
        },
        miniSearch: {},
        ...{ operations: targets.operations },
      },
    },
  },
  vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 4_000 }, plugins: [searchBox()] },
})

/**
 * A page for the search, with the other words of its front matter, and without the types of the document, which the operations
 * describe. The section of its title stands for the page.
 */
async function textForSearch(
  source: string,
  env: { relativePath: string; frontmatter?: { words?: string } },
  md: { renderAsync(source: string, env: object): Promise<string> },
) {
  if (/^(?:api|reference\/contract-(?:types|examples)\.md$)/.test(env.relativePath)) return ''
  const html = await md.renderAsync(source, env)
  return html
    .replace(/(?<=<h1.*<a[^>]* href="#)[^"]*/, '')
    .replace('</h1>', `</h1><p>${env.frontmatter?.words ?? ''}</p>`)
    .replaceAll(/<span class="lang">\w*<\/span>|<button[^>]*>\w*<\/button>/g, '')
    .replaceAll(/<\/(?:p|li|tr|td|th|h\d|pre|summary)>/g, '$& ')
}
