import { rules } from '../../../generated/conformance.js'
import type { OperationId } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { hasId, isPaged, isSafe, isSuccess, operationIds, readingOperations, startsRuns } from '../contract.js'
import type { RequestSpec } from '../exchange.js'
import type { Checked } from '../judge/exchange.js'
import { failed, passed, quote, type Result, skipped, text } from '../judge/result.js'
import { isListEnvelope } from '../judge/semantics.js'
import { statusResults } from '../judge/status.js'
import { commonItems, compareWorkspaces } from '../judge/workspaces.js'
import { bearer, type ConformanceSettings } from '../options.js'
import { downReason, isDown } from '../outage.js'
import { pathOf, type Results, type Session, type Step, send } from '../session.js'
import { QUOTA } from './related.js'
import { EXISTING, keyOf, type Shape, shapesOf, titleOf } from './shapes.js'

/** A key of another workspace reads that workspace, and never reads or triggers the resources of this one. Basis: S03, D05. */
export function workspaceSteps(settings: ConformanceSettings): Step[] {
  const { otherWorkspaceKey, trigger } = settings
  if (otherWorkspaceKey === undefined) return []
  const authorization = bearer(otherWorkspaceKey)
  const step = (tier: number, requests: number, run: Step['run']): Step => ({
    relation: 'workspaces',
    tier,
    requests,
    run,
  })
  const shapes = shapesOf(settings).filter(({ operation, isSuccess: is }) => isSafe(operation) && is)
  const lists = shapes.filter(({ operation }) => !hasId(operation))
  const resources = shapes.filter(({ operation }) => hasId(operation))
  return [
    ...lists.map((shape) =>
      step(shape.name === '' ? (isPaged(shape.operation) ? 2 : 1) : 3, 1, (session) =>
        readOther(session, shape, authorization),
      ),
    ),
    ...resources.map((shape) =>
      step(shape.name === EXISTING ? 1 : 3, 1, (session) => readOurs(session, shape, authorization)),
    ),
    ...operationIds
      .filter((operation) => startsRuns(operation) && trigger !== undefined)
      .map((operation) => step(1, 1, (session) => triggerOurs(session, operation, authorization, trigger ?? ''))),
    step(0, 0, listedByBoth),
    ...readingOperations.flatMap((operation) => [
      step(3, 4, (session) => interleave(session, operation, authorization, false)),
      step(4, 8, (session) => interleave(session, operation, authorization, true)),
    ]),
  ]
}

async function* readOther(session: Session, shape: Shape, authorization: string): Results {
  const before = session.facts.seen.get(keyOf(shape))
  const change = shape.change(session)
  if (!before || !change) return
  const exchange = await send(session, shape.operation, { ...change, authorization, relation: 'workspaces' })
  if (!exchange.isValid) return
  if (shape.operation === 'getCurrentWorkspace') return void (yield compareWorkspaces(before.body, exchange, false))
  const ours = [before.body, session.facts.bodies[shape.operation]].flatMap((body) =>
    isListEnvelope(body) ? body.data : [],
  )
  const results = commonItems(ours, exchange)
  const { common, theirs } = session.facts
  for (const item of isListEnvelope(exchange.body) ? exchange.body.data : []) theirs.add(Object(item).id)
  common.push(...results.filter(({ outcome }) => outcome === 'failed'))
  yield results.filter(({ outcome }) => outcome !== 'failed')
}

/** What both workspaces list is a fault, unless both may use it. */
async function* listedByBoth({ facts }: Session): Results {
  const { common, isShared } = facts
  if (isShared && common.length > 0) yield skipped(rules.workspacesApart, SHARED)
  else yield common
}

const SHARED = 'Both workspaces list and trigger the same playbook: it may be shared by design.'

async function* readOurs(session: Session, shape: Shape, authorization: string): Results {
  const change = shape.change(session)
  if (!change) return
  yield* tryApart(
    session,
    shape.operation,
    { ...change, authorization },
    titleOf({ ...shape, name: shape.name.replace(EXISTING, 'of an id') }),
  )
}

/** A playbook that both workspaces list may be triggered by both. */
async function* triggerOurs(
  session: Session,
  operation: OperationId,
  authorization: string,
  playbook: string,
): Results {
  const path = pathOf(operation, playbook)
  const { facts } = session
  if (facts.theirs.has(playbook)) {
    const { status } = await send(session, operation, { authorization, path, relation: 'workspaces' })
    facts.isShared = isSuccess(status) || status === STATUS.forbidden || QUOTA.has(status)
    return
  }
  yield* tryApart(session, operation, { authorization, path }, `${operation} of a playbook`)
}

/** Basis: D05, A25. */
async function* tryApart(
  session: Session,
  operation: OperationId,
  change: Partial<RequestSpec>,
  subject: string,
): Results {
  const exchange = await send(session, operation, { ...change, relation: 'workspaces' })
  const { status, failure } = exchange
  const what = `${subject} of another workspace`
  const basis = rules.workspacesApart
  if (failure || exchange.isOutage || (startsRuns(operation) && (status === STATUS.forbidden || QUOTA.has(status))))
    return
  if (await isDown(session, exchange, change))
    yield skipped([basis, rules.otherWorkspaceIsNotFound], downReason(operation))
  else if (isSuccess(status))
    yield [
      failed(basis, `${what} must be refused, and got ${status}`, {
        exchange,
        expected: '404',
        actual: `${status}`,
        relation: 'workspaces',
        variation: subject,
      }),
    ]
  else {
    yield [passed(basis, `${what} is refused with ${status}`, { exchange })]
    yield statusResults(exchange, { status: STATUS.notFound, basis: rules.otherWorkspaceIsNotFound, what })
  }
}

/** Reads with both keys in turn, or at once, get what each key got alone. */
async function* interleave(
  session: Session,
  operation: OperationId,
  authorization: string,
  isConcurrent: boolean,
): Results {
  const alone = session.facts.bodies[operation]
  if (alone === undefined) return
  const own = () => send(session, operation, { relation: 'workspaces' })
  const other = () => send(session, operation, { authorization, relation: 'workspaces' })
  const exchanges: Checked[] = []
  if (isConcurrent)
    exchanges.push(...(await Promise.all([own(), other(), own(), other(), own(), other(), own(), other()])))
  else for (const next of [other, own, other, own]) exchanges.push(await next())
  const isOwn = (exchange: Checked) => exchange.request.headers.get('authorization') !== authorization
  for (const exchange of exchanges)
    if (exchange.isValid) yield compare(alone, exchange, isOwn(exchange), session.facts.isShared)
}

function compare(alone: unknown, exchange: Checked, isOwn: boolean, isShared: boolean): Result[] {
  const { operation, body } = exchange
  if (operation === 'getCurrentWorkspace') return compareWorkspaces(alone, exchange, isOwn)
  if (!isOwn) return isShared ? [] : commonItems(isListEnvelope(alone) ? alone.data : [], exchange)
  const [before, now] = [alone, body].map((list) =>
    isListEnvelope(list) ? list.data.map((item) => JSON.stringify(Object(item).id ?? item)) : [],
  )
  const strange = now?.length && before?.length && !now.some((item) => before.includes(item))
  const message = text`${operation} must have the items that it had before, and has ${quote(now?.[0])} between reads of another workspace`
  return strange ? [failed(rules.keyOfWorkspace, message, { exchange, pointer: '/data' })] : []
}
