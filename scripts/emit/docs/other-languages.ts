import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { entryHtml, escapeHtml } from './html.js'

/** What `npm run test:interop -- --save` writes for each tool. */
interface ToolResult {
  name: string
  version: string
  commands: string[]
  does: string
  /** The form of the document that it read. */
  file?: string
  /** The program that called the sandbox with the generated client. */
  program?: string
  outcome: 'passed' | 'failed' | 'skipped'
  reason?: string
}

/** The tools of the last run, none before the first. */
function readResults(root: string): ToolResult[] {
  const file = join(root, 'test/interop/results.yaml')
  return existsSync(file) ? parse(readFileSync(file, 'utf8')) : []
}

/** What came of each tool with which file, as rows of a table. */
export const toolRows = (root: string): string[][] =>
  readResults(root).map(({ name, version, file = '', does, outcome, reason }) =>
    [`${name} ${version}`.trim(), file, `${outcome}: ${reason ?? does}`].map(escapeHtml),
  )

/** The commands of each tool as HTML. */
export const toolCommands = (root: string): string => readResults(root).map(commandsOf).join('')

function commandsOf({ name, commands, program }: ToolResult): string {
  const lines = [...commands, ...(program ? [program] : [])].map((line) => `<code>${escapeHtml(line)}</code>`)
  return entryHtml([`<strong>${escapeHtml(name)}</strong>`, lines.join('<br>')])
}
