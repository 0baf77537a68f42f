import { type BasisId, basis, clientRules } from '../../../generated/contract.js'
import type { Finding, Report, SeenRequest, SeenResponse } from '../../shared/report.js'
import { basesOf, basisOf } from './entries.js'
import { RULES } from './rules.js'
import type { ClientRule, RuleResult } from './types.js'

/** A request of the client and its response, without secrets. */
export interface SeenExchange {
  request: SeenRequest
  response: SeenResponse | undefined
}

/** The facts of a report besides the results. */
export interface ClientFacts extends Pick<Report, 'baseUrl' | 'startedAt' | 'duration' | 'requests' | 'remarks'> {}

/** Reports whether clients follow the rules of the service, in the form of the report of `verify`. */
export function clientReport(results: readonly RuleResult<SeenExchange>[], facts: ClientFacts): Report {
  const findings = (Object.keys(clientRules) as ClientRule[])
    .flatMap((rule) =>
      basesOf(rule).flatMap((id) =>
        findingsOf(
          rule,
          id,
          results.filter((each) => each.rule === rule && basisOf(rule, each.operation) === id),
        ),
      ),
    )
    .sort((one, other) => Object.keys(basis).indexOf(one.basis) - Object.keys(basis).indexOf(other.basis))
  const count = (outcome: Finding['outcome']) =>
    new Set(findings.filter((each) => each.outcome === outcome).map((each) => each.basis)).size
  const entries = (Object.keys(clientRules) as ClientRule[]).flatMap(basesOf).length
  const notExercised = count('not-exercised')
  const fail = count('fail')
  return {
    subject: 'client',
    passed: fail === 0,
    complete: true,
    ...facts,
    summary: {
      entries,
      exercised: entries - notExercised,
      pass: count('pass'),
      fail,
      warning: count('warning'),
      confirmed: 0,
      contradicted: 0,
      known: 0,
      client: 0,
      notExercised,
      discovered: 0,
    },
    findings,
    coverage: [],
  }
}

const OUTCOME = { broken: 'fail', advice: 'warning', kept: 'pass' } as const

/** The findings of a rule: broken and advice if there are any, otherwise kept. */
function findingsOf(rule: ClientRule, id: BasisId, results: readonly RuleResult<SeenExchange>[]): Finding[] {
  const wrong = (['broken', 'advice'] as const).flatMap((each) => results.filter(({ outcome }) => outcome === each))
  const decisive = wrong.length > 0 ? wrong : results
  if (decisive.length === 0)
    return [{ basis: id, message: RULES[rule].notSeen, times: 0, outcome: 'not-exercised', keyword: 'client' }]
  return decisive.map(({ outcome, operation, message, note, times, exchange }) => ({
    basis: id,
    message: note === undefined ? `It ${message}` : `It ${message}. ${note}`,
    times,
    outcome: OUTCOME[outcome],
    operation: outcome === 'kept' ? undefined : operation,
    status: exchange?.response?.status,
    keyword: 'client',
    request: exchange?.request,
    response: exchange?.response,
  }))
}
