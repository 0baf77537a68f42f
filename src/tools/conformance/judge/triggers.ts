import { rules } from '../../../../generated/conformance/nodes.js'
import type { TriggeredRun } from '../../../../generated/types.js'
import { STATUS } from '../../../internal/contract/status.js'
import { OTHER_STATUS } from '../contract.js'
import type { Exchange } from '../exchange.js'
import { failed, failedIf, passed, quote, type Result, resultOf, text } from './result.js'
import { isFollowable } from './runs.js'

/** The id of the run in the response to its trigger, where the contract has it. Basis: A31. */
export function triggeredRunId({ body }: Pick<Exchange, 'body'>): string | undefined {
  const { id } = Object(body) as { id?: unknown }
  // A number is followed as text, as the client does.
  if (Number.isSafeInteger(id)) return String(id)
  return typeof id === 'string' && id !== '' ? id : undefined
}

/** The run that a trigger started, if its response has the id. Basis: A14, A31. */
export function triggeredResults(exchange: Exchange, playbook: string): Result[] {
  const id = triggeredRunId(exchange)
  if (id === undefined) return []
  const { playbook_id: named } = Object(exchange.body) as Partial<TriggeredRun>
  const isOther = named !== undefined && named !== playbook
  const message = text`the response to a trigger of ${quote(playbook)} names the playbook ${quote(named)}`
  return [
    passed(rules.runIdProperty, text`the id of the run is in the response to its trigger: ${quote(id)}`, { exchange }),
    ...failedIf(isOther, rules.triggerBody, message, { exchange, pointer: '/playbook_id' }),
  ]
}

/**
 * Whether a trigger started another run than earlier triggers, whose playbooks are given by id if they are known: an id belongs to
 * one run, and a run to one playbook. Basis: A34, S05.
 */
export function newRunResults(
  exchange: Exchange,
  id: string,
  earlier: ReadonlyMap<string, string | undefined>,
  playbook?: string,
): Result[] {
  if (earlier.size === 0) return []
  const isNew = !earlier.has(id)
  const other = earlier.get(id)
  const ofBoth = text`the id ${quote(id)}: expected one run, got runs of ${quote(other)} and ${quote(playbook)}`
  // Of a response that is no run the id may be that of something else.
  if (isFollowable(exchange.body) && other !== undefined && playbook !== undefined && other !== playbook)
    return [failed(rules.runId, ofBoth, { exchange, pointer: '/id', keyword: 'unique-id' })]
  const message = text`two triggers started ${isNew ? 'two runs' : 'one run'}, the last of them ${quote(id)}`
  return [resultOf(rules.newRun, isNew, message, { exchange, keyword: 'unique-id' })]
}

/** Why a refusal that a service may give shows nothing of the trigger; undefined for any other status. */
export const refusalOf = (status: number): string | undefined =>
  REFUSALS.find(([statuses]) => statuses.includes(status))?.[1]

const REFUSALS: readonly (readonly [statuses: readonly number[], reason: string])[] = [
  [[STATUS.badRequest, OTHER_STATUS.unprocessable], 'the playbook refused the inputs. Give others.'],
  [
    [STATUS.forbidden, STATUS.rateLimited, OTHER_STATUS.paymentRequired, OTHER_STATUS.conflict],
    'the key may lack the permission, the run quota may be used up, or another run may be in the way.',
  ],
  [[502, 503, 504], 'sending it again is not known to be safe.'],
]

/** Prefixes of ids that identify runs of one service: two of them have one in common. */
export function idFormResults(id: unknown, other?: string): Result[] {
  if (typeof id !== 'string' || id === '') return []
  const form = text`the id of a run: expected a prefix followed by an opaque part, got ${quote(id)}`
  const details = { pointer: '/id', keyword: 'prefix' }
  const isOther = other !== undefined && other[0] !== id[0]
  const together = text`the ids of runs: expected a common prefix, got ${quote(other)} and ${quote(id)}`
  return [...failedIf(!hasPrefix(id), rules.runId, form, details), ...failedIf(isOther, rules.runId, together, details)]
}

/** Neither a number, a UUID nor a word that ends in a separator is a prefix and an opaque part. */
const hasPrefix = (id: string): boolean =>
  /^[a-z\d].*[a-z\d]/i.test(id) &&
  !/^\d+$/.test(id) &&
  !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id) &&
  !/[^a-z\d=]$/i.test(id)
