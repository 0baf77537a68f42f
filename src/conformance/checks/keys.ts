import { type BasisId, operations } from '../../../generated/operations.js'
import type { PlaybookList } from '../../../generated/types.js'
import { STATUS } from '../../internal/status.js'
import { errorBasis, isSuccess, readingOperations } from '../contract.js'
import { quote, text } from '../message.js'
import type { Settings } from '../options.js'
import type { Checked } from '../sender.js'
import { bearer, type Check, expectStatus, requestFor, type Session } from '../session.js'

/** A key that may read only: what it reads is of the same workspace, and triggering is forbidden. */
export const readOnlyCheck = ({ run, trigger }: Settings, key: string): Check => ({
  name: 'the key that may only read',
  requests: readingOperations.length + 1 + ((run ?? trigger) === undefined ? 0 : 1) + (trigger === undefined ? 0 : 1),
  async run(session) {
    const authorization = bearer(key)
    for (const operation of readingOperations) {
      const exchange = await session.transport.send(requestFor(session, operation, { authorization }))
      notePermission(session, exchange)
      checkWorkspace(session, exchange, true)
    }
    const { runId: id } = session.facts
    if (id !== undefined)
      notePermission(
        session,
        await session.transport.send(requestFor(session, 'getRun', { authorization, path: { id } })),
      )
    await triggerIsForbidden(session, authorization, trigger)
  },
})

/** What a key may read it reads; what it may not is a 403. */
function notePermission({ ledger }: Session, exchange: Checked): void {
  const { operation, status } = exchange
  if (status === STATUS.unauthorized)
    ledger.fails('S24', `${operation} with the key that may only read must not get 401: the key is valid`, exchange)
  else if (isSuccess(status)) ledger.passes('S23', 'a second key of the workspace is accepted', exchange)
}

async function triggerIsForbidden(session: Session, authorization: string, trigger: string | undefined): Promise<void> {
  const { ledger, transport } = session
  const basis = errorBasis('triggerRun', STATUS.forbidden)
  if (basis === undefined) return
  const what = 'triggerRun with a key that may only read'
  const exchange = await transport.send(requestFor(session, 'triggerRun', { authorization }))
  if (exchange.status === STATUS.notFound)
    ledger.skipped(basis, 'The service looks at the id before it looks at permissions. Name a playbook to trigger.')
  else expectStatus(session, exchange, { status: STATUS.forbidden, basis, what })
  if (trigger === undefined) return
  const real = await transport.send(requestFor(session, 'triggerRun', { authorization, path: { id: trigger } }))
  expectStatus(session, real, { status: STATUS.forbidden, basis, what: `${what}, of a playbook that exists,` })
}

/** A key of another workspace reads that workspace, and neither reads nor triggers what belongs to this one. */
export const otherWorkspaceCheck = ({ run, trigger }: Settings, key: string): Check => ({
  name: 'the key of another workspace',
  requests: 1 + ((run ?? trigger) === undefined ? 0 : 1) + (trigger === undefined ? 0 : 1),
  async run(session) {
    const { facts, transport } = session
    const authorization = bearer(key)
    checkWorkspace(session, await transport.send(requestFor(session, 'getCurrentWorkspace', { authorization })), false)
    const { runId: id } = facts
    if (id !== undefined)
      isKeptApart(
        session,
        await transport.send(requestFor(session, 'getRun', { authorization, path: { id } })),
        'a run',
      )
    if (trigger === undefined) return
    const real = await transport.send(requestFor(session, 'triggerRun', { authorization, path: { id: trigger } }))
    if (real.status !== STATUS.forbidden) isKeptApart(session, real, 'a trigger of a playbook')
  },
})

/** Basis: D05, A25. */
function isKeptApart(session: Session, exchange: Checked, subject: string): void {
  const { ledger } = session
  const what = `${subject} of another workspace`
  if (exchange.failure) return
  if (isSuccess(exchange.status)) {
    ledger.fails('D05', `${what} must be refused, and got ${exchange.status}`, exchange)
    return
  }
  ledger.passes('D05', `${what} is refused with ${exchange.status}`, exchange)
  expectStatus(session, exchange, { status: STATUS.notFound, basis: 'A25', what })
}

/** Whether a second key reads the workspace that it belongs to. Basis: S03. */
function checkWorkspace({ ledger, facts }: Session, exchange: Checked, isSame: boolean): void {
  const { operation, body } = exchange
  const known = facts.bodies[operation]
  if (!exchange.isValid || known === undefined) return
  const id: BasisId = 'S03'
  if (operation === 'getCurrentWorkspace') {
    const [first, second] = [known, body].map((each) => (Object(each) as { id?: unknown }).id)
    if (first === undefined || second === undefined) return
    if ((first === second) === isSame)
      ledger.passes(id, text`the two keys read the workspaces ${quote(first)} and ${quote(second)}`, exchange)
    else
      ledger.fails(
        id,
        text`the key of ${isSame ? 'the same' : 'another'} workspace reads the workspace ${quote(second)}, and the first key ${quote(first)}; check that the right key was given`,
        exchange,
        { keyword: 'workspace' },
      )
    return
  }
  if (!isSame || !('paged' in operations[operation])) return
  const [ours, theirs] = [known, body].map((each) => (each as PlaybookList).data.map((item) => item.id))
  if (ours?.length && theirs?.length && !theirs.some((each) => ours.includes(each)))
    ledger.fails(id, `${operation} with a second key of the workspace has no item that it has with the first`, exchange)
}

/** Basis: A18. */
export const hobbyCheck = (key: string): Check => ({
  name: 'getCurrentWorkspace with the key of a plan without API access',
  requests: 1,
  async run(session) {
    const spec = requestFor(session, 'getCurrentWorkspace', { authorization: bearer(key) })
    const what = 'a workspace without API access'
    expectStatus(session, await session.transport.send(spec), { status: STATUS.forbidden, basis: 'A18', what })
  },
})
