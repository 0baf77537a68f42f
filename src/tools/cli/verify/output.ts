import { appendFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { Report } from '../../conformance/index.js'
import { coveragePercent } from '../../conformance/report/coverage.js'
import { renderAnnotations } from '../../conformance/report/github.js'
import { renderHtml } from '../../conformance/report/html.js'
import { renderJunit } from '../../conformance/report/junit.js'
import { renderMarkdown } from '../../conformance/report/markdown.js'
import { renderTable } from '../../conformance/report/table.js'
import { numberWithin } from '../arguments.js'
import { EXIT } from '../exit.js'
import { err, type Output, out } from '../screen.js'
import { writeWhole } from '../writable-files.js'

/** The options of what is made of a report. */
export interface OutputFlags {
  json?: true
  junit?: string
  html?: string
  markdown?: string
  github?: boolean
  failOn?: 'contradicted'
  minCoverage?: number
}

/** The formats of a report in a file, by the flag that writes it. */
export const FORMATS = {
  junit: { ending: '.xml', render: renderJunit },
  html: { ending: '.html', render: renderHtml },
  markdown: { ending: '.md', render: renderMarkdown },
} as const
type Format = keyof typeof FORMATS

export const withOutputs = (command: Command): Command =>
  command
    .option('--json', 'print the report as JSON')
    .option('--junit <file>', 'write the report as JUnit XML')
    .option('--html <file>', 'write the report as one HTML page')
    .option('--markdown <file>', 'write the report as Markdown, for a pull request')
    .option('--github', 'annotate failures and add to the job summary; on by itself in GitHub Actions')
    .option('--no-github', 'do neither')
    .addOption(
      new Option('--fail-on <outcome>', 'also fail on contradicted entries, which are observed or assumed').choices([
        'contradicted',
      ]),
    )
    .option(
      '--min-coverage <percent>',
      'fail when fewer of the properties of the contract were seen',
      numberWithin(0, 100),
    )

export const outputFiles = (flags: OutputFlags): Record<string, string | undefined> =>
  Object.fromEntries((Object.keys(FORMATS) as Format[]).map((name) => [`--${name}`, flags[name]]))

/** Writes the files that were asked for. */
async function writeFormats(report: Report, flags: Pick<OutputFlags, Format>): Promise<void> {
  for (const name of Object.keys(FORMATS) as Format[]) {
    const file = flags[name]
    if (file !== undefined) await writeWhole(file, FORMATS[name].render(report))
  }
}

/** Writes a report in every format that was asked for, and returns the exit code. */
export async function writeReport(report: Report, flags: OutputFlags, more = ''): Promise<number> {
  if (flags.json) out.json(report)
  else printTable(report, out, more)
  await writeFormats(report, flags)
  if (flags.github ?? process.env.GITHUB_ACTIONS === 'true') await writeToGithub(report)
  const covered = coveragePercent(report)
  const isCovered = flags.minCoverage === undefined || covered >= flags.minCoverage
  if (!isCovered)
    err.line(
      `${Math.floor(covered)} % of the properties of the contract were seen, and --min-coverage asks for ${flags.minCoverage} %.`,
    )
  if (!report.passed || !isCovered) return EXIT.failed
  return report.complete ? EXIT.done : EXIT.notPossible
}

/** Standard output may be JSON; a runner reads commands from both. */
export async function writeToGithub(report: Report): Promise<void> {
  err.block(renderAnnotations(report))
  const { GITHUB_STEP_SUMMARY: summary } = process.env
  if (summary) await appendFile(summary, renderMarkdown(report))
}

/** Prints a report for people, with `more` below its table. */
export const printTable = (report: Report, output: Output, more = ''): void =>
  output.block(
    renderTable(report, {
      colour: output.colour,
      width: Number.isFinite(output.width) ? Math.min(output.width, WIDEST) : output.width,
    }) + more,
  )

/** In columns, on a terminal; without one lines are not cut. */
const WIDEST = 120
