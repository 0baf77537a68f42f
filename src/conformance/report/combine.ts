import { type BasisId, basis } from '../../../generated/operations.js'
import { hasPassed, summarize } from '../ledger.js'
import type { Finding, OperationCoverage, Outcome, Report } from './types.js'

/**
 * Several reports as one: of each entry the worst outcome, and the coverage of all. A report of a check with a key, one of
 * another workspace and one of recorded traffic show more together than each alone.
 *
 * @throws TypeError without a report
 */
export function combineReports(reports: readonly Report[]): Report {
  const [first] = reports
  if (!first) throw new TypeError('There is no report to combine. Give at least one.')
  const all = reports.flatMap(({ findings }) => findings)
  const findings = (Object.keys(basis) as BasisId[]).flatMap((id) => decisive(all.filter((each) => each.basis === id)))
  const discovered = distinct(all.filter(({ outcome }) => outcome === 'discovered'))
  const failOn = reports.find((each) => each.failOn)?.failOn
  const baseline = reports.flatMap((each) => each.baseline ?? [])
  const sum = (count: (report: Report) => number) => reports.reduce((total, report) => total + count(report), 0)
  const combined = {
    ...(failOn && { failOn }),
    complete: reports.every(({ complete }) => complete),
    baseUrl: first.baseUrl,
    startedAt: reports.map(({ startedAt }) => startedAt).sort()[0] ?? first.startedAt,
    duration: sum(({ duration }) => duration),
    requests: sum(({ requests }) => requests),
    summary: summarize([...findings, ...discovered]),
    remarks: [...new Set(reports.flatMap(({ remarks }) => remarks))],
    findings: [...findings, ...discovered],
    coverage: combineCoverage(reports.map(({ coverage }) => coverage)),
    ...(baseline.length > 0 && { baseline }),
  }
  return { passed: hasPassed(combined), ...combined }
}

const WORST: readonly Outcome[] = ['fail', 'known', 'contradicted', 'pass', 'confirmed', 'not-exercised']

/** The findings with the worst outcome of an entry, and the mistakes of recorded clients. */
function decisive(findings: readonly Finding[]): Finding[] {
  const worst = WORST.find((outcome) => findings.some((each) => each.outcome === outcome))
  const client = findings.filter(({ outcome }) => outcome === 'client')
  const own = findings.filter(({ outcome }) => outcome === worst)
  return [
    ...distinct(worst === 'not-exercised' ? (client.length > 0 ? [] : own.slice(0, 1)) : own),
    ...distinct(client),
  ]
}

const distinct = (findings: readonly Finding[]): Finding[] => [
  ...new Map(findings.map((each) => [`${each.message} ${JSON.stringify(each.discovery)}`, each])).values(),
]

const combineCoverage = (all: readonly OperationCoverage[][]): OperationCoverage[] => {
  const operations = new Map<string, OperationCoverage>()
  for (const { operation, responses, properties } of all.flat()) {
    const known = operations.get(operation)
    const statuses = new Map((known?.responses ?? []).map((each) => [each.status, each]))
    for (const { status, times, withBody } of responses) {
      const before = statuses.get(status) ?? { times: 0, withBody: 0 }
      statuses.set(status, { status, times: before.times + times, withBody: before.withBody + withBody })
    }
    const seen = new Set([...(known?.properties ?? []), ...properties].flatMap((each) => (each.seen ? each.name : [])))
    operations.set(operation, {
      operation,
      responses: [...statuses.values()].sort((one, other) => one.status - other.status),
      properties: properties.map(({ name }) => ({ name, seen: seen.has(name) })),
    })
  }
  return [...operations.values()]
}

/** How many of the properties that the contract has were seen with a value, from 0 to 100. */
export function coveragePercent({ coverage }: Pick<Report, 'coverage'>): number {
  const all = coverage.flatMap(({ properties }) => properties)
  return all.length === 0 ? 0 : (100 * all.filter(({ seen }) => seen).length) / all.length
}
