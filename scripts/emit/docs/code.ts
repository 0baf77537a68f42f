import { type BundledLanguage, bundledLanguages, codeToTokensBase, createCssVariablesTheme } from 'shiki'

import { programOf } from './programs.js'

const THEME = createCssVariablesTheme()
const CODE = /^```(\w*)\n([\s\S]*?)^```$/gm

/**
 * Sets the code of a description in colours, with a button Copy, and Run under the TypeScript that the page can execute. The
 * colours are classes, which site/theme.css maps to Redoc's own. Changes the node.
 */
export async function colourCode(guide: string, node: { description: string }): Promise<void> {
  const blocks = [...node.description.matchAll(CODE)]
  const typescript = blocks.filter(([, language]) => language === 'ts')
  const runnable = typescript.slice(0, programOf(guide, node.description)?.runnable)
  const coloured = blocks.map(async (block) => {
    const [, language = '', code = ''] = block
    const runs = runnable.includes(block) && DOES.test(code)
    const program = runs ? `${guide}/${typescript.indexOf(block)}` : undefined
    return (await codeHtml(language, code)) + buttons(program)
  })
  const html = await Promise.all(coloured)
  node.description = node.description.replaceAll(CODE, () => html.shift() ?? '')
}

/** Code that prints or sends something. */
const DOES = /\bawait |\bconsole\./

/** What a reader can do with the code above: copy it, and run a program. */
function buttons(program: string | undefined): string {
  const run = program ? `<button type="button" data-run="${program}">Run</button>` : ''
  return `\n<div class="actions"><button type="button" data-copy>Copy</button>${run}<output></output></div>`
}

async function codeHtml(language: string, code: string): Promise<string> {
  const lang = language in bundledLanguages ? (language as BundledLanguage) : 'text'
  const text = code.replaceAll(new RegExp(`^${code.match(/^ */)}`, 'gm'), '').trimEnd()
  // Shiki gives a line 500 ms, so on a busy machine the end of one would lose its colours.
  const lines = await codeToTokensBase(text, { lang, theme: THEME, tokenizeTimeLimit: 0 })
  const tokens = lines.flatMap((line) => [{ content: '\n' }, ...line])
  return `<pre class="code" tabindex="0">${tokensHtml(tokens)}</pre>`
}

/**
 * Redoc's Markdown drops the white space after a tag, so it stands at the end of what precedes it; and that after an
 * entity, so only what could begin a tag or an entity is escaped. Operators have no colour: each would take 30 bytes.
 */
function tokensHtml(tokens: { content: string; color?: string }[]): string {
  const moved: { text: string; kind: string | undefined }[] = []
  for (const { content, color = '' } of tokens) {
    const text = content.trimStart()
    const kind = /\w/.test(text) ? color.match(/token-(keyword|string|comment)/)?.[1] : undefined
    const last = moved.at(-1)
    if (last) last.text += content.slice(0, content.length - text.length)
    if (last && last.kind === kind) last.text += text
    else if (text) moved.push({ text, kind })
  }
  const parts = moved.map(({ text, kind }) => {
    const escaped = text.replaceAll(/&(?![\s&])/g, '&amp;').replaceAll(/<(?!\s)/g, '&lt;')
    return kind ? `<span class="${kind}">${escaped}</span>` : escaped
  })
  return parts.join('')
}
