import { counted, seconds } from '../message.js'
import { escapeControls } from '../print.js'
import type { Finding, Outcome, Report } from '../report.js'
import {
  byReason,
  conclusion,
  coverageLines,
  exchangeLine,
  OUTCOMES,
  textOf,
  withOutcome,
  wrongInBaseline,
} from './group.js'

export interface TableOptions {
  /** Whether the terminal shows colour. */
  colour: boolean
  /** How many characters a line has. */
  width: number
}

/** A report for a terminal. */
export function renderTable(report: Report, options: TableOptions): string {
  const { colour, width } = options
  const paint = (code: number, text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text)
  const cut = (text: string, indent: number) => clip(printable(text), width - indent)
  const lines: string[] = [
    '',
    paint(BOLD, printable(report.baseUrl)),
    paint(
      DIM,
      `${counted(report.requests, report.coverage ? 'recorded request' : 'request')} in ${seconds(report.duration)}, from ${report.startedAt}`,
    ),
    '',
  ]
  for (const { outcome, title, meaning } of OUTCOMES) {
    const findings = withOutcome(report, outcome)
    if (findings.length === 0) continue
    const count = outcome === 'discovered' ? findings.length : new Set(findings.map((each) => each.basis)).size
    lines.push(`${paint(COLOURS[outcome], paint(BOLD, `${title} ${count}`))}  ${paint(DIM, meaning)}`)
    if (outcome === 'not-exercised')
      for (const [reason, skipped] of byReason(report)) {
        lines.push(...wrap(printable(reason), width - 4).map((line) => `  ${line}`))
        lines.push(
          ...wrap(skipped.map((each) => each.basis).join(' '), width - 6).map((line) => paint(DIM, `    ${line}`)),
        )
      }
    else if (IN_DETAIL.has(outcome)) lines.push(...details(findings, paint, width))
    else
      for (const finding of findings) {
        const times = finding.times > 1 ? `${finding.times}×` : ''
        const id = paint(COLOURS[outcome], finding.basis)
        lines.push(`  ${id}  ${paint(DIM, times.padStart(4))}  ${cut(textOf(finding), 13)}`)
      }
    lines.push('')
  }
  const coverage = coverageLines(report)
  if (coverage.length > 0) lines.push(paint(BOLD, 'Coverage'))
  for (const [operation, responses] of coverage)
    lines.push(...wrap(`${operation}: ${responses}`, width - 2).map((line) => `  ${line}`))
  if (coverage.length > 0) lines.push('')
  const wrong = wrongInBaseline(report)
  if (wrong.length > 0) lines.push(paint(RED, paint(BOLD, `Baseline ${wrong.length}`)))
  for (const { message } of wrong) lines.push(...wrap(printable(message), width - 2).map((line) => `  ${line}`))
  if (wrong.length > 0) lines.push('')
  for (const remark of report.remarks) lines.push(...wrap(printable(remark), width), '')
  const last = wrap(conclusion(report), width).map((line) => paint(report.passed ? GREEN : RED, paint(BOLD, line)))
  return `${[...lines, ...last].join('\n')}\n`
}

const IN_DETAIL = new Set<Outcome>(['fail', 'known', 'contradicted', 'client', 'discovered'])

/** Each entry once, below it what was seen, with the exchange and the location in the contract. */
function details(findings: readonly Finding[], paint: (code: number, text: string) => string, width: number): string[] {
  const lines: string[] = []
  let last = ''
  for (const finding of findings) {
    if (finding.outcome === 'discovered') {
      if (last !== '') lines.push('')
      last = finding.basis
    } else if (finding.basis !== last) {
      if (last !== '') lines.push('')
      const [first = '', ...rest] = wrap(textOf(finding), width - 8)
      lines.push(
        `  ${paint(COLOURS[finding.outcome], finding.basis)}  ${first}`,
        ...rest.map((line) => `       ${line}`),
      )
      last = finding.basis
    }
    const times = finding.times > 1 ? ` (${finding.times} times)` : ''
    const id = finding.outcome === 'discovered' ? `${paint(COLOURS.discovered, finding.basis)}  ` : '     '
    const [first = '', ...rest] = wrap(printable(finding.message) + times, width - 8)
    lines.push(`  ${id}${first}`, ...rest.map((line) => `       ${line}`))
    const body = finding.response?.body ? ` ${finding.response.body}` : ''
    for (const more of [exchangeLine(finding) && exchangeLine(finding) + body, finding.location ?? ''])
      if (more) lines.push(paint(DIM, `       ${clip(printable(more), width - 8)}`))
  }
  return lines
}

const BOLD = 1
const DIM = 2
const RED = 31
const GREEN = 32
const YELLOW = 33
const CYAN = 36

const COLOURS: Record<Outcome, number> = {
  fail: RED,
  known: YELLOW,
  contradicted: YELLOW,
  client: CYAN,
  discovered: CYAN,
  confirmed: GREEN,
  pass: GREEN,
  'not-exercised': DIM,
}

/** What a service sends must not steer a terminal. */
export const printable = (text: string): string => escapeControls(text.replaceAll(/\s+/g, ' '))

const clip = (text: string, width: number): string => (text.length > width ? `${text.slice(0, width - 1)}…` : text)

/** Words in lines of at most `width` characters; a longer word has a line of its own. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' '))
    if (line && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line ? `${line} ${word}` : word
  return [...lines, line]
}
