import { basis } from '../../../../generated/contract.js'
import { escapeHidden } from '../../../internal/clean.js'
import { parseJson } from '../../../internal/http/json.js'
import type { Finding, Report, SeenRequest, SeenResponse } from '../../../shared/report.js'
import {
  alsoOf,
  asides,
  conclusion,
  exchangeLine,
  type Group,
  type Markup,
  markup,
  type Row,
  sections,
  textOf,
  timing,
} from './group.js'

const pageTitle = ({ passed, subject }: Report): string =>
  subject === 'client'
    ? `${passed ? 'Keeps' : 'Breaks'} the client rules`
    : `${passed ? 'Keeps to' : 'Fails'} the contract`

const NOTHING: Markup = { markup: '' }

/** A report as one HTML page without script, font or network. */
export function renderHtml(report: Report): string {
  const { baseUrl, startedAt, passed, remarks } = report
  const shown = sections(report).filter(({ rows }) => rows.length > 0)
  const tables = shown.map(({ outcome, title, meaning, count, rows }) =>
    outcome === 'not-exercised'
      ? table(outcome, `${title} ${count}`, sentence(meaning), ['Entries', 'Why'], rows.map(skippedRow))
      : table(outcome, `${title} ${count}`, sentence(meaning), ['Entry', 'What was seen'], rows.map(row)),
  )
  const [baseline, coverage] = asides(report).map(({ title, meaning, columns, rows }) =>
    rows.length > 0 ? [table(title.toLowerCase(), title, meaning, columns, rows)] : [],
  )
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${pageTitle(report)}: ${baseUrl}</title>
<style>${{ markup: STYLE }}</style>
</head>
<body>
<header>
<p class="soft">${report.subject === 'client' ? 'Whether a client keeps the rules of the service' : 'Conformance of a service with the contract'}</p>
<h1>${baseUrl}</h1>
<p class="conclusion ${passed ? 'pass' : 'fail'}">${conclusion(report)}</p>
<p class="soft">${timing(report)}, from <time datetime="${startedAt}">${startedAt.slice(0, 16).replace('T', ' ')} UTC</time></p>
${remarks.map((each) => markup`<p class="remark">${each}</p>`)}
</header>
<nav aria-label="Outcomes"><ul>
${shown.map(({ outcome, title, count }) => markup`<li><a class="${outcome}" href="#${outcome}">${title} ${count}</a></li>`)}
</ul></nav>
<main>
${[...(baseline ?? []), ...tables, ...(coverage ?? [])]}
</main>
</body>
</html>
`.markup
}

type Cells = readonly [string | Markup | readonly Markup[], string | Markup]

function table(
  id: string,
  heading: string,
  meaning: string,
  [first, second]: readonly [string, string],
  rows: readonly Cells[],
): Markup {
  return markup`<section id="${id}" class="${id}">
<h2>${heading}</h2>
<p class="soft">${meaning}</p>
<table>
<thead><tr><th scope="col">${first}</th><th scope="col">${second}</th></tr></thead>
<tbody>
${rows.map(([one, other]) => markup`<tr><td>${one}</td><td>${other}</td></tr>`)}
</tbody>
</table>
</section>`
}

function row({ text, findings, groups }: Row): Cells {
  const [{ basis: id, outcome }] = findings
  const { kind, section } = basis[id]
  const said = text ? markup`<p>${text}</p>` : NOTHING
  const all = groups.map((each, index) => seenMarkup(each, index === 0 && outcome === 'fail'))
  return [markup`<abbr title="${`${kind}, section ${section}`}">${id}</abbr>`, markup`${said}${all}`]
}

const skippedRow = ({ text, findings }: Row): Cells => [
  findings.map((each) => markup`<abbr title="${textOf(each)}">${each.basis}</abbr>`),
  text,
]

function seenMarkup(group: Group, isOpen: boolean): Markup {
  const [finding] = group
  const also = alsoOf(group)
  const { message, times, location, request, undecided = [] } = finding
  const often = times > 1 ? ` ${times}×` : ''
  const where = location ? markup`<p class="code">${location}</p>` : NOTHING
  const more = also ? markup`<p class="soft">${also}</p>` : NOTHING
  return markup`<p class="seen">${sentence(message)}${often}</p>${more}${undecided.map((each) => markup`<p>Not decided: ${each}</p>`)}${where}${comparison(finding)}${request ? evidence(finding, request, isOpen) : NOTHING}`
}

/** What was expected beside what came. */
const comparison = ({ expected, actual }: Finding): Markup =>
  expected === undefined
    ? NOTHING
    : markup`<dl><dt>Expected</dt><dd>${expected}</dd><dt>Actual</dt><dd>${actual ?? ''}</dd></dl>`

function evidence(finding: Finding, request: SeenRequest, isOpen: boolean): Markup {
  const { response } = finding
  const received = response ? message(`${response.status}, after ${response.duration} ms`, response) : 'No response'
  return markup`<details${isOpen ? ' open' : ''}><summary class="code">${exchangeLine(finding)}</summary>
<pre tabindex="0">${message(`${request.method} ${request.url}`, request)}</pre>
<pre tabindex="0">${received}</pre>
${finding.curl ? markup`<pre tabindex="0">${finding.curl}</pre>` : NOTHING}
</details>`
}

function message(first: string, { headers, body }: SeenRequest | SeenResponse): string {
  const json = body === undefined ? undefined : parseJson(body)
  const indented = json === undefined ? undefined : escapeHidden(JSON.stringify(json, null, 2))
  // The indentation of many levels would be most of the page.
  const text = indented === undefined || indented.length > LONGEST_BODY ? body : indented
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [first, ...lines, ...(text === undefined ? [] : ['', text])].join('\n')
}

const LONGEST_BODY = 20_000

/** A clause as a sentence; the name of an operation keeps its lower case. */
const sentence = (text: string): string =>
  text.replace(/^[a-z]+(?= )/, (word) => `${word[0]?.toUpperCase()}${word.slice(1)}`) + (/[.!?]$/.test(text) ? '' : '.')

const STYLE = `
:root{color-scheme:light dark;--soft:light-dark(#57606a,#9aa4ae);--raised:light-dark(#f6f8fa,#181d24);--line:light-dark(#d8dee4,#2d343d);--tone:var(--soft)}
*{box-sizing:border-box}
.fail{--tone:light-dark(#b4232c,#ff7b78)}
.pass,.confirmed{--tone:light-dark(#1a7038,#63c778)}
.contradicted,.known,.warning{--tone:light-dark(#8a5a00,#e0ad4f)}
.discovered,.client{--tone:light-dark(#0a5f9e,#6cb6ff)}
body{margin:0 auto;max-width:62rem;padding:2.5rem 1.25rem 4rem;font:1rem/1.5 system-ui,sans-serif;color:CanvasText;background:Canvas}
p,h1,h2{margin:0;overflow-wrap:anywhere}
h2,abbr,nav a,.conclusion{color:var(--tone);font-weight:600}
.soft,.seen,.code,th{color:var(--soft)}
.fail .seen,.contradicted .seen{color:var(--tone)}
.code,pre{font:.82rem/1.5 ui-monospace,monospace}
.remark,pre{margin:.5rem 0;padding:.6rem .8rem;background:var(--raised);border:1px solid var(--line)}
nav ul{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem;margin:1.75rem 0 0;padding:0;list-style:none}
section{margin-top:2.5rem}
table{width:100%;margin-top:.75rem;border-collapse:collapse;table-layout:fixed}
th,td{padding:.55rem .5rem .55rem 0;border-bottom:1px solid var(--line);vertical-align:top;text-align:left;overflow-wrap:anywhere}
th:first-child{width:5.5rem}
.baseline th:first-child,.coverage th:first-child,.not-exercised th:first-child{width:15rem}
dl{display:grid;grid-template-columns:5.5rem 1fr;margin:.25rem 0}
dd{margin:0}
pre{max-height:22rem;overflow:auto;white-space:pre-wrap;overflow-wrap:anywhere}
@media print{body{max-width:none;padding:0}details,pre{break-inside:avoid}}
`
