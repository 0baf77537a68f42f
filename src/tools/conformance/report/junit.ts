import { basis } from '../../../../generated/contract.js'
import type { Finding, Report } from '../../../shared/report.js'
import { asides, exchangeLine, type Markup, markup, textOf } from './group.js'

/**
 * A report as JUnit XML, one test case for each entry of the register. A failed entry is a failure, one that was not
 * exercised is skipped; known failures and discoveries are in the output of the test case. A contradicted entry has the attribute
 * `status`, and is a failure when the report fails on it. When the check ended early, entries that it did not reach are errors,
 * and so is the check itself.
 */
export function renderJunit(report: Report): string {
  const { complete, remarks, summary, baseUrl, startedAt, duration, failOn, findings, subject } = report
  const [baseline, coverage] = asides(report)
  const cases = [
    ...[...new Set(findings.map((each) => each.basis))].map((id) => testCase(id, report)),
    ...(complete ? [] : [caseOf('check', 'The check is complete', [problem('error', remarks[0])])]),
    ...baseline.rows.map(([, message]) => caseOf('baseline', message, [problem('failure', message)])),
  ]
  const failures = summary.fail + (failOn ? summary[failOn] : 0) + baseline.rows.length
  const unseen = findings.filter(({ outcome }) => outcome === 'not-exercised').length
  const [errors, skipped] = complete ? [0, unseen] : [unseen + 1, 0]
  const counts = markup`tests="${cases.length}" failures="${failures}" errors="${errors}" time="${duration / 1000}"`
  const lines = [...remarks, ...coverage.rows.map((row) => row.join(': '))]
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${subject === 'client' ? 'client rules' : 'conformance'}" ${counts}>
  <testsuite name="${subject === 'client' ? 'client rules' : baseUrl}" ${counts} skipped="${skipped}" timestamp="${startedAt}">
${[...cases, ...outputOf('    ', lines.join('\n'))]}
  </testsuite>
</testsuites>
`.markup
}

const caseOf = (kind: string, name: string, parts: readonly Markup[], time = 0, status = ''): Markup =>
  markup`    <testcase classname="contract.${kind}" name="${name}" time="${time}"${status ? markup` status="${status}"` : NONE}>
${parts}
    </testcase>`

const problem = (element: 'error' | 'failure' | 'skipped', message = 'The check ended early.'): Markup =>
  markup`      <${element} message="${message}"/>`

const outputOf = (indent: string, text: string): Markup[] =>
  text === '' ? [] : [markup`${indent}<system-out>${text}</system-out>`]

function testCase(id: Finding['basis'], { findings, complete, failOn }: Report): Markup {
  const own = findings.filter((each) => each.basis === id)
  const failures = own.filter(({ outcome }) => outcome === 'fail' || outcome === failOn)
  const skipped = own.filter(({ outcome }) => outcome === 'not-exercised')
  const others = own.filter((each) => !failures.includes(each) && !skipped.includes(each))
  const [first] = failures
  const parts = [
    ...(first ? [failure(first, described(failures))] : []),
    ...skipped.map(({ message }) => problem(complete ? 'skipped' : 'error', message)),
    ...outputOf('      ', described(others)),
  ]
  // Of the exchanges that are shown, in s.
  const time = own.reduce((sum, { response }) => sum + (response?.duration ?? 0), 0) / 1000
  const status = own.some(({ outcome }) => outcome === 'contradicted') ? 'contradicted' : ''
  const named = own.find(({ keyword }) => keyword !== 'client') ?? own[0]
  return caseOf(basis[id].kind, `${id} ${named ? textOf(named) : basis[id].text}`, parts, time, status)
}

const failure = ({ outcome, message }: Finding, text: string): Markup =>
  markup`      <failure type="${outcome}" message="${message}">${text}</failure>`

const NONE: Markup = { markup: '' }

const described = (findings: readonly Finding[]): string => findings.map(description).join('\n\n')

const description = (finding: Finding): string => {
  const { outcome, message, response, location, undecided = [] } = finding
  const lines = [
    `${outcome}: ${message}`,
    exchangeLine(finding),
    finding.curl,
    response?.body,
    location && `see ${location}`,
    ...undecided.map((each) => `not decided: ${each}`),
  ]
  return lines.filter(Boolean).join('\n')
}
