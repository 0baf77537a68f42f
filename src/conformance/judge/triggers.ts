import { rules } from '../../../generated/conformance.js'
import type { TriggeredRun } from '../../../generated/types.js'
import { STATUS } from '../../internal/status.js'
import type { Exchange } from '../exchange.js'
import { failedIf, passed, quote, type Result, resultOf, text } from './result.js'
import { triggeredRunId } from './semantics.js'

/** The run that a trigger started, if its response has the id. Basis: D02, A14. */
export function triggeredResults(exchange: Exchange, playbook: string): Result[] {
  const id = triggeredRunId(exchange)
  if (id === undefined) return []
  const { playbook_id: named } = Object(exchange.body) as Partial<TriggeredRun>
  const isOther = named !== undefined && named !== playbook
  const message = text`the response to a trigger of ${quote(playbook)} names the playbook ${quote(named)}`
  return [
    passed(rules.triggeredRunId, text`the id of the run is in the response to its trigger: ${quote(id)}`, { exchange }),
    ...failedIf(isOther, rules.triggerBody, message, { exchange, pointer: '/playbook_id' }),
  ]
}

/** Whether a trigger started another run than earlier triggers. Basis: A34. */
export function newRunResults(exchange: Exchange, id: string, earlier: ReadonlySet<string>): Result[] {
  if (earlier.size === 0) return []
  const isNew = !earlier.has(id)
  const message = text`two triggers started ${isNew ? 'two runs' : 'one run'}, the last of them ${quote(id)}`
  return [resultOf(rules.newRun, isNew, message, { exchange, keyword: 'unique-id' })]
}

/** Why a refusal that a service may give shows nothing of the trigger; undefined for any other status. */
export const refusalOf = (status: number): string | undefined =>
  REFUSALS.find(([statuses]) => statuses.includes(status))?.[1]

/** RFC 9110, sections 15.5.3, 15.5.10, 15.5.21 and 15.6.4. */
const REFUSALS: readonly (readonly [statuses: readonly number[], reason: string])[] = [
  [[STATUS.badRequest, 422], 'the playbook refused the inputs. Give others.'],
  [
    [STATUS.forbidden, STATUS.rateLimited, 402, 409],
    'the key may lack the permission, the run quota may be used up, or another run may be in the way.',
  ],
  [[502, 503, 504], 'sending it again is not known to be safe.'],
]
