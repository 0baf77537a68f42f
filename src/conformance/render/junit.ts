import { type BasisId, basis } from '../../../generated/operations.js'
import type { Finding, Report } from '../report.js'
import { exchangeLine } from './group.js'
import { escapeMarkup } from './markup.js'

/**
 * A report as JUnit XML, one test case for each entry of the register. What fails is a failure, what was not exercised
 * is skipped; what was contradicted or discovered is told in the output of its test case.
 */
export function renderJunit(report: Report): string {
  const cases = (Object.keys(basis) as BasisId[]).map((id) => testCase(id, report))
  const { entries, fail, notExercised } = report.summary
  const counts = `tests="${entries}" failures="${fail}" errors="0" skipped="${notExercised}" time="${report.duration / 1000}"`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="conformance" ${counts}>`,
    `  <testsuite name="${escapeMarkup(report.baseUrl)}" ${counts} timestamp="${escapeMarkup(report.startedAt)}">`,
    ...cases,
    ...(report.remarks.length > 0 ? [`    <system-out>${escapeMarkup(report.remarks.join('\n'))}</system-out>`] : []),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n')
}

function testCase(id: BasisId, { findings }: Report): string {
  const own = findings.filter((each) => each.basis === id)
  const { kind, text } = basis[id]
  const failures = own.filter(({ outcome }) => outcome === 'fail')
  const skipped = own.find(({ outcome }) => outcome === 'not-exercised')
  const told = own.filter(({ outcome }) => outcome !== 'fail' && outcome !== 'not-exercised')
  const [first] = failures
  const parts = [
    ...(first
      ? [
          `      <failure message="${escapeMarkup(first.message)}">${escapeMarkup(failures.map(described).join('\n\n'))}</failure>`,
        ]
      : []),
    ...(skipped ? [`      <skipped message="${escapeMarkup(skipped.message)}"/>`] : []),
    ...(told.length > 0 ? [`      <system-out>${escapeMarkup(told.map(described).join('\n\n'))}</system-out>`] : []),
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
    finding.place ? `see ${finding.place}` : '',
  ]
    .filter((line) => line !== '')
    .join('\n')
