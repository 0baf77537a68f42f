import { escapeControls } from '../print.js'
import type { Finding, Outcome, Report } from '../report.js'
import { asides, conclusion, exchangeLine, type Row, sections, timing } from './group.js'

export interface TableOptions {
  /** Whether the terminal shows colour. */
  colour: boolean
  /** How many characters a line has; without end nothing is cut or wrapped. */
  width: number
}

type Paint = (code: number, text: string) => string

/** A report for a terminal. */
export function renderTable(report: Report, { colour, width }: TableOptions): string {
  const paint: Paint = (code, text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text)
  const strong = (code: number, text: string) => paint(code, paint(BOLD, text))
  const lines = [
    '',
    paint(BOLD, printable(report.baseUrl)),
    paint(DIM, `${timing(report)}, from ${report.startedAt}`),
    '',
  ]
  const add = (heading: string, own: string[]) => own.length > 0 && lines.push(heading, ...own, '')
  const indented = (text: string) => wrap(printable(text), width - 2).map((line) => `  ${line}`)
  for (const { outcome, title, meaning, count, rows } of sections(report)) {
    const print = outcome === 'not-exercised' ? skipped : IN_DETAIL.has(outcome) ? details : brief
    const heading = `${strong(COLOURS[outcome], `${title} ${count}`)}  ${paint(DIM, meaning)}`
    const all = rows.map((row) => print(row, paint, width))
    add(heading, print === details ? all.flatMap((own, index) => (index > 0 ? ['', ...own] : own)) : all.flat())
  }
  const [baseline, coverage] = asides(report)
  const responses = coverage.rows.flatMap(([operation, text]) => indented(`${operation}: ${text}`))
  add(paint(BOLD, coverage.title), responses)
  const wrong = baseline.rows.flatMap(([, message]) => indented(message))
  add(strong(RED, `${baseline.title} ${baseline.rows.length}`), wrong)
  for (const remark of report.remarks) lines.push(...wrap(printable(remark), width), '')
  const last = wrap(conclusion(report), width).map((line) => strong(report.passed ? GREEN : RED, line))
  return `${[...lines, ...last].join('\n')}\n`
}

const IN_DETAIL = new Set<Outcome>(['fail', 'known', 'contradicted', 'client', 'discovered'])

/** The reason, and below it the entries. */
function skipped({ text, findings }: Row, paint: Paint, width: number): string[] {
  const ids = wrap(findings.map((each) => each.basis).join(' '), width - 6)
  return [
    ...wrap(printable(text), width - 4).map((line) => `  ${line}`),
    ...ids.map((line) => paint(DIM, `    ${line}`)),
  ]
}

/** What the register says, or which of its values were seen, on one line. */
const brief = ({ text, findings }: Row, paint: Paint, width: number): string[] =>
  findings.map(({ basis, outcome, times, keyword, message }) => {
    const often = paint(DIM, (times > 1 ? `${times}×` : '').padStart(4))
    const what = clip(printable(keyword === 'enum' ? message : text), width - 13)
    return `  ${paint(COLOURS[outcome], basis)}  ${often}  ${what}`
  })

/** An entry once, below it what was seen, with the exchange and the location in the contract. */
function details({ text, findings }: Row, paint: Paint, width: number): string[] {
  const [{ basis, outcome }] = findings
  const id = paint(COLOURS[outcome], basis)
  const hanging = (label: string, what: string): string[] =>
    wrap(what, width - 8).map((line, index) => `  ${index === 0 ? label : '   '}  ${line}`)
  const seen = (finding: Finding): string[] => {
    const { message, times, response, location = '' } = finding
    const exchange = [exchangeLine(finding), response?.body].filter(Boolean).join(' ')
    return [
      ...hanging(text ? '   ' : id, printable(message) + (times > 1 ? ` (${times} times)` : '')),
      ...[exchange, location].filter(Boolean).map((line) => paint(DIM, `       ${clip(printable(line), width - 8)}`)),
    ]
  }
  return [...(text ? hanging(id, text) : []), ...findings.flatMap(seen)]
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
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`
    if (lines.length > 0 && longer.length <= width) lines.splice(-1, 1, longer)
    else lines.push(word)
  }
  return lines
}
