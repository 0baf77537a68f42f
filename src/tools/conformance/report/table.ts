import { clean } from '../../../internal/clean.js'
import type { Outcome, Report } from '../../../shared/report.js'
import { alsoOf, asides, conclusion, exchangeLine, type Group, type Row, sections, timing } from './group.js'

interface TableOptions {
  colour: boolean
  /** The width of a line in characters; with `Infinity` nothing is cut or wrapped. */
  width: number
}

/** SGR codes of ECMA-48. */
const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 }
type Style = keyof typeof CODES
type Paint = (text: string, ...styles: Style[]) => string

/** A report for a terminal. */
export function renderTable(report: Report, { colour, width }: TableOptions): string {
  const paint: Paint = (text, ...styles) =>
    colour ? `${styles.map((style) => `\u001b[${CODES[style]}m`).join('')}${text}\u001b[0m` : text
  const block = (heading: string, lines: string[]) => (lines.length > 0 ? [[heading, ...lines]] : [])
  const [baseline, coverage] = asides(report)
  const indented = (text: string) => wrap(printable(text), width - 2).map((line) => `  ${line}`)
  const blocks = [
    [paint(printable(report.baseUrl), 'bold'), paint(`${timing(report)}, from ${report.startedAt}`, 'dim')],
    ...sections(report).flatMap(({ outcome, title, meaning, count, rows }) => {
      const print = outcome === 'not-exercised' ? skippedLines : IN_DETAIL.has(outcome) ? entryDetails : brief
      const all = rows.map((row) => print(row, paint, width).join('\n'))
      const heading = `${paint(`${title} ${count}`, COLOURS[outcome], 'bold')}  ${paint(meaning, 'dim')}`
      return block(heading, print === entryDetails ? [all.join('\n\n')].filter(Boolean) : all)
    }),
    ...block(
      paint(coverage.title, 'bold'),
      coverage.rows.flatMap((row) => indented(row.join(': '))),
    ),
    ...block(
      paint(`${baseline.title} ${baseline.rows.length}`, 'red', 'bold'),
      baseline.rows.flatMap(([, message]) => indented(message)),
    ),
    ...report.remarks.map((remark) => wrap(printable(remark), width)),
    wrap(conclusion(report), width).map((line) => paint(line, report.passed ? 'green' : 'red', 'bold')),
  ]
  return `\n${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

const IN_DETAIL = new Set<Outcome>(['fail', 'known', 'contradicted', 'client', 'warning', 'discovered'])

/** The reason, and below it the entries. */
function skippedLines({ text, findings }: Row, paint: Paint, width: number): string[] {
  const ids = wrap(findings.map((each) => each.basis).join(' '), width - 6)
  return [
    ...wrap(printable(text), width - 4).map((line) => `  ${line}`),
    ...ids.map((line) => paint(`    ${line}`, 'dim')),
  ]
}

/** The text of the register, or the observed values, on one line. */
const brief = ({ text, findings }: Row, paint: Paint, width: number): string[] =>
  findings.flatMap(({ basis, outcome, times, keyword, message, undecided = [] }) => {
    const often = paint((times > 1 ? `${times}×` : '').padStart(4), 'dim')
    const what = clip(printable(keyword === 'enum' || keyword === 'client' ? message : text), width - 13)
    const open = undecided.flatMap((each) => wrap(`Not decided: ${printable(each)}`, width - 13))
    return [
      `  ${paint(basis, COLOURS[outcome])}  ${often}  ${what}`,
      ...open.map((line) => paint(`             ${line}`, 'dim')),
    ]
  })

/** An entry, and below it the findings with exchange and location in the contract. */
function entryDetails({ text, findings, groups }: Row, paint: Paint, width: number): string[] {
  const [{ basis, outcome }] = findings
  const id = paint(basis, COLOURS[outcome])
  const hanging = (label: string, what: string): string[] =>
    wrap(what, width - 8).map((line, index) => `  ${index === 0 ? label : '   '}  ${line}`)
  const seen = (group: Group): string[] => {
    const [finding] = group
    const { message, times, response, location = '', curl = '', undecided = [] } = finding
    const exchange = [exchangeLine(finding), response?.body].filter(Boolean).join(' ')
    return [
      ...hanging(text ? '   ' : id, printable(message) + (times > 1 ? ` (${times} times)` : '')),
      ...[alsoOf(group), exchange, location]
        .filter(Boolean)
        .map((line) => paint(`       ${clip(printable(line), width - 8)}`, 'dim')),
      ...[command(curl, width - 8), undecided.flatMap((each) => wrap(`Not decided: ${printable(each)}`, width - 8))]
        .flat()
        .map((line) => paint(`       ${line}`, 'dim')),
    ]
  }
  return [...(text ? hanging(id, text) : []), ...groups.flatMap(seen)]
}

const COLOURS: Record<Outcome, Style> = {
  fail: 'red',
  known: 'yellow',
  contradicted: 'yellow',
  client: 'cyan',
  warning: 'yellow',
  discovered: 'cyan',
  confirmed: 'green',
  pass: 'green',
  'not-exercised': 'dim',
}

const printable = (text: string): string => clean(text.replaceAll(/\s+/g, ' '))

const clip = (text: string, width: number): string =>
  text.length > width
    ? `${text
        .slice(0, width - 1)
        .replace(/[\ud800-\udbff]$/, '')
        .replaceAll(/[\u200c\u200d]/g, '')}…`
    : text

/** A command on one line, or with a line for each of its arguments. */
function command(curl: string, width: number): string[] {
  const whole = printable(curl)
  if (whole.length <= width) return [whole].filter(Boolean)
  const parts = whole.split(/ (?=-H |--data-binary )/)
  return parts.map((part, index) =>
    clip(`${index === 0 ? '' : '  '}${part}${index < parts.length - 1 ? ' \\' : ''}`, width),
  )
}

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
