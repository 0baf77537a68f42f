import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What a change does to the project, in the order of its page. */
export type Edit =
  /** A whole file, in a fence such as "```yaml openapi/paths/runs.yaml". */
  | { kind: 'file'; file: string; text: string }
  /** A part of a file, in a fence "```diff openapi/openapi.yaml": lines to find, to remove (-) and to add (+). */
  | { kind: 'diff'; file: string; text: string }

const FENCE = /^```(\w+) (\S+)\n([\s\S]*?)^```$/gm

/** The edits of a page of Markdown, or of the section under one of its headings. Other code is left alone. */
export function editsOf(markdown: string, heading?: string): Edit[] {
  const section = heading === undefined ? markdown : sectionOf(markdown, heading)
  return [...section.matchAll(FENCE)].map(([, language, file = '', text = '']): Edit => {
    return { kind: language === 'diff' ? 'diff' : 'file', file, text }
  })
}

function sectionOf(markdown: string, heading: string): string {
  const [, marks, text] = new RegExp(`^(#+) ${heading}\\n([\\s\\S]*)`, 'm').exec(markdown) ?? []
  if (marks === undefined || text === undefined) throw new Error(`The page has no heading "${heading}".`)
  return text.split(new RegExp(`^#{1,${marks.length}} `, 'm'))[0]!
}

/** Applies an edit to a project. */
export function apply(root: string, { kind, file, text }: Edit): void {
  const path = join(root, file)
  mkdirSync(dirname(path), { recursive: true })
  if (kind === 'file') {
    writeFileSync(path, text)
    return
  }
  const hunks = text.split(/^@@.*\n/m).filter(Boolean)
  const change = (before: string, hunk: string) => withHunk(before, hunk, file)
  writeFileSync(path, hunks.reduce(change, readFileSync(path, 'utf8')))
}

function withHunk(before: string, hunk: string, file: string): string {
  const lines = hunk.trimEnd().split('\n')
  const old = lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(1))
  // "…" stands for the rest of a line.
  const pattern = old.map((line) => `(${line.split('…').map(escaped).join('.*')}\n)`).join('')
  const match = new RegExp(`^${pattern}`, 'm').exec(before)
  if (!match) throw new Error(`${file} has no lines\n${old.join('\n')}`)
  const found = match.slice(1)
  const replaced = lines.map((line) => {
    if (line.startsWith('+')) return `${line.slice(1)}\n`
    const kept = found.shift()
    return line.startsWith('-') ? '' : kept
  })
  return before.slice(0, match.index) + replaced.join('') + before.slice(match.index + match[0].length)
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
