import { rules } from '../../../../generated/contract.js'
import type { TriggeredRun } from '../../../../generated/types.js'
import { findRunId } from '../../../internal/contract/run-id.js'
import { STATUS } from '../../../internal/contract/status.js'
import { outcomeOfResponse } from '../../../internal/contract/trigger-outcome.js'
import type { TriggerOutcome } from '../../../shared/trigger-outcome.js'
import { OTHER_STATUS } from './contract.js'
import type { Exchange } from './exchange.js'
import { failed, failedIf, quote, type Result, resultOf, text } from './result.js'
import { isFollowable, type StartedRun } from './runs.js'

/** Whether a trigger started a run, by its response. */
export const outcomeOf = ({ status, headers, text: raw, body }: TriggerExchange): TriggerOutcome =>
  outcomeOfResponse({ status, headers, isJsonOrEmpty: raw === '' || body !== undefined })

type TriggerExchange = Pick<Exchange, 'status' | 'headers' | 'text' | 'body'>

/** The run that a trigger started; undefined when it started none, or when its response has no id. Basis: A14, A31. */
export function startedRun(exchange: TriggerExchange): StartedRun | undefined {
  const found = outcomeOf(exchange) === 'started' ? findRunId(exchange.headers, exchange.body) : undefined
  if (!found) return undefined
  const { run, data } = Object(exchange.body) as { run?: unknown; data?: unknown }
  const runs: Record<string, unknown> = { id: exchange.body, 'run.id': run, 'data.id': data }
  const shown = runs[found.source]
  const { status } = Object(shown) as { status?: unknown }
  const isKnown = !MAY_BE_OF_ANOTHER.has(found.source) || isFollowable(shown)
  return { ...found, isKnown, status: typeof status === 'string' ? status : undefined }
}

/** Where the id may be that of a job, or of something else. */
const MAY_BE_OF_ANOTHER: ReadonlySet<string> = new Set(['id', 'data.id'])

export const triggeredRunId = (exchange: TriggerExchange): string | undefined => startedRun(exchange)?.id

/** The run that a trigger started, if its response has the id. Basis: A14, A31. */
export function triggeredResults(exchange: Exchange, playbook: string): Result[] {
  const run = startedRun(exchange)
  if (!run) return []
  const { playbook_id: named } = Object(exchange.body) as Partial<TriggeredRun>
  const isOther = named !== undefined && named !== playbook
  const message = text`the response to a trigger of ${quote(playbook)} names the playbook ${quote(named)}`
  const isAssumed = run.source === 'id'
  const where = `the id of the run is in ${isAssumed ? '' : `${run.source} of `}the response to its trigger`
  return [
    resultOf(rules.runIdProperty, isAssumed, text`${where}: ${quote(run.id)}`, {
      exchange,
      ...(!isAssumed && { keyword: 'place', fact: where }),
    }),
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
  if (startedRun(exchange)?.isKnown && other !== undefined && playbook !== undefined && other !== playbook)
    return [failed(rules.runId, ofBoth, { exchange, pointer: '/id', keyword: 'unique-id' })]
  const message = text`two triggers started ${isNew ? 'two runs, the last of them' : 'one and the same run,'} ${quote(id)}`
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

/** Which prefix it is, and what the opaque part is made of, is not stated: only what has no prefix at all is wrong. Basis: S05. */
export function idFormResults(id: unknown): Result[] {
  if (typeof id !== 'string') return []
  const form = text`the id of a run: expected a prefix followed by an opaque part, got ${quote(id)}`
  return failedIf(WITHOUT_PREFIX.test(id), rules.runId, form, { pointer: '/id', keyword: 'prefix' })
}

/** A bare number, or a UUID. */
const WITHOUT_PREFIX = /^(\d+|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i
