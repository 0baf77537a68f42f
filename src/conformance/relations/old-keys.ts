import { type OperationId, operations } from '../../../generated/operations.js'
import type { PlaybookList } from '../../../generated/types.js'
import { STATUS } from '../../internal/status.js'
import { isSuccess, readingOperations, startsRuns } from '../contract.js'
import type { Exchange, RequestSpec } from '../exchange.js'
import type { Ledger } from '../ledger.js'
import type { ConformanceSettings } from '../options.js'
import { quote, text } from '../result.js'
import { bearer, type Check, expectStatus, type Session, send } from '../session.js'
import type { Checked } from '../validate.js'
import { downReason, isDown } from './outage.js'
import { probeOf, QUOTA, tryOut } from './probes.js'

/** How many requests with existing ids the options allow. */
const existing = ({ run, trigger }: ConformanceSettings): number =>
  Number((run ?? trigger) !== undefined) + Number(trigger !== undefined)

/** A read-only key reads the same workspace, and must not trigger. */
export const readOnlyCheck = (settings: ConformanceSettings, key: string): Check => ({
  name: 'the key that may only read',
  requests: readingOperations.length + 1 + existing(settings),
  async run(session) {
    const authorization = bearer(key)
    for (const operation of readingOperations) {
      const exchange = await send(session, operation, { authorization })
      notePermission(session, exchange)
      checkWorkspace(session, exchange, true)
    }
    const { runId: id } = session.facts
    if (id !== undefined) notePermission(session, await send(session, 'getRun', { authorization, path: { id } }))
    const tryTrigger = (what: string, path?: RequestSpec['path']) =>
      tryOut(session, probeOf('triggerRun', what, { authorization, ...(path && { path }) }, STATUS.forbidden))
    await tryTrigger('with a key that may only read')
    if (settings.trigger !== undefined)
      await tryTrigger('with a key that may only read, of a playbook that exists,', { id: settings.trigger })
  },
})

/** Records that a second key of the workspace is accepted; what it must not do is a 403, never a 401. */
function notePermission({ ledger }: Session, exchange: Checked): void {
  const { operation, status } = exchange
  if (status === STATUS.unauthorized)
    ledger.fails('S24', `${operation} with the key that may only read must not get 401: the key is valid`, exchange)
  else if (isSuccess(status)) ledger.passes('S23', 'a second key of the workspace is accepted', exchange)
}

/** A key of another workspace reads that workspace, and neither reads nor triggers the resources of this one. */
export const otherWorkspaceCheck = (settings: ConformanceSettings, key: string): Check => ({
  name: 'the key of another workspace',
  requests: 1 + existing(settings),
  async run(session) {
    const { runId } = session.facts
    const authorization = bearer(key)
    checkWorkspace(session, await send(session, 'getCurrentWorkspace', { authorization }), false)
    if (runId !== undefined) await tryApart(session, 'getRun', { authorization, path: { id: runId } }, 'a run')
    const path = settings.trigger !== undefined && { id: settings.trigger }
    if (path) await tryApart(session, 'triggerRun', { authorization, path }, 'a trigger of a playbook')
  },
})

/** Basis: D05, A25. */
async function tryApart(session: Session, operation: OperationId, change: Partial<RequestSpec>, subject: string) {
  const { ledger } = session
  const exchange = await send(session, operation, change)
  const { status, failure } = exchange
  const what = `${subject} of another workspace`
  if (failure || (startsRuns(operation) && (status === STATUS.forbidden || QUOTA.has(status)))) return
  if (await isDown(session, exchange, change)) ledger.skipped(['D05', 'A25'], downReason(operation))
  else if (isSuccess(status)) ledger.fails('D05', `${what} must be refused, and got ${status}`, exchange)
  else {
    ledger.passes('D05', `${what} is refused with ${status}`, exchange)
    expectStatus(session, exchange, { status: STATUS.notFound, basis: 'A25', what })
  }
}

/** Whether a second key reads the workspace that it belongs to. Basis: S03, A01. */
function checkWorkspace({ ledger, facts }: Session, exchange: Checked, isSame: boolean): void {
  const { operation, body } = exchange
  const known = facts.bodies[operation]
  if (!exchange.isValid || known === undefined) return
  if (operation === 'getCurrentWorkspace') compareWorkspaces(ledger, known, exchange, isSame)
  else if (isSame && 'paged' in operations[operation]) {
    const [ours, theirs] = [known, body].map((each) => (each as PlaybookList).data.map((item) => item.id))
    const message = `${operation} with a second key of the workspace has no item that it has with the first`
    if (ours?.length && theirs?.length && !theirs.some((each) => ours.includes(each)))
      ledger.fails('S03', message, exchange)
  }
}

/**
 * Whether a key reads the same workspace as before, or as another key, where it should. The id is only assumed: a value
 * that every workspace shares, or that changes each time, may not be an id of the workspace. Basis: S03, A01.
 */
export function compareWorkspaces(ledger: Ledger, before: unknown, exchange: Exchange, isSame: boolean): void {
  const [one, other] = [before, exchange.body].map((body) => {
    const { id, ...rest } = Object(body) as { id?: unknown }
    return { id, rest: JSON.stringify(rest) }
  })
  if (one?.id === undefined || other?.id === undefined) return
  const isEqual = one.id === other.id
  const message = text`the key reads the workspace ${quote(other.id)}, and ${quote(one.id)} was read before`
  const isAnother = !isEqual && one.rest !== other.rest
  const isOneOfMany = isEqual && one.rest === other.rest && /^(?=.*\d).{6,}$/.test(String(one.id))
  const expected = isSame ? 'the same workspace' : 'another workspace'
  const details = { keyword: 'workspace' }
  if (isEqual === isSame) ledger.passes('S03', message, exchange)
  else if (isAnother || isOneOfMany)
    ledger.fails('S03', text`${message}; it must be ${expected}. Check that the right key was given`, exchange, details)
  else ledger.fails('A01', text`${message}, so its id is not that of the workspace`, exchange, details)
}
