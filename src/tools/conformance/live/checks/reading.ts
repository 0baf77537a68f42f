import { type OperationId, protocol, rules } from '../../../../../generated/contract.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { notFound } from '../../errors.js'
import {
  hasId,
  isPaged,
  isSafe,
  isSuccess,
  probedOperations,
  READ_RUN,
  readingOperations,
} from '../../judge/contract.js'
import type { JudgedExchange } from '../../judge/judge.js'
import { firstPageResults } from '../../judge/lists.js'
import { failed, type Result, skipped } from '../../judge/result.js'
import { isFollowable, RunHistory } from '../../judge/runs.js'
import { successResults } from '../../judge/status.js'
import { compareWorkspaces } from '../../judge/workspaces.js'
import type { ConformanceSettings, Depth } from '../../options.js'
import type { Check } from '../check.js'
import { type Change, mayExist, PINNED, titleOf, type Variant, variantsOf } from '../request.js'
import type { Session } from '../session.js'
import { requestOf } from '../variants.js'
import { missingResults, noteRun } from './follow.js'
import { consistentList } from './lists.js'
import { readAsStrangers, strangersCost } from './strangers.js'

/** The plain reading requests, which come first: when none of them gets through, nothing else would. */
export const plainReading: Check = {
  name: 'reading',
  needs: (settings) => readingOperations(settings).length > 0,
  cost: (settings) => ({ requests: readingOperations(settings).length, most: 3 * readingOperations(settings).length }),
  async *run(session) {
    for (const operation of readingOperations(session.settings))
      yield* read(session, variantsOf(operation, session.settings)[0])
  },
}

/** The run that the caller named. */
export const namedRun: Check = {
  name: 'reading',
  needs: ({ run }) => run !== undefined,
  cost(settings) {
    const { requests, most } = strangersCost(settings, 1)
    return { requests: 1 + requests, most: 1 + most }
  },
  async *run(session) {
    const { run = '' } = session.settings
    const exchange = await session.send({ operation: READ_RUN, id: run })
    if (exchange.status === STATUS.notFound) throw notFound('run', 'run')
    if (exchange.isOutage)
      return void (yield skipped(rules.readsRun, 'The service was out of order when the run was read.'))
    yield successResults(exchange, READ_RUN)
    if (!exchange.isValid) return
    session.known.addId('runs', run)
    yield noteRun(session, [new RunHistory(run)], exchange)
    if (isFollowable(exchange.body)) yield* readAsStrangers(session, run, exchange.body)
  },
}

/** Reading requests that are sent again: what worked must still work. */
const reading = (
  depth: Depth,
  operationsOf: (settings: ConformanceSettings) => OperationId[],
  kind: 'plain' | 'full' | 'each',
): Check => {
  const chosen = (settings: ConformanceSettings) => operationsOf(settings).filter((each) => mayExist(each, settings))
  return {
    name: 'reading',
    depth,
    needs: (settings) => chosen(settings).length > 0,
    cost(settings) {
      const each = chosen(settings).map((operation) => (kind === 'each' ? variantsOf(operation, settings).length : 1))
      const requests = each.reduce((sum, count) => sum + count, 0)
      return { requests, most: 4 * requests }
    },
    async *run(session) {
      for (const operation of chosen(session.settings)) {
        const variants = variantsOf(operation, session.settings)
        if (kind === 'full') yield* readFull(session, operation)
        else for (const variant of kind === 'plain' ? variants.slice(0, 1) : variants) yield* read(session, variant)
      }
    },
  }
}

const readsOf = (settings: ConformanceSettings) => probedOperations(settings).filter(isSafe)

/** Before any run is started: the requests with most in them. */
export const fullReading = reading('quick', readingOperations, 'full')
/** While runs are running. */
export const fullReadingAgain = reading('normal', readsOf, 'full')
export const eachReadingAgain = reading('thorough', readsOf, 'each')
/** After all runs have ended. */
export const plainReadingLater = reading('normal', readsOf, 'plain')
export const runReadingLater = reading('normal', (settings) => readsOf(settings).filter(hasId), 'full')
export const eachReadingLater = reading('thorough', readsOf, 'each')

/** The request with most in it; when that is refused, each part, which may be refused as well, but not only together. */
async function* readFull(session: Session, operation: OperationId): AsyncGenerator<readonly Result[], void> {
  const { known } = session
  const variants = variantsOf(operation, session.settings)
  const full = variants.at(-1) ?? variants[0]
  const title = titleOf(full)
  yield* read(session, full)
  if (known.seen.has(title)) return
  const parts = variants.slice(1, -1)
  for (const variant of parts) yield* read(session, variant)
  const request = requestOf(full, session)
  if (!request || parts.length === 0 || !parts.every((variant) => known.seen.has(titleOf(variant)))) return
  const exchange = await session.send(request)
  if (exchange.isOutage || exchange.failure || isSuccess(exchange.status)) return
  const message = `${title}: expected what it gets with either of them, got ${exchange.status}`
  yield [failed(rules.pinning, message, { exchange, keyword: 'status' })]
}

async function* read(session: Session, variant: Variant): AsyncGenerator<readonly Result[], void> {
  const { known } = session
  const request = requestOf(variant, session)
  if (!request) return
  const title = titleOf(variant)
  const exchange = await session.send(request)
  const { status } = exchange
  const isPinned = variant.name.endsWith(PINNED)
  const wasSeen = known.seen.has(title)
  if (exchange.isOutage) return
  if (isPinned && !isSuccess(status) && !wasSeen)
    return void (yield (await missingResults(session, exchange)) ?? refusedPin(session, variant, exchange))
  // Neither a page nor an unknown parameter needs to be accepted; a service only must not fail.
  if (request.query && !isSuccess(status) && !wasSeen && (status < 500 || exchange.failure)) return
  yield (await missingResults(session, exchange)) ?? successResults(exchange, title)
  if (!exchange.isValid) return
  known.seen.set(title, exchange)
  if (!isPinned && !request.query) yield firstPageResults(exchange)
  if (isPinned) known.pin = session.settings.serviceVersion
  yield* consistent(session, exchange)
}

/** Sends a request that was seen to succeed with something that changes nothing of its contents. Basis: S03, S17. */
export async function* readAgain(
  session: Session,
  variant: Variant,
  more: Change,
  { relation, variation, mayGet }: { relation: string; variation: string; mayGet(status: number): boolean },
): AsyncGenerator<readonly Result[], void> {
  const { operation } = variant
  const own = requestOf(variant, session)
  const isSeen = session.known.seen.has(titleOf(variant))
  if (!own || !(isSeen || hasId(operation))) return
  const what = `${titleOf(variant)} ${variation}`
  const exchange = await session.send({ ...own, ...more })
  const { status } = exchange
  if (exchange.isOutage || mayGet(status)) return
  const missing = await missingResults(session, exchange)
  if (missing) return void (yield missing)
  if (status === STATUS.unauthorized && more.authorization !== undefined) {
    const message = `${what}: got 401, although the key is valid`
    return void (yield [failed(rules.invalidKey, message, { exchange, relation, variation })])
  }
  if (isSeen) yield successResults(exchange, what)
  if (exchange.isValid) yield* consistent(session, exchange)
}

/** What one key reads is the same each time, whatever the kind of request. */
export async function* consistent(
  session: Session,
  exchange: JudgedExchange,
  isTogether = false,
): AsyncGenerator<readonly Result[], void> {
  const { known } = session
  const { operation } = exchange
  const before = known.seen.get(operation)
  if (isPaged(operation)) yield await consistentList(session, exchange)
  else if (operation === READ_RUN) yield noteRun(session, known.followed, exchange, false)
  else if (before && before !== exchange) yield compareWorkspaces(before.body, exchange, true, isTogether)
}

/** A request that works without a pin must work with a known release. Basis: S40, A55. */
function refusedPin({ settings, known }: Session, variant: Variant, exchange: JudgedExchange): readonly Result[] {
  const { operation, status, failure } = exchange
  const plain = variant.name.replace(/(, )?pinned to a release$/, '')
  if (failure || !known.seen.has(titleOf({ operation, name: plain }))) return []
  const version = exchange.request.headers.get(protocol.versionHeader)
  if (settings.serviceVersion === undefined) {
    const fact = `pinned to ${version}, which may be no release, got ${status}`
    const message = `${operation} ${fact}`
    return [failed(rules.anyRelease, message, { exchange, keyword: 'status', fact: `a request ${fact}` })]
  }
  const what = `${operation} pinned to ${version}: expected what a request without a pin gets`
  return [failed(rules.pinning, `${what}, got ${status}`, { exchange })]
}
