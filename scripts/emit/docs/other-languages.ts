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
  /** The program that called the sandbox with the generated client. */
  program?: string
  outcome: 'passed' | 'failed' | 'skipped'
  reason?: string
}

const INTRODUCTION = `The contract is a plain OpenAPI 3.1 document, so the tools of other languages read it. This page shows the last run of \`npm run test:interop\` of this repository: each tool with the commands that were run in a folder with [openapi.yaml](../../generated/openapi.yaml).

A generator passes when its client compiles, lists the playbooks, triggers a run, polls it until it succeeds, and receives a 404 and a 429 as errors; then the same again with a field in every object that the contract does not name.`

/** The page "Other languages" as Markdown, undefined before the first run. */
export function otherLanguagesPage(root: string): string | undefined {
  const file = join(root, 'test/interop/results.yaml')
  if (!existsSync(file)) return undefined
  const results: ToolResult[] = parse(readFileSync(file, 'utf8'))
  const entriesOf = (chosen: ToolResult[]) => chosen.map(entryOf).join('')
  return [
    '# Other languages',
    INTRODUCTION,
    '## Generators',
    entriesOf(results.filter(({ program }) => program)),
    '## Readers, linters, mocks and fuzzers',
    entriesOf(results.filter(({ program }) => !program)),
  ].join('\n\n')
}

function entryOf({ name, version, commands, program, does, outcome, reason }: ToolResult): string {
  const heading = `<strong>${escapeHtml(`${name} ${version}`.trim())}</strong> ${escapeHtml(`${outcome}: ${reason ?? does}`)}`
  const lines = [...commands, ...(program ? [program] : [])].map((line) => `<code>${escapeHtml(line)}</code>`)
  return entryHtml([heading, lines.join('<br>')])
}
