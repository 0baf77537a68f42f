import { type BasisId, basis } from '../../../generated/operations.js'
import type { Finding, Report } from '../report.js'
import { coverageLines, exchangeLine, wrongInBaseline } from './group.js'
import { escapeMarkup } from './html.js'

/**
 * A report as JUnit XML, one test case for each entry of the register. What fails is a failure, what was not exercised
 * is skipped; what is known, contradicted or discovered stands in the output of its test case. When the check ended early, what
 * it did not reach is an error, and so is the check itself.
 */
export function renderJunit(report: Report): string {
  const { complete, remarks } = report
  const cases = (Object.keys(basis) as BasisId[]).map((id) => testCase(id, report))
  if (!complete) cases.push(incomplete(remarks))
  const wrong = wrongInBaseline(report)
  cases.push(...wrong.map(({ message }) => inBaseline(message)))
  const { fail, notExercised } = report.summary
  const [errors, skipped] = complete ? [0, notExercised] : [notExercised + 1, 0]
  const counts = `tests="${cases.length}" failures="${fail + wrong.length}" errors="${errors}" skipped="${skipped}" time="${report.duration / 1000}"`
  const output = [...remarks, ...coverageLines(report).map(([operation, responses]) => `${operation}: ${responses}`)]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="conformance" ${counts}>`,
    `  <testsuite name="${escapeMarkup(report.baseUrl)}" ${counts} timestamp="${escapeMarkup(report.startedAt)}">`,
    ...cases,
    ...(output.length > 0 ? [`    <system-out>${escapeMarkup(output.join('\n'))}</system-out>`] : []),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

const incomplete = (remarks: readonly string[]): string =>
  [
    '    <testcase classname="contract.check" name="The check is complete">',
    `      <error message="${escapeMarkup(remarks[0] ?? 'The check ended early.')}"/>`,
    '    </testcase>',
  ].join('\n')

const inBaseline = (message: string): string =>
  [
    `    <testcase classname="contract.baseline" name="${escapeMarkup(message)}">`,
    `      <failure message="${escapeMarkup(message)}"/>`,
    '    </testcase>',
  ].join('\n')

function testCase(id: BasisId, { findings, complete }: Report): string {
  const own = findings.filter((each) => each.basis === id)
  const { kind, text } = basis[id]
  const failures = own.filter(({ outcome }) => outcome === 'fail')
  const skipped = own.find(({ outcome }) => outcome === 'not-exercised')
  const others = own.filter(({ outcome }) => outcome !== 'fail' && outcome !== 'not-exercised')
  const [first] = failures
  const parts = [
    ...(first
      ? [
          `      <failure message="${escapeMarkup(first.message)}">${escapeMarkup(failures.map(described).join('\n\n'))}</failure>`,
        ]
      : []),
    ...(skipped ? [`      <${complete ? 'skipped' : 'error'} message="${escapeMarkup(skipped.message)}"/>`] : []),
    ...(others.length > 0
      ? [`      <system-out>${escapeMarkup(others.map(described).join('\n\n'))}</system-out>`]
      : []),
  ]
  return [
    `    <testcase classname="contract.${kind}" name="${escapeMarkup(`${id} ${text}`)}">`,
    ...parts,
    '    </testcase>',
  ].join('\n')
}

const described = (finding: Finding): string =>
  [
    `${finding.outcome}: ${finding.message}`,
    exchangeLine(finding),
    finding.response?.body ?? '',
    finding.location ? `see ${finding.location}` : '',
  ]
    .filter((line) => line !== '')
    .join('\n')
