import { rules } from '../../../generated/conformance.js'
import { protocol } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { hasId, isSafe, isSuccess, probedOperations, readingOperations } from '../contract.js'
import type { Checked } from '../judge/exchange.js'
import { firstPageResults } from '../judge/lists.js'
import { failed, type Result, skipped } from '../judge/result.js'
import { isFollowable, RunHistory } from '../judge/runs.js'
import { successResults } from '../judge/status.js'
import { compareWorkspaces } from '../judge/workspaces.js'
import { type ConformanceSettings, notFound } from '../options.js'
import { pathOf, type Results, type Session, type Step, send } from '../session.js'
import { keyOf, PINNED, pageName, type Shape, shapesOf, titleOf } from './shapes.js'

/** Every kind of reading request must succeed: the plain ones, those with a pin or a query, and those of an existing id. */
export function readingSteps(settings: ConformanceSettings, which: 'plain' | 'varied' | 'existing'): Step[] {
  if (which === 'plain')
    return readingOperations.map((operation) => stepOf({ operation, name: '', isSuccess: true, change: () => ({}) }, 0))
  const run: Step[] =
    settings.run === undefined || which === 'existing'
      ? []
      : [{ relation: 'reading', tier: 0, requests: 1, run: (session) => readRun(session, settings.run ?? '') }]
  const shapes = shapesOf(settings, probedOperations(settings).filter(isSafe)).filter(
    ({ name, operation, isSuccess: is }) =>
      hasId(operation) === (which === 'existing') &&
      is &&
      name !== '' &&
      !name.startsWith(pageName(1)) &&
      name !== pageName(2),
  )
  return [...run, ...shapes.map((shape) => stepOf(shape, shape.name === PINNED ? 1 : 2))]
}

const stepOf = (shape: Shape, tier: number): Step => ({
  relation: 'reading',
  tier,
  requests: 1,
  run: (session) => read(session, shape),
})

async function* read(session: Session, shape: Shape): Results {
  const { facts } = session
  const change = shape.change(session)
  if (!change) return
  const exchange = await send(session, shape.operation, change)
  const isPinned = change.headers !== undefined
  if (exchange.isOutage) return
  if (isPinned && !isSuccess(exchange.status)) return void (yield refusedPin(session, shape, exchange))
  // A page that the service does not have shows nothing here; the lists do.
  if (change.query && !isSuccess(exchange.status)) return
  yield successResults(exchange, titleOf(shape))
  if (!exchange.isValid) return
  facts.seen.set(keyOf(shape), exchange)
  if (!isPinned && !change.query) yield firstPageResults(exchange)
  if (isPinned) facts.pin = session.settings.serviceVersion
  const before = facts.seen.get(keyOf({ ...shape, name: '' }))
  if (isPinned && before && shape.operation === 'getCurrentWorkspace')
    yield compareWorkspaces(before.body, exchange, true)
}

/** A request that works without a pin must work with a known release. Basis: S40, A26. */
function refusedPin({ settings, facts }: Session, shape: Shape, exchange: Checked): readonly Result[] {
  const { operation, status, failure } = exchange
  const plain = shape.name.replace(/(, )?pinned to a release$/, '')
  if (failure || !(facts.seen.has(keyOf({ ...shape, name: plain })) || hasId(operation))) return []
  const version = exchange.request.headers.get(protocol.versionHeader)
  if (settings.serviceVersion === undefined) {
    const fact = `pinned to ${version}, which may be no release, got ${status}`
    return [
      failed(rules.anyRelease, `${operation} ${fact}`, { exchange, keyword: 'status', fact: `a request ${fact}` }),
    ]
  }
  const what = `${operation} pinned to ${version} must get what a request without a pin gets`
  return [failed(rules.pinning, `${what}, and got ${status}`, { exchange })]
}

/** The run that the caller named. */
async function* readRun(session: Session, run: string): Results {
  const exchange = await send(session, 'getRun', { path: pathOf('getRun', run) })
  if (exchange.status === STATUS.notFound) throw notFound('run', 'run')
  if (exchange.isOutage)
    return void (yield skipped(rules.readsRun, 'The service was out of order when the run was read.'))
  yield successResults(exchange, 'getRun')
  if (!exchange.isValid) return
  session.facts.addId('runs', run)
  yield* noteRun(session, new RunHistory(run), exchange)
}

/** What a poll shows of a run, and the capabilities in it. */
export function* noteRun({ facts }: Session, history: RunHistory, exchange: Checked): Generator<Result[]> {
  const { body } = exchange
  if (!isFollowable(body)) return
  for (const { capability } of body.steps) if (typeof capability === 'string') facts.capabilities.add(capability)
  facts.bodies.getRun = body
  yield history.poll(body, exchange)
}
