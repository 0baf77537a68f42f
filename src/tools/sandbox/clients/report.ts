import { type BasisId, basis, type OperationId, operations } from '../../../../generated/operations.js'
import { clientRules } from '../../../../generated/sandbox/client-rules.js'
import { clientRuleBasis } from '../../../internal/contract/client-rules.js'
import type { Finding, Report, SeenRequest, SeenResponse } from '../../../internal/report.js'
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
          results.filter((each) => each.rule === rule && clientRuleBasis(rule, each.operation) === id),
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

/** The entries that state a rule: one, or one for each of several operations. */
const basesOf = (rule: ClientRule): BasisId[] => [
  ...new Set(operationIds.map((operation) => clientRuleBasis(rule, operation))),
]

const operationIds = Object.keys(operations) as OperationId[]

/** Why a rule without a result was not exercised. */
const NOTHING_SEEN: Record<ClientRule, string> = {
  bearer: 'There was no request.',
  waitSuffices: 'No request that got a 429 was sent again.',
  planLimits: 'The rate of the plan was never used up.',
  caching: 'No list was requested twice.',
  pinning: 'No request was pinned to a release.',
  newRun: 'No response of a trigger was lost.',
}

const OUTCOME = { broken: 'fail', advice: 'warning', kept: 'pass' } as const

/** The findings of a rule: broken and advice if there are any, otherwise kept. */
function findingsOf(rule: ClientRule, id: BasisId, results: readonly RuleResult<SeenExchange>[]): Finding[] {
  const wrong = (['broken', 'advice'] as const).flatMap((each) => results.filter(({ outcome }) => outcome === each))
  const decisive = wrong.length > 0 ? wrong : results
  if (decisive.length === 0) return [{ basis: id, message: NOTHING_SEEN[rule], times: 0, outcome: 'not-exercised' }]
  return decisive.map(({ outcome, operation, message, times, exchange }) => ({
    basis: id,
    message,
    times,
    outcome: OUTCOME[outcome],
    operation: outcome === 'kept' ? undefined : operation,
    status: exchange?.response?.status,
    keyword: 'client',
    request: exchange?.request,
    response: exchange?.response,
  }))
}
