import { basis, rules } from '../../../../generated/contract.js'
import { getOrCreate } from '../../../internal/maps.js'
import type { Finding, OperationCoverage, Outcome, Report } from '../../../shared/report.js'
import { ruleTitle } from '../../client-rules/entries.js'
import { counted, secondsText } from '../judge/result.js'
import { isOutdated } from './ledger.js'

export interface Section {
  outcome: Outcome
  title: string
  meaning: string
  /** How many entries of the register, or how many discoveries. */
  count: number
  rows: readonly Row[]
}

/** The findings of one entry; one discovery; or the entries that were not exercised for one reason. */
export interface Row {
  /** The text of the register, or the reason; undefined for a discovery. */
  text: string
  findings: readonly [Finding, ...Finding[]]
  /** The same findings: those that one fault explains together, the first of them in detail. */
  groups: readonly [Group, ...Group[]]
}

export type Group = readonly [Finding, ...Finding[]]

const OUTCOMES: readonly [Outcome, title: string, meaning: string][] = [
  ['fail', 'Failed', 'stated or derived, and not so'],
  ['known', 'Known', 'listed in the baseline, so it does not fail the check'],
  ['contradicted', 'Contradicted', 'assumed or observed, and not so here; fails nothing'],
  ['client', 'Client', 'what the recorded client should do otherwise; says nothing of the service'],
  ['discovered', 'Discovered', 'not in the contract; fails nothing'],
  ['confirmed', 'Confirmed', 'assumed or observed, and so here'],
  ['pass', 'Passed', 'stated or derived, and so here'],
  ['not-exercised', 'Not exercised', 'nothing was seen of it'],
]

/** The words for what is seen of a client. */
const OF_CLIENT: typeof OUTCOMES = [
  ['fail', 'Broken', 'rules that bind every client'],
  ['warning', 'Advice', 'recommendations, and findings that may have another cause; they never fail'],
  ['pass', 'Kept', 'whenever it applied'],
  ['not-exercised', 'Not exercised', 'never came up'],
]

/** What lets somebody in or shows data to others comes first, then what loses or doubles; the rest as in the register. */
const GRAVE: readonly string[] = [
  ...[rules.workspacesApart, rules.invalidKey, rules.permission, rules.bearer, rules.keyOfWorkspace],
  ...[rules.triggers, rules.newRun, rules.lostTrigger, rules.transientError, rules.listsPlaybooks, rules.stepsInOrder],
]
const gravityOf = ({ basis: id }: Finding): number => (GRAVE.includes(id) ? GRAVE.indexOf(id) : GRAVE.length)

/** One section for each outcome, the most important first; failures by gravity, all else in the order of the register. */
export const sections = ({ findings, failOn, subject }: Report): Section[] =>
  (subject === 'client' ? OF_CLIENT : OUTCOMES).map(([outcome, title, usual]) => {
    const own = findings.filter((each) => each.outcome === outcome)
    if (outcome === 'fail') own.sort((one, other) => gravityOf(one) - gravityOf(other))
    const rows = grouped(own, (finding) =>
      outcome === 'discovered' ? finding : outcome === 'not-exercised' ? finding.message : finding.basis,
    )
    const count = outcome === 'not-exercised' ? own.length : rows.length
    const meaning = outcome === failOn ? usual.replace('; fails nothing', '') : usual
    return { outcome, title, meaning, count, rows: rows.map(rowOf) }
  })

function rowOf(findings: Group): Row {
  const [first] = findings
  const { outcome, message } = first
  const text = outcome === 'discovered' ? '' : outcome === 'not-exercised' ? message : textOf(first)
  return { text, findings, groups: grouped(findings, kindOf) as unknown as Row['groups'] }
}

function grouped(findings: readonly Finding[], keyOf: (finding: Finding) => unknown): Group[] {
  const groups = new Map<unknown, Finding[]>()
  for (const finding of findings) getOrCreate(groups, keyOf(finding), (): Finding[] => []).push(finding)
  return [...groups.values()] as unknown as Group[]
}

/** One fault shows with several operations, and with several variations of one relation. */
const kindOf = ({ relation, variation, status, message }: Finding): string =>
  relation === undefined || variation === undefined ? message : `${relation} ${status}`

/** What else a group has, in short: the variations, each with how many operations. */
export function alsoOf([first, ...more]: Group): string {
  if (more.length === 0) return ''
  const variations = [
    ...new Set(more.map(({ operation, variation }) => [operation, variation].filter(Boolean).join(' '))),
  ]
  const shown = variations.slice(0, SHOWN).join('; ')
  const tried = first.tried === undefined ? '' : ` of ${first.tried} that were tried`
  const rest = variations.length > SHOWN ? `; and ${variations.length - SHOWN} more` : ''
  return `${more.length + 1}${tried} are of this kind: also ${shown}${rest}.`
}

const SHOWN = 4

/** The text of the register; of what clients do, the rule. */
export const textOf = ({ basis: id, keyword }: Finding): string =>
  (keyword === 'client' && ruleTitle(id)) || basis[id].text

export const exchangeLine = ({ request, response }: Finding): string =>
  request ? `${request.method} ${request.url} → ${response ? response.status : 'no response'}` : ''

export const timing = ({ requests, duration, depth, subject }: Report): string =>
  `${counted(requests, depth === undefined && subject === undefined ? 'recorded request' : 'request')} in ${secondsText(duration)}`

export function conclusion(report: Report): string {
  if (report.subject === 'client') return ofClient(report)
  return report.depth === undefined ? `${ofService(report)} ${sideOf(report)}` : ofService(report)
}

/** Whether a recording shows a fault of the service or of its client. */
function sideOf({ findings }: Report): string {
  const ofRules = findings.filter(({ keyword }) => keyword === 'client')
  const isServices = findings.some((each) => each.outcome === 'fail' && !ofRules.includes(each))
  const isClients = ofRules.some(({ outcome }) => outcome === 'client' || outcome === 'fail')
  if (isServices && isClients)
    return 'Both sides: the service violates the contract, and the client should change what is listed.'
  if (isServices)
    return "The service's side: it violates the contract; the client keeps the rules that the recording shows."
  if (isClients) return "The client's side: it should change what is listed; the service violates nothing."
  return 'Neither side: nothing in this recording violates the contract or a rule.'
}

function ofService({ passed, complete, summary, baseline = [] }: Report): string {
  const { fail, pass, contradicted, entries, exercised } = summary
  const count = `${exercised} of ${entries} entries of the register were exercised`
  const wrong = baseline.filter(isOutdated).length
  if (fail > 0) return `Fails ${fail} of the ${pass + fail} stated or derived entries that were exercised; ${count}.`
  if (wrong > 0)
    return `Fails because ${counted(wrong, 'entry', 'entries')} of the baseline ${wrong === 1 ? 'is' : 'are'} stale or expired; ${count}.`
  if (!passed) return `Contradicts ${contradicted} of the observed or assumed entries; ${count}.`
  return complete ? `Keeps to the contract; ${count}.` : `Keeps to the contract as far as it was checked; ${count}.`
}

function ofClient({ requests, summary }: Pick<Report, 'requests' | 'summary'>): string {
  const { fail, warning = 0, exercised, entries } = summary
  if (requests === 0)
    return 'No request was seen, so nothing is known: does the client send its requests to WORKFLOW_BASE_URL?'
  const what = fail > 0 ? `The client breaks ${counted(fail, 'rule')}` : 'The client keeps the rules'
  const advice = warning > 0 ? `, with advice on ${counted(warning, 'rule')}` : ''
  return `${what}${advice}; ${exercised} of ${entries} were exercised.`
}

/** The parts of a report besides its findings. */
interface Aside {
  title: string
  meaning: string
  columns: readonly [string, string]
  rows: readonly (readonly [label: string, text: string])[]
}

/** The problems of the baseline, and the contents of a recording; either may have no rows. */
export const asides = ({ baseline = [], coverage = [] }: Report): [baseline: Aside, coverage: Aside] => [
  {
    title: 'Baseline',
    meaning: 'Entries that are stale or expired, which fails.',
    columns: ['State', 'What to do'],
    rows: baseline.filter(isOutdated).map(({ state, message }) => [state, message]),
  },
  {
    title: 'Coverage',
    meaning: 'The responses of each operation, and the properties of the contract that had a value.',
    columns: ['Operation', 'Responses and properties'],
    rows: coverage.map((each) => [
      `${each.operation}${each.deprecated ? ' (deprecated)' : ''}`,
      `${onOneLine(each.responses)}; ${propertiesOf(each)}`,
    ]),
  },
]

function propertiesOf({ properties }: OperationCoverage): string {
  const unseen = properties.filter(({ seen }) => !seen).map(({ name }) => name)
  const count = `${properties.length - unseen.length} of ${counted(properties.length, 'property', 'properties')}`
  return unseen.length === 0 ? count : `${count}, never ${unseen.join(', ')}`
}

function onOneLine(responses: OperationCoverage['responses']): string {
  const seen = responses.filter(({ times }) => times > 0)
  const unseen = responses.filter(({ times }) => times === 0).map(({ status }) => status)
  if (seen.length === 0) return 'not called'
  const came = seen.map(({ status, times, withBody }) => {
    const without = withBody < times ? `, ${times - withBody} without a body` : ''
    return `${status} ${counted(times, 'time')}${without}`
  })
  return [...came, ...(unseen.length > 0 ? [`never ${unseen.join(', ')}`] : [])].join('; ')
}

export interface Markup {
  readonly markup: string
}

type Value = string | number | Markup | readonly Markup[]

/** A template tag for XML and HTML: values are escaped unless they are markup; a list has one item per line. */
export const markup = (strings: TemplateStringsArray, ...values: readonly Value[]): Markup => ({
  markup: strings.map((string, index) => string + written(values[index] ?? '')).join(''),
})

const written = (value: Value): string =>
  typeof value !== 'object'
    ? escapeMarkup(String(value))
    : 'markup' in value
      ? value.markup
      : value.map((each) => each.markup).join('\n')

/** Escapes text for XML and HTML, without characters that XML forbids. */
const escapeMarkup = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '')

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
