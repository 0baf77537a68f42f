import { type BasisId, basis } from '../../../generated/operations.js'
import { parseJson } from '../../internal/json.js'
import { escapeControls } from '../print.js'
import type { Finding, Report } from '../report.js'
import {
  type Aside,
  asides,
  conclusion,
  exchangeLine,
  type Markup,
  markup,
  type Row,
  type Section,
  sections,
  textOf,
  timing,
} from './group.js'

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
${[...asides(report).filter(hasRows).map(aside), ...all.filter(hasRows).map(section)]}
</main>
</body>
</html>
`.markup
}

function tile({ outcome, title, count }: Section): Markup {
  const inside = markup`<b>${count}</b> ${title}`
  return count === 0
    ? markup`<li class="${outcome} none"><span>${inside}</span></li>`
    : markup`<li class="${outcome}"><a href="#${outcome}">${inside}</a></li>`
}

const hasRows = ({ rows }: Section | Aside): boolean => rows.length > 0

const aside = ({ title, meaning, columns, rows }: Aside): Markup =>
  table(title.toLowerCase(), 'not-exercised', title, meaning, columns, rows)

function section({ outcome, title, meaning, count, rows }: Section): Markup {
  const isSkipped = outcome === 'not-exercised'
  const columns = isSkipped ? (['Entries', 'Why'] as const) : (['Entry', 'What was seen'] as const)
  const heading = markup`${title} <span>${count}</span>`
  return table(outcome, outcome, heading, sentence(meaning), columns, rows.map(isSkipped ? skippedRow : row))
}

type Cells = readonly [string | Markup | readonly Markup[], string | Markup]

/** A section with a table of two columns. */
function table(
  id: string,
  tone: string,
  heading: string | Markup,
  meaning: string,
  [first, second]: readonly [string, string],
  rows: readonly Cells[],
): Markup {
  return markup`<section id="${id}" class="${tone}">
<h2>${heading}</h2>
<p class="meaning">${meaning}</p>
<table>
<thead><tr><th scope="col">${first}</th><th scope="col">${second}</th></tr></thead>
<tbody>
${rows.map(([one, other]) => markup`<tr><td>${one}</td><td>${other}</td></tr>`)}
</tbody>
</table>
</section>`
}

const entry = (id: BasisId, title: string): Markup => markup`<abbr title="${title}">${id}</abbr>`

function row({ text, findings }: Row): Cells {
  const [{ basis: id, outcome }] = findings
  const said = text ? markup`<p class="text">${text}</p>` : NOTHING
  const all = findings.map((each, index) => seen(each, index === 0 && outcome === 'fail'))
  return [entry(id, `${basis[id].kind}, section ${basis[id].section}`), markup`${said}${all}`]
}

const skippedRow = ({ text, findings }: Row): Cells => [
  findings.map((each) => entry(each.basis, textOf(each))),
  markup`<p class="text">${text}</p>`,
]

function seen(finding: Finding, isOpen: boolean): Markup {
  const { message, times, location, request } = finding
  const often = times > 1 ? markup` <span class="times">${times}×</span>` : NOTHING
  const where = location ? markup`<p class="location">${location}</p>` : NOTHING
  return markup`<p class="seen">${sentence(message)}${often}</p>${where}${request ? evidence(finding, isOpen) : NOTHING}`
}

function evidence(finding: Finding, isOpen: boolean): Markup {
  const { request, response } = finding
  const sent = request ? messageLines(`${request.method} ${request.url}`, request) : []
  const received = response
    ? messageLines(`${response.status}, after ${response.duration} ms`, { ...response, body: pretty(response.body) })
    : ['No response']
  return markup`<details${isOpen ? ' open' : ''}><summary>${exchangeLine(finding)}</summary>
<pre tabindex="0">${sent.join('\n')}</pre>
<pre tabindex="0">${received.join('\n')}</pre>
</details>`
}

const messageLines = (
  first: string,
  { headers, body }: { headers: Record<string, string>; body?: string },
): string[] => [
  first,
  ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ...(body === undefined ? [] : ['', body]),
]

function pretty(text = ''): string {
  const body = parseJson(text)
  return body === undefined ? text : escapeControls(JSON.stringify(body, null, 2))
}

/** A clause as a sentence; the name of an operation keeps its small letter. */
const sentence = (text: string): string =>
  text.replace(/^[a-z]+(?= )/, (word) => `${word[0]?.toUpperCase()}${word.slice(1)}`) + (/[.!?]$/.test(text) ? '' : '.')

/** How the page of a report looks, in light and in dark. */
const STYLE = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--paper:#fff;--raised:#f6f8fa;--line:#d8dee4;--red:#b4232c;--green:#1a7038;--amber:#8a5a00;--blue:#0a5f9e;--grey:#57606a}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4ae;--paper:#0f1318;--raised:#181d24;--line:#2d343d;--red:#ff7b78;--green:#63c778;--amber:#e0ad4f;--blue:#6cb6ff;--grey:#9aa4ae}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:62rem;padding:2.5rem 1.25rem 4rem;font:1rem/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
p{margin:0}
h1{margin:.1rem 0 .75rem;font-size:1.6rem;line-height:1.25;overflow-wrap:anywhere}
h2{margin:0;font-size:1.2rem;color:var(--tone)}
h2 span{font-weight:400}
.what,.facts,.meaning,.location,.times{color:var(--soft)}
.conclusion{font-size:1.1rem;font-weight:600}
.conclusion.good{color:var(--green)}.conclusion.bad{color:var(--red)}
.remark{margin-top:.75rem;padding:.6rem .8rem;border-left:4px solid var(--amber);background:var(--raised)}
.fail{--tone:var(--red)}.contradicted,.known{--tone:var(--amber)}.discovered,.client{--tone:var(--blue)}
.confirmed,.pass{--tone:var(--green)}.not-exercised{--tone:var(--grey)}
nav ul{display:grid;grid-template-columns:repeat(auto-fit,minmax(8.5rem,1fr));gap:.5rem;margin:1.75rem 0 0;padding:0;list-style:none}
nav a,nav span{display:block;padding:.6rem .8rem;border:1px solid var(--line);border-top:4px solid var(--tone);border-radius:.35rem;color:inherit;text-decoration:none;background:var(--raised)}
nav a:hover{border-color:var(--tone)}
nav b{display:block;font-size:1.6rem;line-height:1.2;color:var(--tone)}
.none b{color:var(--soft)}.none span{border-top-color:var(--line)}
section{margin-top:2.5rem}
table{width:100%;margin-top:.75rem;border-collapse:collapse;table-layout:fixed}
th{text-align:left;font-weight:600;color:var(--soft);font-size:.85rem}
th,td{padding:.55rem .5rem;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}
th:first-child,td:first-child{width:5.5rem;padding-left:0}
.not-exercised th:first-child,.not-exercised td:first-child{width:15rem}
abbr{font-weight:600;text-decoration:none;color:var(--tone)}
.seen:not(:first-child){margin-top:.35rem}
.seen{color:var(--soft);font-size:.95rem}
.discovered .seen{color:inherit;font-size:inherit}
.fail .seen,.contradicted .seen{color:var(--tone);font-weight:600}
.location,summary{font:.82rem/1.5 ui-monospace,monospace}
summary{cursor:pointer;color:var(--soft)}
pre{margin:.4rem 0;padding:.6rem .75rem;max-height:22rem;overflow:auto;white-space:pre-wrap;font:.8rem/1.5 ui-monospace,monospace;background:var(--raised);border:1px solid var(--line);border-radius:.35rem}
:focus-visible{outline:2px solid var(--blue);outline-offset:2px}
@media print{body{max-width:none;padding:0}details,pre{break-inside:avoid}}
`
