import { rules } from '../../../../../generated/conformance/nodes.js'
import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import {
  hasId,
  isPaged,
  isSafe,
  isServerError,
  isSuccess,
  operationIds,
  probedOperations,
  readsByIdFirst,
} from '../../judge/contract.js'
import type { Checked } from '../../judge/judge.js'
import { isListed, itemIds } from '../../judge/lists.js'
import { failed, quote, skipped, text } from '../../judge/result.js'
import { isListEnvelope } from '../../judge/semantics.js'
import { successResults } from '../../judge/status.js'
import { commonItems, compareWorkspaces } from '../../judge/workspaces.js'
import { bearer, type ConformanceSettings } from '../../options.js'
import { apartResults, RELATION, tryApart } from '../cases/apart.js'
import type { Change } from '../request.js'
import { send, sendTogether } from '../send.js'
import { fullChange, pageQuery, type Shape, seenShapes, shapesOf, titleOf } from '../shapes.js'
import { type Session, type Step, step } from '../step.js'
import { consistentList, isNumberedFromOne } from './lists.js'
import { consistent, readAgain } from './reading.js'

/** A key of another workspace reads that workspace, and never reads or triggers the resources of this one. Basis: S03, D05. */
export function workspaceSteps(settings: ConformanceSettings): Step[] {
  const { otherWorkspaceKey } = settings
  if (otherWorkspaceKey === undefined) return []
  const key = bearer(otherWorkspaceKey)
  return probedOperations(settings).flatMap((operation) => {
    const shapes = shapesOf(operation, settings)
    const [plain] = shapes
    const ofShapes = shapes.flatMap((shape) => (hasId(operation) ? idSteps(shape, settings) : ownSteps(shape, key)))
    if (!plain || !isSafe(operation)) return ofShapes
    const atOnce = (times: number) => (session: Session) => readWithBoth(session, plain, key, times, true)
    return [
      ...ofShapes,
      // What only simultaneous requests show, at every depth.
      apart(`${operation} at once`, 0, 2, atOnce(1), 'while running'),
      apart(`${operation} at once`, 4, TIMES, atOnce(TIMES / 2)),
    ]
  })
}

/** What belongs to this workspace, with the key of the other one. */
function idSteps(shape: Shape, settings: ConformanceSettings): Step[] {
  const { operation, isFull } = shape
  if (!isSafe(operation) && !(isTrigger(operation) && settings.trigger !== undefined)) return []
  const run = (session: Session) => keptApart(session, shape)
  const own = apart(titleOf(shape), priorityOf(shape), 1, run)
  return isFull ? [own, { ...own, priority: 2, phase: 'while running' }] : [own]
}

/** What each workspace has for itself. */
function ownSteps(shape: Shape, key: string): Step[] {
  const title = titleOf(shape)
  const isPlain = shape.name === ''
  const phase = isPlain ? 'before runs' : shape.isFull ? 'while running' : undefined
  const requests = isPlain && isPaged(shape.operation) ? 3 : 2
  return [
    apart(title, priorityOf(shape), requests, (session) => readOnce(session, shape, key), phase),
    apart(`${title} in turns`, 4, 2 * TIMES, (session) => readWithBoth(session, shape, key, TIMES)),
  ]
}

const priorityOf = ({ name, isFull }: Shape): number => (name === '' ? 0 : isFull ? 1 : 3)

const apart = (subject: string, priority: number, requests: number, run: Step['run'], phase?: Step['phase']): Step =>
  step(RELATION, subject, priority, run, { requests, maxRequests: requests + 2, phase })

/** The last step: all lists of both workspaces were read before. */
export const listedByBothSteps = ({ otherWorkspaceKey }: ConformanceSettings): Step[] =>
  otherWorkspaceKey === undefined
    ? []
    : [{ relation: RELATION, subject: 'lists of both', priority: 0, requests: 0, maxRequests: 2, run: listedByBoth }]

/** More than the period of a fault that recurs. */
const TIMES = 8

/** The plain list first, then one that only the other key asks for, so that it cannot be one that is kept for this one. */
async function readOnce(session: Session, shape: Shape, authorization: string): Promise<void> {
  const { operation } = shape
  const own = session.facts.seen.get(titleOf(shape))
  await readWithBoth(session, shape, authorization, 1)
  if (own && shape.name === '' && isPaged(operation) && isNumberedFromOne(session, operation)) {
    const first = await send(session, operation, { query: pageQuery(1, UNUSUAL), authorization })
    const { meta } = isListEnvelope(first.body) ? first.body : {}
    if (meta?.page === 1 && meta.per_page === UNUSUAL) await compare(session, own, first)
  }
}

const UNUSUAL = 37

/** Reads with this key and at once with the other one, in turns or all together: each gets what is its own. */
async function readWithBoth(
  session: Session,
  shape: Shape,
  authorization: string,
  times: number,
  isTogether = false,
): Promise<void> {
  const { operation } = shape
  const change = shape.change(session)
  const seen = session.facts.seen.get(titleOf(shape))
  if (!change || !(seen || hasId(operation))) return
  const sent = { ...change, authorization, relation: RELATION }
  const turns = Array.from({ length: times }, () => [{ ...change, relation: RELATION }, sent]).flat()
  const together = isTogether ? await sendTogether(session, operation, turns) : []
  for (const [index, turn] of turns.entries()) {
    const exchange = together[index] ?? (await send(session, operation, turn))
    if (exchange.isOutage) return
    if (isTogether) addStrangers(session, exchange, authorization)
    if (turn !== sent) {
      if (exchange.isValid) await consistent(session, exchange)
    } else if (hasId(operation)) session.add(await apartResults(session, exchange, sent, shape))
    else if (exchange.status !== STATUS.forbidden) {
      const { status } = exchange
      // The other workspace may not have a second page.
      if (!change.query || isSuccess(status) || status === STATUS.unauthorized || status >= 500)
        session.add(successResults(exchange, `${titleOf(shape)} with the key of another workspace`))
      if (seen && exchange.isValid) await compare(session, seen, exchange)
    }
  }
}

/** An item that only the list of the other key had before. */
function addStrangers({ facts, settings, add }: Session, exchange: Checked, authorization: string): void {
  const { operation, request, body } = exchange
  const idsOf = (key: string) => itemIds(facts.lists.get(operation + key)?.body)
  const keys = [bearer(settings.apiKey), authorization]
  const [known = [], others = []] = (
    request.headers.get('authorization') === authorization ? keys.reverse() : keys
  ).map(idsOf)
  const strange = itemIds(body).find((id) => others.includes(id) && !known.includes(id))
  const expectation = `simultaneous requests of ${operation} with the keys of two workspaces: expected their own items`
  if (strange !== undefined)
    add(failed(rules.workspacesApart, text`${expectation}, got ${quote(strange)} of the other one`, { exchange }))
}

async function compare(session: Session, own: Checked, other: Checked): Promise<void> {
  const { facts } = session
  if (!isPaged(own.operation)) {
    facts.theirWorkspace = Object(other.body).id
    return session.add(compareWorkspaces(own.body, other, false))
  }
  if (own.operation === 'listPlaybooks') facts.theirPlaybooks ??= other.body
  await consistentList(session, other)
}

/** What lists of both workspaces had at any time is a fault, unless both may use it. */
async function listedByBoth(session: Session): Promise<void> {
  const { facts, settings } = session
  const { apiKey, readOnlyKey, otherWorkspaceKey = '', trigger } = settings
  const itemsOf = (key: string | undefined) => [...(facts.items.get(bearer(key ?? '')) ?? [])]
  const theirs = new Map(itemsOf(otherWorkspaceKey))
  const common = commonItems(new Map([...itemsOf(readOnlyKey), ...itemsOf(apiKey)]), theirs)
  const isListedThere = [...theirs.values()].some(({ id }) => id === trigger)
  const [operation] = probedOperations(settings).filter(isTrigger)
  if (!common.some(({ outcome }) => outcome === 'failed') || !isListedThere || !operation) return session.add(common)
  const [shape] = shapesOf(operation, settings)
  const spec = { ...shape?.change(session), authorization: bearer(otherWorkspaceKey), relation: RELATION }
  const { status } = await send(session, operation, spec)
  const isShared = status !== STATUS.notFound && status !== STATUS.unauthorized && status < STATUS.internalError
  session.add(isShared ? skipped(rules.workspacesApart, SHARED) : common)
}

const SHARED =
  'Both workspaces list the same playbook, and none is told that there is none: it may be shared by design.'

/** Another workspace's key gets nothing of an id of this one. Basis: D05, A25. */
async function keptApart(session: Session, shape: Shape): Promise<void> {
  const { operation } = shape
  const { facts, settings } = session
  const change = seenShapes(session, operation).some(({ name }) => name === shape.name)
    ? shape.change(session)
    : fullChange(session, operation)
  // A playbook that both workspaces list may be triggered by both.
  const isTheirs = isTrigger(operation) && isListed(facts.theirPlaybooks, settings.trigger ?? '') !== false
  if (!change || isTheirs) return
  await tryApart(session, shape, change)
}

/** What a header or a parameter may not change: a service may refuse it, or respond as it does without it. Basis: S03, S17. */
export const unrelatedSteps = (settings: ConformanceSettings): Step[] =>
  readsByIdFirst(probedOperations(settings).filter(isSafe)).flatMap((operation) => {
    const [shape] = shapesOf(operation, settings)
    if (!shape) return []
    return Object.entries(UNRELATED).map(([variation, changeOf]) => {
      const run = async (session: Session) => {
        const change = changeOf(session)
        const mayGet = (status: number) => !isSuccess(status) && !isServerError(status)
        if (change) await readAgain(session, shape, change, { relation: 'unrelated', variation, mayGet })
      }
      return step('unrelated', `${titleOf(shape)} ${variation}`, 2, run, {
        ...{ variation, weight: 2 * operationIds.length, maxRequests: 4 },
      })
    })
  })

/** Undefined while the other workspace is not known. */
const UNRELATED: Record<string, (session: Session) => Change | undefined> = {
  'with Accept-Language': () => ({ headers: { 'accept-language': 'de' } }),
  'with headers that name another workspace': ({ facts }) => named(HEADERS, facts.theirWorkspace, 'headers'),
  'with parameters that name another workspace': ({ facts }) => named(PARAMETERS, facts.theirWorkspace, 'query'),
}

const named = (names: readonly string[], id: unknown, where: 'headers' | 'query'): Change | undefined =>
  typeof id === 'string' && /^[\x21-\x7e]+$/.test(id)
    ? { [where]: Object.fromEntries(names.map((name) => [name, id])) }
    : undefined

const KINDS = ['workspace', 'tenant', 'account', 'organization', 'org', 'project', 'team']
const HEADERS = KINDS.flatMap((kind) => [`x-${kind}`, `x-${kind}-id`, `${kind}-id`])
const PARAMETERS = KINDS.flatMap((kind) => [kind, `${kind}_id`, `${kind}Id`])
