import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { combineReports, type Report } from '../conformance/index.js'
import { wrong } from '../conformance/options.js'
import { escapeControls } from '../conformance/report/print.js'
import { checkOutputs, EXIT, exitOf } from './outputs.js'
import { type OutputFlags, outputFiles, withOutputs, writeReport } from './verify-output.js'

/** `workflow-automation verify report`: several reports of `--json` as one, in any format. */
export const reportCommand = (): Command =>
  withOutputs(
    new Command('report')
      .description('Combine reports of verify --json: of each entry the worst outcome, and the coverage of all.')
      .argument('<file...>', 'reports of verify --json')
      .addHelpText(
        'after',
        '\nExits as verify does: with 0, with 1 when something fails, with 2 without a combined report.',
      )
      .exitOverride(exitOf),
  ).action(async (files: string[], _: object, command: Command) => {
    // The command above has options of the same names, which take these values.
    const flags: OutputFlags = command.optsWithGlobals()
    try {
      const inputs = Object.fromEntries(files.map((file, index) => [`report ${index + 1}`, file]))
      await checkOutputs(inputs, outputFiles(flags))
      const combined = combineReports(await Promise.all(files.map(readReport)))
      process.exitCode = await writeReport(combined, flags)
    } catch (error) {
      process.stderr.write(`${(error as Error).message}\n`)
      process.exitCode = EXIT.notRun
    }
  })

async function readReport(file: string): Promise<Report> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw wrong(`${file} cannot be read: ${error.message}.`)
  })
  const report = parsed(text) as Report | undefined
  if (!isReport(report))
    throw wrong(`${file} is no report of this version of verify. Write one with verify --json > ${file}.`)
  return report
}

const isReport = (report: Partial<Report> | undefined): report is Report =>
  Array.isArray(report?.findings) &&
  Array.isArray(report.coverage) &&
  /^[\d:.TZ-]+$/.test(`${report.startedAt}`) &&
  Number.isFinite(report.duration) &&
  Number.isFinite(report.requests)

/** Of a report of another machine, which may have text that would control a terminal. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text, (_, value) => (typeof value === 'string' ? escapeControls(value) : value))
  } catch {
    return undefined
  }
}
