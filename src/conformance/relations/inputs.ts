import { rules } from '../../../generated/conformance/nodes.js'
import type { OperationId } from '../../../generated/operations.js'
import { isTrigger } from '../../internal/trigger.js'
import { documentedRefusals, isServerError, isSuccess, OTHER_STATUS, probedOperations } from '../contract.js'
import { failed } from '../judge/result.js'
import { MISSING, successResults } from '../judge/status.js'
import { refusalOf } from '../judge/triggers.js'
import type { ConformanceSettings } from '../options.js'
import { send } from '../requests/send.js'
import { startOf } from '../requests/valid-request.js'
import { type Session, type Step, step } from '../step.js'

/**
 * Values that a playbook may refuse with 400 and must not fail at, sent to one that exists: each may start a run. Whether they
 * are strings decides nothing, because how inputs are checked is not shown. Basis: S13, S26.
 */
export function inputSteps(settings: ConformanceSettings): Step[] {
  const [playbook] = settings.triggers
  const [operation] = probedOperations(settings).filter(isTrigger)
  if (playbook === undefined || operation === undefined) return []
  return INPUTS.map(([what, inputs], index) =>
    step('inputs', what, index && 1, (session) => triggerWith(session, operation, playbook, what, inputs), {
      ...{ maxRequests: 2, triggers: 1, runs: 1 },
    }),
  )
}

async function triggerWith(
  session: Session,
  operation: OperationId,
  playbook: string,
  what: string,
  inputs: object,
): Promise<void> {
  if (!isSuccess(session.facts.triggerStatus ?? 0)) return
  const change = { ...startOf(operation, playbook), body: JSON.stringify({ inputs }), relation: 'inputs' }
  const exchange = await send(session, operation, change)
  const { status, failure, isOutage } = exchange
  const title = `${operation} of ${playbook} with inputs that have ${what}`
  if (failure || isOutage || isRefused(operation, status)) return
  if (isSuccess(status)) return session.add(successResults(exchange, title))
  const details = { exchange, keyword: 'status', expected: '2xx or 400', actual: `${status}` }
  if (isServerError(status) || MISSING.has(status))
    session.add(failed(rules.triggers, `${title} must be accepted or get 400, and got ${status}`, details))
  else
    session.add(
      failed(rules.inputValidation, `${title} is assumed to be accepted or to get 400, and got ${status}`, details),
    )
}

/** With a status of the contract, as by a quota, a permission or another run, or by a gateway. */
const isRefused = (operation: OperationId, status: number): boolean =>
  documentedRefusals(operation).includes(status) ||
  (status !== OTHER_STATUS.unprocessable && refusalOf(status) !== undefined)

const INPUTS: readonly (readonly [what: string, inputs: object])[] = [
  ['no value', {}],
  ['two texts', { conformance: 'check', order: '1' }],
  [
    'no, long, many and other than ASCII texts',
    {
      empty: '',
      '': 'check',
      long: 'x'.repeat(1_000),
      'größe 👩‍💻': '\u0001 漢字 👩‍💻 "quoted" \\ \n',
      ...Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`conformance_${index}`, 'check'])),
    },
  ],
  ['a number', { conformance: 42 }],
  ['null, an object and a list', { conformance: null, check: {}, checks: [] }],
]
