import { basis } from '../../../generated/operations.js'
import { counted, seconds } from '../message.js'
import type { BaselineResult, Finding, Outcome, Report } from '../report.js'

/** The findings of one outcome, as every renderer goes through them. */
export interface Section {
  outcome: Outcome
  title: string
  meaning: string
  /** How many entries of the register, or how many discoveries. */
  count: number
  rows: readonly Row[]
}

/** What was seen of one entry; a discovery on its own; or the entries that were not exercised for one reason. */
export interface Row {
  /** What the register says, or the reason; nothing for a discovery. */
  text: string
  findings: readonly [Finding, ...Finding[]]
}

const OUTCOMES: readonly [Outcome, title: string, meaning: string][] = [
  ['fail', 'Failed', 'stated or derived, and not so'],
  ['known', 'Known', 'fails, and stands in the baseline'],
  ['contradicted', 'Contradicted', 'assumed or observed, and not so here; fails nothing'],
  ['client', 'Client', 'what the recorded client should do otherwise; says nothing of the service'],
  ['discovered', 'Discovered', 'not in the contract; fails nothing'],
  ['confirmed', 'Confirmed', 'assumed or observed, and so here'],
  ['pass', 'Passed', 'stated or derived, and so here'],
  ['not-exercised', 'Not exercised', 'nothing was seen of it'],
]

/** One section for each outcome, the most important first, in the order of the register; some have no rows. */
export const sections = (report: Report): Section[] =>
  OUTCOMES.map(([outcome, title, meaning]) => {
    const own = report.findings.filter((each) => each.outcome === outcome)
    const rows = new Map<unknown, Row>()
    for (const finding of own) {
      const key = outcome === 'discovered' ? finding : outcome === 'not-exercised' ? finding.message : finding.basis
      const text = outcome === 'discovered' ? '' : outcome === 'not-exercised' ? finding.message : textOf(finding)
      rows.set(key, { text, findings: [...(rows.get(key)?.findings ?? []), finding] as [Finding, ...Finding[]] })
    }
    const count = outcome === 'not-exercised' ? own.length : rows.size
    const isFatal = outcome === 'contradicted' && report.failOn === 'contradicted'
    return {
      outcome,
      title,
      meaning: isFatal ? meaning.replace('; fails nothing', '') : meaning,
      count,
      rows: [...rows.values()],
    }
  })

/** What the register says of the entry of a finding. */
export const textOf = ({ basis: id }: Finding): string => basis[id].text

/** The exchange of a finding on one line. */
export const exchangeLine = ({ request, response }: Finding): string =>
  request ? `${request.method} ${request.url} → ${response ? response.status : 'no response'}` : ''

export const timing = ({ requests, duration, coverage }: Report): string =>
  `${counted(requests, coverage ? 'recorded request' : 'request')} in ${seconds(duration)}`

/** One sentence for the whole report. */
export function conclusion(report: Report): string {
  const { passed, complete, summary } = report
  const { fail, pass, contradicted, entries, exercised } = summary
  const count = `${exercised} of ${entries} entries of the register were exercised`
  const wrong = wrongInBaseline(report).length
  if (fail > 0) return `Fails ${fail} of the ${pass + fail} stated or derived entries that were exercised; ${count}.`
  if (wrong > 0)
    return `Fails because ${counted(wrong, 'entry', 'entries')} of the baseline ${wrong === 1 ? 'is' : 'are'} stale or expired; ${count}.`
  if (!passed) return `Contradicts ${contradicted} of the observed or assumed entries; ${count}.`
  return complete ? `Keeps to the contract; ${count}.` : `Keeps to the contract as far as it was checked; ${count}.`
}

/** What fails although the service does not. */
export const wrongInBaseline = ({ baseline = [] }: Report): BaselineResult[] =>
  baseline.filter(({ state }) => state === 'stale' || state === 'expired')

/** The responses of each operation in a recording, on one line. */
export const coverageLines = ({ coverage = [] }: Report): [operation: string, responses: string][] =>
  coverage.map(({ operation, responses }) => {
    const seen = responses.filter(({ times }) => times > 0)
    const unseen = responses.filter(({ times }) => times === 0).map(({ status }) => status)
    if (seen.length === 0) return [operation, 'not called']
    const came = seen.map(({ status, times, withBody }) => {
      const without = withBody < times ? `, ${times - withBody} without a body` : ''
      return `${status} ${counted(times, 'time')}${without}`
    })
    return [operation, [came.join('; '), ...(unseen.length > 0 ? [`never ${unseen.join(', ')}`] : [])].join('; ')]
  })
