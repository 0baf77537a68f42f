import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DefaultTheme, defineConfig } from 'vitepress'
import { readPages } from './markdown.js'
import { slug } from './slug.js'

/** What the build writes beside this file. */
export interface Navigation {
  title: string
  description: string
  sidebar: DefaultTheme.SidebarItem[]
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
      { text: 'API', link: `${base}api/`, target: '_self', noIcon: true },
      { text: 'Package', link: '/guides/package-reference', activeMatch: '^/(guides/package|reference/)' },
      { text: 'What is certain', link: '/guides/what-may-i-rely-on', activeMatch: '^/guides/(register|what)' },
    ],
    sidebar,
    docFooter: { prev: 'Previous', next: 'Next' },
    search: {
      provider: 'local',
      options: {
        _render: textForSearch,
        miniSearch: { searchOptions: { combineWith: 'AND', prefix: true, boost: { title: 4, titles: 2, text: 1 } } },
      },
    },
  },
  vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 4_000 } },
})

/** Leaves out of the search what is found elsewhere: the types of the document, which the operations describe. */
function textForSearch(
  source: string,
  env: { relativePath: string },
  md: { renderAsync(source: string, env: object): Promise<string> },
) {
  if (/^reference\/contract-(?:types|examples)\.md$/.test(env.relativePath)) return ''
  return md.renderAsync(source, env)
}

/** Only the scripts of the page and of the site may run; Try it may reach a sandbox on the reader's machine. */
function withPolicy(html: string): string {
  const hashes = [...html.matchAll(/<script(?![^>]* src=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, source = '']) => `'sha256-${createHash('sha256').update(source).digest('base64')}'`,
  )
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self' http://127.0.0.1:* http://localhost:*",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')
  return html.replace('<head>', `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`)
}
