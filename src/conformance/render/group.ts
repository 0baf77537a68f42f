import { basis } from '../../../generated/operations.js'
import type { Finding, Outcome, Report } from '../report.js'

/** The title of each outcome, the most important first. */
export const OUTCOMES: readonly { outcome: Outcome; title: string; meaning: string }[] = [
  { outcome: 'fail', title: 'Failed', meaning: 'stated or derived, and not so' },
  { outcome: 'contradicted', title: 'Contradicted', meaning: 'assumed or observed, and not so here; fails nothing' },
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
export function conclusion({ passed, complete, summary }: Report): string {
  const { fail, pass, entries, exercised } = summary
  const count = `${exercised} of ${entries} entries of the register were exercised`
  if (!passed) return `Fails ${fail} of the ${pass + fail} stated or derived entries that were exercised; ${count}.`
  return complete ? `Keeps to the contract; ${count}.` : `Keeps to the contract as far as it was checked; ${count}.`
}
