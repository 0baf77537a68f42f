import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { finish } from '../../support/project.js'

/** What a change does to the project, in the order of its page. */
export type Edit =
  /** A whole file, in a fence such as "```yaml openapi/paths/runs.yaml". */
  | { kind: 'file'; file: string; text: string }
  /** A part of a file, in a fence "```diff openapi/openapi.yaml": lines to find, to remove (-) and to add (+); "…" is the rest of a line. */
  | { kind: 'diff'; file: string; text: string }
  /** A command, in a fence "```sh apply". */
  | { kind: 'command'; text: string }

const FENCE = /^```(\w+) (\S+)\n([\s\S]*?)^```$/gm

/** The edits of a page of Markdown, or of the section under one of its headings. Other code is left alone. */
export function editsOf(markdown: string, heading?: string): Edit[] {
  const section = heading === undefined ? markdown : sectionOf(markdown, heading)
  return [...section.matchAll(FENCE)].map(([, language, target = '', text = '']): Edit => {
    if (target === 'apply') return { kind: 'command', text }
    return { kind: language === 'diff' ? 'diff' : 'file', file: target, text }
  })
}

function sectionOf(markdown: string, heading: string): string {
  const [, marks, text] = new RegExp(`^(#+) ${heading}\\n([\\s\\S]*)`, 'm').exec(markdown) ?? []
  if (marks === undefined || text === undefined) throw new Error(`The page has no heading "${heading}".`)
  return text.split(new RegExp(`^#{1,${marks.length}} `, 'm'))[0]!
}

/**
 * Applies an edit to a project.
 *
 * @param commit called before a command, which may need a clean tree
 */
export async function apply(root: string, edit: Edit, commit: () => void): Promise<void> {
  if (edit.kind === 'command') {
    commit()
    const { code, printed } = await finish('sh', ['-ec', edit.text], root)
    if (code !== 0) throw new Error(`This command failed:\n${edit.text}\n${printed}`)
    return
  }
  const path = join(root, edit.file)
  mkdirSync(dirname(path), { recursive: true })
  if (edit.kind === 'file') return writeFileSync(path, edit.text)
  const hunks = edit.text.split(/^@@.*\n/m).filter(Boolean)
  const change = (text: string, hunk: string) => withHunk(text, hunk, edit.file)
  writeFileSync(path, hunks.reduce(change, readFileSync(path, 'utf8')))
}

function withHunk(before: string, hunk: string, file: string): string {
  const lines = hunk.trimEnd().split('\n')
  const old = lines.filter((line) => !line.startsWith('+')).map((line) => line.slice(1))
  const pattern = old.map((line) => `(${line.split('…').map(escaped).join('.*')}\n)`).join('')
  const match = new RegExp(`^${pattern}`, 'm').exec(before)
  if (!match) throw new Error(`${file} has no lines\n${old.join('\n')}`)
  const found = match.slice(1)
  let rests: string[] = []
  const replaced = lines.map((line) => {
    if (line.startsWith('+')) return `${line.slice(1).replaceAll('…', () => rests.shift() ?? '…')}\n`
    const kept = found.shift() ?? ''
    // In an added line "…" stands for what it stood for in the line that is removed before it.
    rests = restsOf(line.slice(1), kept)
    return line.startsWith('-') ? '' : kept
  })
  return before.slice(0, match.index) + replaced.join('') + before.slice(match.index + match[0].length)
}

/** What each "…" of a line stands for. */
const restsOf = (line: string, found: string): string[] =>
  new RegExp(`^${line.split('…').map(escaped).join('(.*)')}\n$`).exec(found)?.slice(1) ?? []

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
