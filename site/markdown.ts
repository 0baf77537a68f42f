import type { MarkdownRenderer } from 'vitepress'

/** What the links of the pages lead to on the site, where it is not another page. */
export interface LinkTargets {
  /** Where an operation is in the API reference, by its anchor. */
  operations: Record<string, string>
  /** What an entry of the register says, by its anchor. */
  register: Record<string, string>
}

/** Reads the Markdown of the pages as a code host does: links to files, tags that are none, braces that are text. */
export function readPages(md: MarkdownRenderer, targets: LinkTargets): void {
  md.core.ruler.push('site', ({ tokens }) => {
    labelCells(tokens)
    for (const { children } of tokens) for (const token of children ?? []) redirect(token, targets)
  })
  for (const rule of ['html_block', 'html_inline'] as const) {
    md.renderer.rules[rule] = (tokens, at) => (tokens[at]?.content ?? '').replaceAll(TAG, escapeUnknown)
  }
  // Vue would read them as the start of an expression.
  md.renderer.rules.text = (tokens, at) =>
    md.utils.escapeHtml(tokens[at]?.content ?? '').replaceAll('{{', '&#123;&#123;')
  const { fence } = md.renderer.rules
  md.renderer.rules.fence = (tokens, at, ...rest) => {
    const token = tokens[at]!
    const [found, program] = / run=(\S+)/.exec(token.info) ?? []
    token.info = token.info.replace(found ?? '', '')
    const code = fence?.(tokens, at, ...rest) ?? ''
    if (!program) return code
    return `<div class="runnable">${code}<div class="actions"><button type="button" data-run="${program}">Run</button><output aria-live="polite"></output></div></div>`
  }
}

type Token = Parameters<NonNullable<MarkdownRenderer['renderer']['rules']['text']>>[0][number]

/** Leads a link to where the site shows its file, and says what an entry of the register is about. */
function redirect(token: Token, { operations, register }: LinkTargets): void {
  const href = token.type === 'link_open' ? token.attrGet('href') : null
  const [, entry = ''] = /(?:^|\/)register\.md#(.+)$/.exec(href ?? '') ?? []
  if (register[entry]) token.attrSet('title', register[entry])
  const [operation, anchor = ''] = /^(?:guides\/)?operations\.md(?:#(.+))?$/.exec(href ?? '') ?? []
  const [, file] = /^(?:\.\.\/)+generated\/(.+)$/.exec(href ?? '') ?? []
  if (operation === undefined && !file) return
  // VitePress adds the path below which the site is served.
  token.attrSet('href', `/${file ?? `api/${operations[anchor] ?? ''}`}`)
  // Otherwise the site would look for a page of its own.
  if (file) token.attrSet('target', '_self')
}

/** Names the column in each cell, which a phone shows beside it. */
function labelCells(tokens: Token[]): void {
  let labels: string[] = []
  let column = 0
  tokens.forEach((token, at) => {
    if (token.type === 'thead_open') labels = []
    if (token.type === 'tr_open') column = 0
    if (token.type === 'th_open') labels.push((tokens[at + 1]?.content ?? '').replaceAll(/[`*]/g, ''))
    if (token.type === 'td_open') token.attrSet('data-label', labels[column++] ?? '')
  })
}

const TAG = /<!--[\s\S]*?-->|<\/?([a-z][\w-]*)[^>]*>/gi

/** The tags that pages use. Others are text, such as a placeholder in a command. */
const TAGS =
  /^(?:a|br|button|code|details|div|ellipse|figcaption|figure|g|h1|noscript|output|p|path|polygon|register-filter|section|small|span|strong|summary|svg|text|wbr)$/i

const escapeUnknown = (tag: string, name = ''): string =>
  tag.startsWith('<!--') ? '' : TAGS.test(name) ? tag : tag.replaceAll('<', '&lt;').replaceAll('>', '&gt;')
