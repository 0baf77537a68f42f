import { basis } from '../../../generated/operations.js'
import { counted } from '../message.js'
import type { BaselineResult, Finding, Outcome, Report } from '../report.js'

/** The title of each outcome, the most important first. */
export const OUTCOMES: readonly { outcome: Outcome; title: string; meaning: string }[] = [
  { outcome: 'fail', title: 'Failed', meaning: 'stated or derived, and not so' },
  { outcome: 'known', title: 'Known', meaning: 'fails, and stands in the baseline' },
  { outcome: 'contradicted', title: 'Contradicted', meaning: 'assumed or observed, and not so here; fails nothing' },
  {
    outcome: 'client',
    title: 'Client',
    meaning: 'what the recorded client should do otherwise; says nothing of the service',
  },
  { outcome: 'discovered', title: 'Discovered', meaning: 'not in the contract; fails nothing' },
  { outcome: 'confirmed', title: 'Confirmed', meaning: 'assumed or observed, and so here' },
  { outcome: 'pass', title: 'Passed', meaning: 'stated or derived, and so here' },
  { outcome: 'not-exercised', title: 'Not exercised', meaning: 'nothing was seen of it' },
]

export const withOutcome = ({ findings }: Report, outcome: Outcome): Finding[] =>
  findings.filter((each) => each.outcome === outcome)

/** What the register says of the entry of a finding. */
export const textOf = ({ basis: id }: Finding): string => basis[id].text

/** Entries that were not exercised, by the reason, in the order of the register. */
export function byReason(report: Report): [reason: string, findings: Finding[]][] {
  const groups = new Map<string, Finding[]>()
  for (const finding of withOutcome(report, 'not-exercised'))
    groups.set(finding.message, [...(groups.get(finding.message) ?? []), finding])
  return [...groups]
}

/** The exchange of a finding on one line. */
export const exchangeLine = ({ request, response }: Finding): string =>
  request ? `${request.method} ${request.url} → ${response ? response.status : 'no response'}` : ''

/** One sentence for the whole report. */
export function conclusion(report: Report): string {
  const { passed, complete, summary } = report
  const { fail, pass, entries, exercised } = summary
  const count = `${exercised} of ${entries} entries of the register were exercised`
  const wrong = wrongInBaseline(report).length
  if (!passed && fail === 0)
    return `Fails because ${counted(wrong, 'entry', 'entries')} of the baseline ${wrong === 1 ? 'is' : 'are'} stale or expired; ${count}.`
  if (!passed) return `Fails ${fail} of the ${pass + fail} stated or derived entries that were exercised; ${count}.`
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
