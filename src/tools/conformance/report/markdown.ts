import type { Finding, Report } from '../../../shared/report.js'
import { asides, conclusion, type Row, sections, timing } from './group.js'

/** A report in Markdown, for a pull request: what failed with its evidence, the rest in short. */
export function renderMarkdown(report: Report): string {
  const shown = sections(report).filter(({ rows }) => rows.length > 0)
  const [baseline, coverage] = asides(report)
  const counts = shown.map(({ title, count }) => `${title} ${count}`).join(' · ')
  const detailed = shown.filter(({ outcome }) => /^(fail|known|contradicted|client|warning|discovered)$/.test(outcome))
  const blocks = [
    `## ${report.passed ? '✅' : '❌'} ${plain(conclusion(report))}`,
    `\`${report.baseUrl}\`: ${plain(timing(report))}. ${plain(counts)}.`,
    ...report.remarks.map((remark) => `> ${plain(remark)}`),
    ...detailed.map(({ title, count, rows }) => [`### ${title} ${count}`, ...rows.map(entry)].join('\n\n')),
    ...[baseline, coverage]
      .filter(({ rows }) => rows.length > 0)
      .map(({ title, columns, rows }) => detailsMarkup(title, tableOf(columns, rows))),
  ]
  return `${blocks.join('\n\n')}\n`
}

function entry({ text, groups }: Row): string {
  const [[first]] = groups
  const head = text ? `**${first.basis}** ${plain(text)}` : ''
  return [head, ...groups.map(([finding, ...more]) => seen(finding, more))].filter(Boolean).join('\n\n')
}

function seen(finding: Finding, more: readonly Finding[]): string {
  const { message, expected, actual, curl, response, location, undecided = [] } = finding
  const also = more.length > 0 ? ` And ${more.length} more of the kind.` : ''
  const evidence = [
    curl && fence('sh', curl),
    response && fence('http', `${response.status}${response.body ? `\n\n${response.body}` : ''}`),
    location && `Stated at \`${location}\`.`,
  ].filter((each) => each !== undefined)
  const values = expected === undefined ? [] : [tableOf(['Expected', 'Actual'], [[expected, actual ?? '']])]
  return [
    `- ${plain(message)}.${also}`,
    ...values,
    ...undecided.map((each) => `Not decided: ${plain(each)}`),
    ...(curl ? [detailsMarkup('The exchange', evidence.join('\n\n'))] : []),
  ].join('\n\n')
}

const tableOf = (columns: readonly [string, string], rows: readonly (readonly [string, string])[]): string =>
  [columns, ['---', '---'], ...rows.map((row) => row.map(plain))].map((row) => `| ${row.join(' | ')} |`).join('\n')

const detailsMarkup = (summary: string, text: string): string =>
  `<details><summary>${plain(summary)}</summary>\n\n${text}\n\n</details>`

/** Longer than any row of backticks in the text. */
const fence = (language: string, text: string): string => {
  const ticks = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([each]) => each.length + 1)))
  return `${ticks}${language}\n${text}\n${ticks}`
}

/** A text of a service is no markup and mentions nobody. */
const plain = (text: string): string =>
  text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\\`*_{}[\]<>|#]/g, (character) => `\\${character}`)
    .replaceAll('@', '@\u200b')
