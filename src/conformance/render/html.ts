import { basis } from '../../../generated/operations.js'
import { parseJson } from '../../internal/json.js'
import { escapeControls } from '../print.js'
import type { Finding, Report } from '../report.js'
import {
  conclusion,
  coverageLines,
  exchangeLine,
  type Row,
  type Section,
  sections,
  textOf,
  timing,
  wrongInBaseline,
} from './group.js'
import { type Markup, markup } from './markup.js'
import { STYLE } from './style.js'

const NOTHING: Markup = { markup: '' }

/** A report as one page that needs nothing else: no script, no font, no network. */
export function renderHtml(report: Report): string {
  const { baseUrl, startedAt, passed, remarks } = report
  const all = sections(report)
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${passed ? 'Keeps to the contract' : 'Fails the contract'}: ${baseUrl}</title>
<style>${{ markup: STYLE }}</style>
</head>
<body>
<header>
<p class="what">Conformance of a service with the contract</p>
<h1>${baseUrl}</h1>
<p class="conclusion ${passed ? 'good' : 'bad'}">${conclusion(report)}</p>
<p class="facts">${timing(report)}, from <time datetime="${startedAt}">${startedAt.slice(0, 16).replace('T', ' ')} UTC</time></p>
${remarks.map((each) => markup`<p class="remark">${each}</p>`)}
</header>
<nav aria-label="Outcomes"><ul>${all.map(tile)}</ul></nav>
<main>
${plainSection(
  'baseline',
  'Baseline',
  'Entries that are stale or expired, which fails.',
  ['State', 'What to do'],
  wrongInBaseline(report).map(({ state, message }) => [state, message]),
)}
${plainSection('coverage', 'Coverage', 'What the recording holds of each operation.', ['Operation', 'Responses'], coverageLines(report))}
${all.filter(({ count }) => count > 0).map(section)}
</main>
</body>
</html>
`.markup
}

/** A table of two columns; nothing without rows. */
function plainSection(
  id: string,
  title: string,
  meaning: string,
  [first, second]: [string, string],
  rows: readonly [string, string][],
): Markup {
  if (rows.length === 0) return NOTHING
  return markup`<section id="${id}" class="not-exercised">
<h2>${title}</h2>
<p class="meaning">${meaning}</p>
<table>
<thead><tr><th scope="col">${first}</th><th scope="col">${second}</th></tr></thead>
<tbody>
${rows.map(([one, other]) => markup`<tr><td>${one}</td><td>${other}</td></tr>`)}
</tbody>
</table>
</section>`
}

function tile({ outcome, title, count }: Section): Markup {
  const inside = markup`<b>${count}</b> ${title}`
  return count === 0
    ? markup`<li class="${outcome} none"><span>${inside}</span></li>`
    : markup`<li class="${outcome}"><a href="#${outcome}">${inside}</a></li>`
}

function section({ outcome, title, meaning, count, rows }: Section): Markup {
  const isSkipped = outcome === 'not-exercised'
  const [first, second] = isSkipped ? ['Entries', 'Why'] : ['Entry', 'What was seen']
  return markup`<section id="${outcome}" class="${outcome}">
<h2>${title} <span>${count}</span></h2>
<p class="meaning">${meaning[0]?.toUpperCase() ?? ''}${meaning.slice(1)}.</p>
<table>
<thead><tr><th scope="col">${first}</th><th scope="col">${second}</th></tr></thead>
<tbody>
${rows.map(isSkipped ? skippedRow : row)}
</tbody>
</table>
</section>`
}

function row({ text, findings }: Row): Markup {
  const [{ basis: id, outcome }] = findings
  return markup`<tr><td><abbr title="${basis[id].kind}, section ${basis[id].section}">${id}</abbr></td><td>
${text ? markup`<p class="text">${text}</p>` : NOTHING}${findings.map((each, index) => seen(each, index === 0 && outcome === 'fail'))}</td></tr>`
}

const skippedRow = ({ text, findings }: Row): Markup => {
  const ids = findings.map((each) => markup`<abbr title="${textOf(each)}">${each.basis}</abbr>`)
  return markup`<tr><td class="ids">${ids}</td><td><p class="text">${text}</p></td></tr>`
}

function seen(finding: Finding, isOpen: boolean): Markup {
  const { message, times, location, request } = finding
  const often = times > 1 ? markup` <span class="times">${times}×</span>` : NOTHING
  const where = location ? markup`<p class="location">${location}</p>` : NOTHING
  return markup`<p class="seen">${sentence(message)}${often}</p>${where}${request ? evidence(finding, isOpen) : NOTHING}`
}

function evidence(finding: Finding, isOpen: boolean): Markup {
  const { request, response } = finding
  const sent = request && [
    `${request.method} ${request.url}`,
    ...headerLines(request.headers),
    ...bodyLines(request.body),
  ]
  const received = response
    ? [
        `${response.status}, after ${response.duration} ms`,
        ...headerLines(response.headers),
        '',
        pretty(response.body ?? ''),
      ]
    : ['No response']
  return markup`<details${isOpen ? ' open' : ''}><summary>${exchangeLine(finding)}</summary>
<pre tabindex="0">${sent?.join('\n') ?? ''}</pre>
<pre tabindex="0">${received.join('\n')}</pre>
</details>`
}

const headerLines = (headers: Record<string, string>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`)

const bodyLines = (body: string | undefined): string[] => (body === undefined ? [] : ['', body])

function pretty(text: string): string {
  const body = parseJson(text)
  return body === undefined ? text : escapeControls(JSON.stringify(body, null, 2))
}

/** A clause as a sentence; the name of an operation keeps its small letter. */
const sentence = (text: string): string =>
  text.replace(/^[a-z]+(?= )/, (word) => `${word[0]?.toUpperCase()}${word.slice(1)}`) + (/[.!?]$/.test(text) ? '' : '.')
