import { type BundledLanguage, bundledLanguages, codeToTokensBase, createCssVariablesTheme } from 'shiki'
import type { Guide, Guides } from './guides.js'
import { programOf } from './programs.js'

const THEME = createCssVariablesTheme()

/** The guides with their code in colours. */
export async function withColours({ start, groups }: Guides): Promise<Guides> {
  const coloured = async (guide: Guide) => ({ ...guide, text: await withColouredCode(guide.name, guide.text) })
  return {
    start: await coloured(start),
    groups: await Promise.all(
      groups.map(async ({ name, guides }) => ({ name, guides: await Promise.all(guides.map(coloured)) })),
    ),
  }
}

/**
 * The text of a guide with its code in colours, and Run on the TypeScript that the page can execute. Its colours
 * are classes, which theme.css maps to Redoc's own.
 */
async function withColouredCode(guide: string, text: string): Promise<string> {
  const runnable = programOf(guide, text)?.runnable ?? 0
  let block = 0
  const parts = text.split(/^```(\w*)\n([\s\S]*?)^```$/m)
  for (let at = 1; at < parts.length; at += 3) {
    const [language = '', code = ''] = parts.slice(at, at + 2)
    const index = language === 'ts' ? block++ : runnable
    parts[at] = ''
    parts[at + 1] = await codeHtml(
      language,
      code,
      index < runnable && DOES.test(code) ? `${guide}/${index}` : undefined,
    )
  }
  return parts.join('')
}

/** Code that prints or sends something. */
const DOES = /\bawait |\bconsole\./

async function codeHtml(language: string, code: string, run: string | undefined): Promise<string> {
  const lang = language in bundledLanguages ? (language as BundledLanguage) : 'text'
  const text = code.replaceAll(new RegExp(`^${code.match(/^ */)}`, 'gm'), '').trimEnd()
  // Shiki gives a line 500 ms, so on a busy machine the end of one would lose its colours.
  const lines = await codeToTokensBase(text, { lang, theme: THEME, tokenizeTimeLimit: 0 })
  const html = tokensHtml(lines.flatMap((line, index) => (index === 0 ? line : [{ content: '\n' }, ...line])))
  const button = run
    ? `\n<div class="run"><button type="button" data-run="${run}">Run</button><output></output></div>`
    : ''
  return `<pre class="code" tabindex="0">${html}</pre>${button}`
}

/**
 * Redoc's Markdown drops the white space after a tag, so it stands at the end of what precedes it; and that after an
 * entity, so only what could begin a tag or an entity is escaped.
 */
function tokensHtml(tokens: { content: string; color?: string }[]): string {
  const moved: { text: string; color: string }[] = []
  for (const { content, color = '' } of tokens) {
    const text = content.trimStart()
    const last = moved.at(-1)
    if (last) last.text += content.slice(0, content.length - text.length)
    if (text) moved.push({ text, color })
  }
  const parts = moved.map(({ text, color }) => {
    const kind = color.match(/token-(keyword|string|comment|function)/)?.[1]
    const escaped = text.replaceAll(/&(?![\s&])/g, '&amp;').replaceAll(/<(?!\s)/g, '&lt;')
    return kind ? `<span class="${kind}">${escaped}</span>` : escaped
  })
  return parts.join('')
}
