import { rules } from '../../../../../generated/conformance/nodes.js'
import { type OperationId, protocol } from '../../../../../generated/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { notFound } from '../../errors.js'
import { hasId, isPaged, isSafe, isSuccess, probedOperations, readingOperations } from '../../judge/contract.js'
import type { Checked } from '../../judge/judge.js'
import { firstPageResults } from '../../judge/lists.js'
import { failed, type Result, skipped } from '../../judge/result.js'
import { isFollowable, RunHistory } from '../../judge/runs.js'
import { successResults } from '../../judge/status.js'
import { compareWorkspaces } from '../../judge/workspaces.js'
import type { ConformanceSettings } from '../../options.js'
import { type Change, pathOf } from '../request.js'
import { send } from '../send.js'
import { PINNED, type Shape, shapesOf, titleOf } from '../shapes.js'
import { type Session, type Step, step } from '../step.js'
import { mayBeMissing, noteRun } from './follow.js'
import { consistentList } from './lists.js'
import { readAsStrangers } from './strangers.js'

/** The plain reading requests, which come first: when none of them gets through, nothing else would. */
export const plainSteps = (settings: ConformanceSettings): Step[] =>
  readingOperations(settings).map((operation) =>
    readStep(operation, 0, (session) => read(session, { operation, name: '', change: () => ({}) })),
  )

/** The reading requests with most in them, and the run that the caller named. */
export const variedSteps = (settings: ConformanceSettings): Step[] => [
  ...(settings.run === undefined
    ? []
    : [step('reading', 'the run that was named', 0, (session) => readRun(session, settings.run ?? ''))]),
  ...readingOperations(settings).map((operation) => readFullStep(operation, 1)),
]

/** The run that is running, and later everything once more: what worked must still work. */
export const rereadSteps = (settings: ConformanceSettings): Step[] => reread(settings, false)
export const rereadWhileRunning = (settings: ConformanceSettings): Step[] => reread(settings, true)

function reread(settings: ConformanceSettings, isWhileRunning: boolean): Step[] {
  const phase = isWhileRunning ? ('while running' as const) : undefined
  return probedOperations(settings)
    .filter(isSafe)
    .flatMap((operation) => [
      readFullStep(operation, isWhileRunning || hasId(operation) ? 2 : 3, phase),
      ...shapesOf(operation, settings).map((shape, index) =>
        readStep(titleOf(shape), index === 0 && !isWhileRunning ? 2 : 4, (session) => read(session, shape), phase),
      ),
    ])
}

const readFullStep = (operation: OperationId, priority: number, phase?: Step['phase']): Step =>
  readStep(`${operation} with everything`, priority, (session) => readFull(session, operation), phase)

const readStep = (subject: string, priority: number, run: Step['run'], phase?: Step['phase']): Step =>
  step('reading', subject, priority, run, { maxRequests: 4, phase })

/** The request with most in it; when that is refused, each part, which may be refused as well, but not only together. */
async function readFull(session: Session, operation: OperationId): Promise<void> {
  const { facts } = session
  const shapes = shapesOf(operation, session.settings)
  const full = shapes.at(-1)
  if (!full) return
  await read(session, full)
  if (facts.seen.has(titleOf(full))) return
  const parts = shapes.slice(1, -1)
  for (const shape of parts) await read(session, shape)
  if (parts.length === 0 || !parts.every((shape) => facts.seen.has(titleOf(shape)))) return
  const change = full.change(session)
  const exchange = change && (await send(session, operation, { ...change, relation: titleOf(full) }))
  if (!exchange || exchange.isOutage || exchange.failure || isSuccess(exchange.status)) return
  const message = `${titleOf(full)}: expected what it gets with either of them, got ${exchange.status}`
  session.add(failed(rules.pinning, message, { exchange, keyword: 'status' }))
}

async function read(session: Session, shape: Shape): Promise<void> {
  const { facts } = session
  const change = shape.change(session)
  if (!change) return
  const title = titleOf(shape)
  const exchange = await send(session, shape.operation, { ...change, relation: title })
  const { status } = exchange
  const isPinned = shape.name.endsWith(PINNED)
  const wasSeen = facts.seen.has(title)
  if (exchange.isOutage) return
  if (isPinned && !isSuccess(status) && !wasSeen) return session.add(refusedPin(session, shape, exchange))
  // Neither a page nor an unknown parameter needs to be accepted; a service only must not fail.
  if (change.query && !isSuccess(status) && !wasSeen && (status < 500 || exchange.failure)) return
  if (!(await mayBeMissing(session, exchange))) session.add(successResults(exchange, title))
  if (!exchange.isValid) return
  facts.seen.set(title, exchange)
  if (!isPinned && !change.query) session.add(firstPageResults(exchange))
  if (isPinned) facts.pin = session.settings.serviceVersion
  await consistent(session, exchange)
}

/** Sends a request that was seen to succeed with something that changes nothing of its contents. Basis: S03, S17. */
export async function readAgain(
  session: Session,
  shape: Shape,
  more: Change,
  { relation, variation, mayGet }: { relation: string; variation: string; mayGet(status: number): boolean },
): Promise<void> {
  const { operation } = shape
  const own = shape.change(session)
  const isSeen = session.facts.seen.has(titleOf(shape))
  if (!own || !(isSeen || hasId(operation))) return
  const what = `${titleOf(shape)} ${variation}`
  const exchange = await send(session, operation, { ...own, ...more, relation: `${relation} ${variation}` })
  const { status } = exchange
  if (exchange.isOutage || mayGet(status) || (await mayBeMissing(session, exchange))) return
  if (status === STATUS.unauthorized && more.authorization !== undefined) {
    const message = `${what}: got 401, although the key is valid`
    return session.add(failed(rules.invalidKey, message, { exchange, relation, variation }))
  }
  if (isSeen) session.add(successResults(exchange, what))
  if (exchange.isValid) await consistent(session, exchange)
}

/** What one key reads is the same each time, whatever the kind of request. */
export async function consistent(session: Session, exchange: Checked): Promise<void> {
  const { facts } = session
  const { operation } = exchange
  if (isPaged(operation)) return consistentList(session, exchange)
  if (operation === 'getRun') return noteRun(session, facts.followed, exchange, false)
  const before = facts.seen.get(operation)
  if (before && before !== exchange) session.add(compareWorkspaces(before.body, exchange, true))
}

/** A request that works without a pin must work with a known release. Basis: S40, A55. */
function refusedPin({ settings, facts }: Session, shape: Shape, exchange: Checked): readonly Result[] {
  const { operation, status, failure } = exchange
  const plain = shape.name.replace(/(, )?pinned to a release$/, '')
  if (failure || !facts.seen.has(titleOf({ operation, name: plain }))) return []
  const version = exchange.request.headers.get(protocol.versionHeader)
  if (settings.serviceVersion === undefined) {
    const fact = `pinned to ${version}, which may be no release, got ${status}`
    return [
      failed(rules.anyRelease, `${operation} ${fact}`, { exchange, keyword: 'status', fact: `a request ${fact}` }),
    ]
  }
  const what = `${operation} pinned to ${version}: expected what a request without a pin gets`
  return [failed(rules.pinning, `${what}, got ${status}`, { exchange })]
}

/** The run that the caller named. */
async function readRun(session: Session, run: string): Promise<void> {
  const operation: OperationId = 'getRun'
  const exchange = await send(session, operation, { path: pathOf(operation, run) })
  if (exchange.status === STATUS.notFound) throw notFound('run', 'run')
  if (exchange.isOutage)
    return session.add(skipped(rules.readsRun, 'The service was out of order when the run was read.'))
  session.add(successResults(exchange, operation))
  if (!exchange.isValid) return
  session.facts.addId('runs', run)
  noteRun(session, [new RunHistory(run)], exchange)
  if (isFollowable(exchange.body)) await readAsStrangers(session, run, exchange.body)
}
