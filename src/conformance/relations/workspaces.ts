import { rules } from '../../../generated/conformance.js'
import type { OperationId } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { collectionOf, hasId, isPaged, isSafe, isSuccess, probedOperations, startsRuns } from '../contract.js'
import type { Checked } from '../judge/exchange.js'
import { isListed, itemIds } from '../judge/lists.js'
import { failed, passed, quote, type Result, skipped, text } from '../judge/result.js'
import { isListEnvelope } from '../judge/semantics.js'
import { statusResults, successResults } from '../judge/status.js'
import { commonItems, compareWorkspaces } from '../judge/workspaces.js'
import { bearer, type ConformanceSettings } from '../options.js'
import { downReason, isDown } from '../outage.js'
import { type Results, type Session, type Step, send, sendTogether } from '../session.js'
import { consistentList, isNumberedFromOne } from './lists.js'
import { QUOTA } from './probe.js'
import { type Change, fullChange, pageQuery, type Shape, seenShapes, shapesOf, titleOf } from './shapes.js'

/** A key of another workspace reads that workspace, and never reads or triggers the resources of this one. Basis: S03, D05. */
export function workspaceSteps(settings: ConformanceSettings): Step[] {
  const { otherWorkspaceKey } = settings
  if (otherWorkspaceKey === undefined) return []
  const authorization = bearer(otherWorkspaceKey)
  const step = (tier: number, requests: number, run: Step['run'], more: Partial<Step> = {}): Step => ({
    ...{ relation: 'workspaces', tier, requests, maxRequests: requests + 2, run },
    ...more,
  })
  const steps = probedOperations(settings).flatMap((operation) => {
    const shapes = shapesOf(operation, settings)
    return shapes.flatMap((shape, index) => {
      const isLast = index === shapes.length - 1
      const isPlainList = index === 0 && isPaged(operation)
      const tier = isLast || isPlainList ? 1 : 4
      if (!hasId(operation))
        return [
          step(tier, isPlainList ? 3 : 2, (session) => readOther(session, shape, authorization), {
            phase: isPlainList ? 'before runs' : isLast ? 'while running' : undefined,
          }),
        ]
      if (!isSafe(operation) && !(startsRuns(operation) && settings.trigger !== undefined)) return []
      const apart = (session: Session) => keptApart(session, shape, authorization)
      return [step(tier, 1, apart), ...(isLast ? [step(2, 1, apart, { phase: 'while running' })] : [])]
    })
  })
  const reading = probedOperations(settings).filter((operation) => isSafe(operation))
  return [
    ...steps,
    ...reading.flatMap((operation) => step(4, 8, (session) => atOnce(session, operation, authorization))),
    ...reading.flatMap((operation) =>
      hasId(operation)
        ? []
        : shapesOf(operation, settings).map((shape) =>
            step(4, TIMES, (session) => readOftenAsOther(session, shape, authorization)),
          ),
    ),
    step(0, 0, listedByBoth),
  ]
}

/** Reads as this workspace and at once as the other one, so that what is kept for one key is not sent to another. */
async function* readOther(session: Session, shape: Shape, authorization: string): Results {
  const { operation } = shape
  const change = shape.change(session)
  if (!session.facts.seen.has(titleOf(shape)) || !change) return
  // The first list is one that only this key asks for, so that it cannot be one that is kept for the other.
  const isNumbered = shape.name === '' && isNumberedFromOne(session, operation)
  const first = isNumbered && (await send(session, operation, { query: pageQuery(1, UNUSUAL), authorization }))
  const { meta } = first && isListEnvelope(first.body) ? first.body : {}
  const isAsAsked = meta?.page === 1 && meta.per_page === UNUSUAL
  if (first && isAsAsked) yield* consistentList(session, first, false)
  const own = await send(session, operation, { ...change, relation: 'workspaces' })
  const other = await send(session, operation, { ...change, authorization, relation: 'workspaces' })
  const { status } = other
  if (own.isOutage || other.isOutage || status === STATUS.forbidden) return
  const what = `${titleOf(shape)} with the key of another workspace`
  // The other workspace may not have a second page.
  if (!change.query || isSuccess(status) || status === STATUS.unauthorized || status >= 500)
    yield successResults(other, what)
  if (own.isValid && first && isAsAsked) yield* comparedWith(session, own, first, true)
  if (own.isValid && other.isValid) yield* comparedWith(session, own, other, change.query !== undefined)
}

const UNUSUAL = 37
/** More than the period of a fault that recurs. */
const TIMES = 8

async function* readOftenAsOther(session: Session, shape: Shape, authorization: string): Results {
  const own = session.facts.seen.get(titleOf(shape))
  const change = shape.change(session)
  for (let time = 0; own && change && time < TIMES; time++) {
    const other = await send(session, shape.operation, { ...change, authorization, relation: 'workspaces' })
    if (other.isValid) yield* comparedWith(session, own, other, change.query !== undefined)
  }
}

async function* comparedWith(session: Session, own: Checked, other: Checked, isPart: boolean): Results {
  const { facts } = session
  if (!isPaged(own.operation)) {
    facts.theirWorkspace = Object(other.body).id
    return void (yield compareWorkspaces(own.body, other, false))
  }
  const ours = new Set([...itemIds(own.body), ...(facts.ids.get(collectionOf(own.operation)) ?? [])])
  const results = commonItems(ours, other)
  for (const id of itemIds(other.body)) facts.theirs.add(id)
  if (own.operation === 'listPlaybooks' && !isPart) facts.theirPlaybooks = other.body
  facts.common.push(...results.filter(({ outcome }) => outcome === 'failed'))
  yield results.filter(({ outcome }) => outcome !== 'failed')
  yield* consistentList(session, other, isPart)
}

/** What both workspaces list is a fault, unless both may use it. */
async function* listedByBoth(session: Session): Results {
  const { facts, settings } = session
  const { common } = facts
  if (common.length === 0) return
  const { trigger, otherWorkspaceKey = '' } = settings
  if (trigger === undefined || !facts.theirs.has(trigger)) return void (yield common)
  const [operation] = probedOperations(settings).filter(startsRuns)
  if (!operation) return
  const [shape] = shapesOf(operation, settings)
  const spec = { ...shape?.change(session), authorization: bearer(otherWorkspaceKey), relation: 'workspaces' }
  const { status } = await send(session, operation, spec)
  const isShared = isSuccess(status) || status === STATUS.forbidden || QUOTA.has(status)
  yield isShared ? skipped(rules.workspacesApart, SHARED) : common
}

const SHARED = 'Both workspaces list and trigger the same playbook: it may be shared by design.'

/** Another workspace's key gets nothing of an id of this one. Basis: D05, A25. */
async function* keptApart(session: Session, shape: Shape, authorization: string): Results {
  const { operation } = shape
  const { facts, settings } = session
  const change = seenShapes(session, operation).some(({ name }) => name === shape.name)
    ? shape.change(session)
    : fullChange(session, operation)
  // A playbook that both workspaces list may be triggered by both.
  const isTheirs = startsRuns(operation) && isListed([facts.theirPlaybooks], settings.trigger ?? '') !== false
  if (!change || isTheirs) return
  const sent: Change = { ...change, authorization, relation: 'workspaces' }
  yield apartResults(session, await send(session, operation, sent), sent, shape)
}

async function apartResults(session: Session, exchange: Checked, sent: Change, shape: Shape): Promise<Result[]> {
  const { operation, status, failure } = exchange
  const what = `${titleOf(shape)}, of another workspace,`
  const basis = rules.workspacesApart
  if (failure || exchange.isOutage || (startsRuns(operation) && (status === STATUS.forbidden || QUOTA.has(status))))
    return []
  if (await isDown(session, exchange, sent))
    return skipped([basis, rules.otherWorkspaceIsNotFound], downReason(operation))
  const details = { exchange, expected: '404', actual: `${status}`, relation: 'workspaces', variation: shape.name }
  if (isSuccess(status) || status === STATUS.internalError)
    return [failed(basis, `${what} must be refused, and got ${status}`, details)]
  return [
    passed(basis, `${what} is refused with ${status}`, { exchange }),
    ...statusResults(exchange, { status: STATUS.notFound, basis: rules.otherWorkspaceIsNotFound, what }),
  ]
}

/** Reads with both keys at once get what each key gets alone. */
async function* atOnce(session: Session, operation: OperationId, authorization: string): Results {
  const shape = seenShapes(session, operation).find(({ name }) => name === '')
  const change = shape?.change(session)
  if (!shape || !change) return
  const [own, other] = [change, { ...change, authorization }].map((each) => ({ ...each, relation: 'workspaces' }))
  const exchanges = await sendTogether(session, operation, [own, other, own, other, own, other, own, other] as Change[])
  const idsOf = (key: string) => itemIds(session.facts.lists.get(operation + key)?.body)
  const [ours, theirs] = [idsOf(bearer(session.settings.apiKey)), idsOf(authorization)]
  for (const exchange of exchanges) {
    const isOwn = exchange.request.headers.get('authorization') !== authorization
    const [known, others] = isOwn ? [ours, theirs] : [theirs, ours]
    const strange = itemIds(exchange.body).find((id) => others.includes(id) && !known.includes(id))
    const must = `simultaneous requests of ${operation} with the keys of two workspaces must each get its own items`
    if (strange !== undefined)
      yield [failed(rules.workspacesApart, text`${must}, and ${quote(strange)} is of the other one`, { exchange })]
    const before = session.facts.seen.get(titleOf(shape))
    if (hasId(operation) && !isOwn) {
      if (!exchange.isOutage) yield await apartResults(session, exchange, { ...change, authorization }, shape)
    } else if (exchange.isValid && !isPaged(operation)) {
      if (!hasId(operation)) yield compareWorkspaces(before?.body, exchange, isOwn)
    } else if (exchange.isValid) yield* consistentList(session, exchange, false)
  }
}
