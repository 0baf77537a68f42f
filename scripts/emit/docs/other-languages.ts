import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { escapeHtml, table } from './html.js'

/** What `npm run test:interop -- --save` writes for each tool. */
interface ToolResult {
  name: string
  version: string
  commands: string[]
  does: string
  /** The program that called the sandbox with the generated client. */
  program?: string
  outcome: 'passed' | 'failed' | 'skipped'
  reason?: string
}

const INTRODUCTION = `The contract is a plain OpenAPI 3.1 document, so the tools of other languages read it. This page shows the last run of \`npm run test:interop\` of this repository: each tool with the commands that were run in a folder with [openapi.yaml](openapi.yaml).

A generator passes when its client compiles, lists the playbooks, triggers a run, polls it until it succeeds, and receives a 404 and a 429 as errors; then the same again with a field in every object that the contract does not name.`

/** The page "Other languages" as Markdown, undefined before the first run. */
export function otherLanguagesPage(root: string): string | undefined {
  const file = join(root, 'test/interop/results.yaml')
  if (!existsSync(file)) return undefined
  const results: ToolResult[] = parse(readFileSync(file, 'utf8'))
  const section = (heading: string, rows: ToolResult[]) =>
    `## ${heading}\n\n${table(COLUMNS, rows.map(rowOf), 'interop')}`
  return [
    '# Other languages',
    INTRODUCTION,
    section(
      'Generators',
      results.filter(({ program }) => program),
    ),
    section(
      'Readers, linters, mocks and fuzzers',
      results.filter(({ program }) => !program),
    ),
  ].join('\n\n')
}

const COLUMNS = ['Tool', 'Version', 'Result', 'Commands']

const rowOf = ({ name, version, commands, program, does, outcome, reason }: ToolResult) => ({
  cells: [
    escapeHtml(name),
    escapeHtml(version || 'not known'),
    escapeHtml(`${outcome}: ${reason ?? does}`),
    [...commands, program]
      .filter((each) => each !== undefined)
      .map((command) => `<code>${escapeHtml(command)}</code>`)
      .join('<br>'),
  ],
})
