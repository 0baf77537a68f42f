import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

/** The record of a tool that `npm run suite -- interop --save` writes. */
interface ToolResult {
  name: string
  version: string
  outcome: 'passed' | 'failed' | 'skipped'
}

/** The commands of a tool, of which a reader needs the first `shown`. */
interface Tool {
  name: string
  shown?: number
  commands: string[]
}

/** The tools of a file of the interop suite; none where it is missing, as before the first run. */
function readList<Each>(root: string, name: 'results' | 'tools'): Each[] {
  const file = join(root, `test/suites/interop/${name}.yaml`)
  return existsSync(file) ? parse(readFileSync(file, 'utf8')) : []
}

/** The tools that a reader can run with the document alone, as rows of a table: name and version, form and command. */
export function toolRows(root: string): string[][] {
  const results = new Map(readList<ToolResult>(root, 'results').map((each) => [each.name, each]))
  return readList<Tool>(root, 'tools').flatMap(({ name, commands, shown = 0 }) => {
    const { version = '', outcome } = results.get(name) ?? {}
    const command = commands
      .slice(0, shown)
      .join(' && ')
      .replaceAll('$BASE_URL', '$WORKFLOW_BASE_URL')
      .replaceAll('$API_KEY', '$WORKFLOW_API_KEY')
    const [file = ''] = /openapi[\w.-]*\.(?:yaml|json)/.exec(command) ?? []
    const tool = [name, version, ...(outcome === 'passed' ? [] : ['(not tried)'])].filter(Boolean).join(' ')
    const cells = [escapedCell(tool), file, `\`${command.replaceAll('|', '\\|')}\``]
    return shown > 0 ? [cells] : []
  })
}

/** Text in a cell of Markdown. */
const escapedCell = (text: string): string => text.replaceAll(/[<>|{}*_]/g, '\\$&')
