import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** The record of a tool that `npm run suite -- interop --save` writes. */
interface ToolResult {
  name: string
  version: string
  does: string
  /** The form of the document that it read. */
  file?: string
  outcome: 'passed' | 'failed' | 'skipped'
  reason?: string
}

/** The command of each tool. */
interface Tool {
  name: string
  commands: string[]
  /** The program that called the sandbox with the generated client. */
  program?: string
}

/** The tools of a file of the interop suite; none where it is missing, as before the first run. */
function readList<Each>(root: string, name: 'results' | 'tools'): Each[] {
  const file = join(root, `test/suites/interop/${name}.yaml`)
  return existsSync(file) ? parse(readFileSync(file, 'utf8')) : []
}

/** The result of each tool, as rows of a table. */
export const toolRows = (root: string): string[][] =>
  readList<ToolResult>(root, 'results').map(({ name, version, file = '', does, outcome, reason }) =>
    [`${name} ${version}`.trim(), file, `${outcome}: ${reason ?? does}`].map(escaped),
  )

/** Text in a cell of Markdown. */
const escaped = (text: string): string => text.replaceAll(/[<>|{}*_]/g, '\\$&')

/** The commands of each tool. */
export const toolCommands = (root: string): string =>
  readList<Tool>(root, 'tools')
    .map(({ name, commands, program }) => {
      const lines = [...commands, ...(program ? [program] : [])]
      return `**${escaped(name)}**\n\n\`\`\`sh\n${lines.join('\n')}\n\`\`\``
    })
    .join('\n\n')
