import { basis } from '../../../generated/operations.js'
import { parseJson } from '../../internal/json.js'
import { seconds } from '../message.js'
import { escapeControls } from '../print.js'
import type { Finding, Report } from '../report.js'
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
import { STYLE } from './style.js'

/** A report as one page that needs nothing else: no script, no font, no network. */
export function renderHtml(report: Report): string {
  const { baseUrl, startedAt, duration, requests, passed, remarks } = report
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeMarkup(passed ? 'Keeps to the contract' : 'Fails the contract')}: ${escapeMarkup(baseUrl)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<p class="what">Conformance of a service with the contract</p>
<h1>${escapeMarkup(baseUrl)}</h1>
<p class="conclusion ${passed ? 'good' : 'bad'}">${escapeMarkup(conclusion(report))}</p>
<p class="facts">${requests} ${report.coverage ? 'recorded requests' : 'requests'} in ${seconds(duration)}, from <time datetime="${escapeMarkup(startedAt)}">${escapeMarkup(startedAt.slice(0, 16).replace('T', ' '))} UTC</time></p>
${remarks.map((each) => `<p class="remark">${escapeMarkup(each)}</p>`).join('\n')}
</header>
<nav aria-label="Outcomes"><ul>${OUTCOMES.map(({ outcome, title }) => tile(report, outcome, title)).join('')}</ul></nav>
<main>
${plainSection(
  'baseline',
  'Baseline',
  'Entries that are stale or expired, which fails.',
  ['State', 'What to do'],
  wrongInBaseline(report).map(({ state, message }) => [state, message]),
)}
${plainSection('coverage', 'Coverage', 'What the recording holds of each operation.', ['Operation', 'Responses'], coverageLines(report))}
${OUTCOMES.map(({ outcome, title, meaning }) => section(report, outcome, title, meaning)).join('\n')}
</main>
</body>
</html>
`
}

/** A table of two columns; nothing without rows. */
function plainSection(
  id: string,
  title: string,
  meaning: string,
  [first, second]: [string, string],
  rows: readonly [string, string][],
): string {
  if (rows.length === 0) return ''
  const body = rows.map(([one, other]) => `<tr><td>${escapeMarkup(one)}</td><td>${escapeMarkup(other)}</td></tr>`)
  return `<section id="${id}" class="not-exercised">
<h2>${title}</h2>
<p class="meaning">${meaning}</p>
<table>
<thead><tr><th scope="col">${first}</th><th scope="col">${second}</th></tr></thead>
<tbody>
${body.join('\n')}
</tbody>
</table>
</section>`
}

const countOf = (findings: readonly Finding[]): number =>
  findings[0]?.outcome === 'discovered' ? findings.length : new Set(findings.map((each) => each.basis)).size

function tile(report: Report, outcome: Finding['outcome'], title: string): string {
  const count = countOf(withOutcome(report, outcome))
  const inside = `<b>${count}</b> ${title}`
  return `<li class="${outcome}${count === 0 ? ' none' : ''}">${count === 0 ? `<span>${inside}</span>` : `<a href="#${outcome}">${inside}</a>`}</li>`
}

function section(report: Report, outcome: Finding['outcome'], title: string, meaning: string): string {
  const findings = withOutcome(report, outcome)
  if (findings.length === 0) return ''
  const rows = outcome === 'not-exercised' ? skippedRows(report) : byEntry(findings).map(row).join('\n')
  const [first, second] = outcome === 'not-exercised' ? ['Entries', 'Why'] : ['Entry', 'What was seen']
  return `<section id="${outcome}" class="${outcome}">
<h2>${title} <span>${countOf(findings)}</span></h2>
<p class="meaning">${meaning[0]?.toUpperCase()}${meaning.slice(1)}.</p>
<table>
<thead><tr><th scope="col">${first}</th><th scope="col">${second}</th></tr></thead>
<tbody>
${rows}
</tbody>
</table>
</section>`
}

/** One row for each entry, with everything that was seen of it; each discovery has a row of its own. */
function row(findings: readonly Finding[]): string {
  const [first] = findings
  if (!first) return ''
  const { kind, section: from } = basis[first.basis]
  const text = first.outcome === 'discovered' ? '' : `<p class="text">${escapeMarkup(textOf(first))}</p>`
  return `<tr><td><abbr title="${kind}, section ${from}">${first.basis}</abbr></td><td>
${text}${findings.map((finding) => seen(finding, finding === first && finding.outcome === 'fail')).join('\n')}</td></tr>`
}

function seen(finding: Finding, open: boolean): string {
  const times = finding.times > 1 ? ` <span class="times">${finding.times}×</span>` : ''
  return `<p class="seen">${escapeMarkup(sentence(finding.message))}${times}</p>${evidence(finding, open)}`
}

/** Findings of one entry together, in their order. */
const byEntry = (findings: readonly Finding[]): Finding[][] => {
  const groups = new Map<unknown, Finding[]>()
  for (const finding of findings) {
    const key = finding.outcome === 'discovered' ? finding : finding.basis
    groups.set(key, [...(groups.get(key) ?? []), finding])
  }
  return [...groups.values()]
}

const skippedRows = (report: Report): string =>
  byReason(report)
    .map(
      ([reason, skipped]) =>
        `<tr><td class="ids">${skipped.map((each) => `<abbr title="${escapeMarkup(textOf(each))}">${each.basis}</abbr>`).join(' ')}</td><td><p class="text">${escapeMarkup(reason)}</p></td></tr>`,
    )
    .join('\n')

function evidence(finding: Finding, isOpen: boolean): string {
  const { request, response, location } = finding
  const where = location ? `<p class="location">${escapeMarkup(location)}</p>` : ''
  if (!request) return where
  const open = isOpen ? ' open' : ''
  return `${where}<details${open}><summary>${escapeMarkup(exchangeLine(finding))}</summary>
<pre tabindex="0">${escapeMarkup(
    [
      `${request.method} ${request.url}`,
      ...headerLines(request.headers),
      ...(request.body === undefined ? [] : ['', request.body]),
    ].join('\n'),
  )}</pre>
<pre tabindex="0">${escapeMarkup(
    response
      ? [
          `${response.status}, after ${response.duration} ms`,
          ...headerLines(response.headers),
          '',
          pretty(response.body ?? ''),
        ].join('\n')
      : 'No response',
  )}</pre>
</details>`
}

const headerLines = (headers: Record<string, string>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`)

function pretty(text: string): string {
  const body = parseJson(text)
  return body === undefined ? text : escapeControls(JSON.stringify(body, null, 2))
}

/** A clause as a sentence; the name of an operation keeps its small letter. */
const sentence = (text: string): string =>
  text.replace(/^[a-z]+(?= )/, (word) => `${word[0]?.toUpperCase()}${word.slice(1)}`) + (/[.!?]$/.test(text) ? '' : '.')

/** Text for XML and HTML. What XML does not allow at all is left out. */
export const escapeMarkup = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
