import { basis } from '../../../generated/operations.js'
import type { Finding, Report } from '../report.js'
import { seconds } from '../text.js'
import { byReason, exchangeLine, OUTCOMES, textOf, verdict, withOutcome } from './group.js'
import { escapeMarkup } from './markup.js'
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
<p class="verdict ${passed ? 'good' : 'bad'}">${escapeMarkup(verdict(report))}</p>
<p class="facts">${requests} requests in ${seconds(duration)}, from <time datetime="${escapeMarkup(startedAt)}">${escapeMarkup(startedAt.slice(0, 16).replace('T', ' '))} UTC</time></p>
${remarks.map((each) => `<p class="remark">${escapeMarkup(each)}</p>`).join('\n')}
</header>
<nav aria-label="Outcomes"><ul>${OUTCOMES.map(({ outcome, title }) => tile(report, outcome, title)).join('')}</ul></nav>
<main>
${OUTCOMES.map(({ outcome, title, meaning }) => section(report, outcome, title, meaning)).join('\n')}
</main>
</body>
</html>
`
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
  const rows = outcome === 'not-exercised' ? skippedRows(report) : findings.map(row).join('\n')
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

const row = (finding: Finding): string =>
  `<tr><td><abbr title="${escapeMarkup(`${basis[finding.basis].kind}, section ${basis[finding.basis].section}`)}">${finding.basis}</abbr></td><td>
<p class="text">${escapeMarkup(finding.outcome === 'discovered' ? sentence(finding.message) : textOf(finding))}</p>
${finding.outcome === 'discovered' ? '' : `<p class="seen">${escapeMarkup(sentence(finding.message))}${finding.times > 1 ? ` <span class="times">${finding.times}×</span>` : ''}</p>`}
${evidence(finding)}</td></tr>`

const skippedRows = (report: Report): string =>
  byReason(report)
    .map(
      ([reason, skipped]) =>
        `<tr><td class="ids">${skipped.map((each) => `<abbr title="${escapeMarkup(textOf(each))}">${each.basis}</abbr>`).join(' ')}</td><td><p class="text">${escapeMarkup(reason)}</p></td></tr>`,
    )
    .join('\n')

function evidence(finding: Finding): string {
  const { request, response, place } = finding
  const where = place ? `<p class="place">${escapeMarkup(place)}</p>` : ''
  if (!request) return where
  const open = finding.outcome === 'fail' ? ' open' : ''
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
          pretty(response.body),
        ].join('\n')
      : 'No answer',
  )}</pre>
</details>`
}

const headerLines = (headers: Record<string, string>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`)

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const sentence = (text: string): string =>
  `${text[0]?.toUpperCase() ?? ''}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
