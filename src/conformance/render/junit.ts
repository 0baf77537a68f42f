import { type BasisId, basis } from '../../../generated/operations.js'
import type { Finding, Report } from '../report.js'
import { coverageLines, exchangeLine, wrongInBaseline } from './group.js'
import { type Markup, markup } from './markup.js'

/**
 * A report as JUnit XML, one test case for each entry of the register. What fails is a failure, what was not exercised
 * is skipped; what is known or discovered stands in the output of its test case. What was contradicted has the property
 * `outcome`, and is a failure when the report fails on it. When the check ended early, what it did not reach is an error,
 * and so is the check itself.
 */
export function renderJunit(report: Report): string {
  const { complete, remarks, summary, baseUrl, startedAt, duration, failOn } = report
  const cases = (Object.keys(basis) as BasisId[]).map((id) => testCase(id, report))
  if (!complete) cases.push(incomplete(remarks[0] ?? 'The check ended early.'))
  const wrong = wrongInBaseline(report)
  cases.push(...wrong.map(({ message }) => inBaseline(message)))
  const failures = summary.fail + (failOn ? summary[failOn] : 0) + wrong.length
  const [errors, skipped] = complete ? [0, summary.notExercised] : [summary.notExercised + 1, 0]
  const counts = markup`tests="${cases.length}" failures="${failures}" errors="${errors}" skipped="${skipped}" time="${duration / 1000}"`
  const lines = [...remarks, ...coverageLines(report).map(([operation, responses]) => `${operation}: ${responses}`)]
  const output = lines.length > 0 ? [markup`    <system-out>${lines.join('\n')}</system-out>`] : []
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="conformance" ${counts}>
  <testsuite name="${baseUrl}" ${counts} timestamp="${startedAt}">
${[...cases, ...output]}
  </testsuite>
</testsuites>
`.markup
}

const incomplete = (
  message: string,
): Markup => markup`    <testcase classname="contract.check" name="The check is complete">
      <error message="${message}"/>
    </testcase>`

const inBaseline = (message: string): Markup => markup`    <testcase classname="contract.baseline" name="${message}">
      <failure message="${message}"/>
    </testcase>`

function testCase(id: BasisId, { findings, complete, failOn }: Report): Markup {
  const own = findings.filter((each) => each.basis === id)
  const failures = own.filter(({ outcome }) => outcome === 'fail' || outcome === failOn)
  const skipped = own.filter(({ outcome }) => outcome === 'not-exercised')
  const others = own.filter((each) => !failures.includes(each) && !skipped.includes(each))
  const parts = [
    ...(own.some(({ outcome }) => outcome === 'contradicted') ? [CONTRADICTED] : []),
    ...failures
      .slice(0, 1)
      .map(
        ({ outcome, message }) =>
          markup`      <failure type="${outcome}" message="${message}">${described(failures)}</failure>`,
      ),
    ...skipped.map(({ message }) =>
      complete ? markup`      <skipped message="${message}"/>` : markup`      <error message="${message}"/>`,
    ),
    ...(others.length > 0 ? [markup`      <system-out>${described(others)}</system-out>`] : []),
  ]
  return markup`    <testcase classname="contract.${basis[id].kind}" name="${id} ${basis[id].text}">
${parts}
    </testcase>`
}

const CONTRADICTED = markup`      <properties><property name="outcome" value="contradicted"/></properties>`

const described = (findings: readonly Finding[]): string => findings.map(description).join('\n\n')

const description = (finding: Finding): string => {
  const { outcome, message, response, location } = finding
  const lines = [`${outcome}: ${message}`, exchangeLine(finding), response?.body, location && `see ${location}`]
  return lines.filter(Boolean).join('\n')
}
