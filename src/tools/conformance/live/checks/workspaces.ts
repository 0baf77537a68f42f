import { rules } from '../../../../../generated/contract.js'
import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { hasId, isPaged, isSafe, isSuccess, probedOperations } from '../../judge/contract.js'
import type { JudgedExchange } from '../../judge/judge.js'
import { isListed, itemIds } from '../../judge/lists.js'
import { failedIf, quote, type Result, text, undecided } from '../../judge/result.js'
import { isListEnvelope } from '../../judge/semantics.js'
import { successResults } from '../../judge/status.js'
import { commonItems, compareWorkspaces } from '../../judge/workspaces.js'
import { bearer, type ConformanceSettings, type Depth } from '../../options.js'
import { APART, apartResults, tryApart } from '../cases/apart.js'
import type { Check } from '../check.js'
import { mayExist, pageQuery, titleOf, type Variant, variantsOf } from '../request.js'
import type { Session } from '../session.js'
import { fullRequest, requestOf, seenVariants } from '../variants.js'
import { consistentList, isNumberedFromOne } from './lists.js'
import { consistent } from './reading.js'

type Yields = AsyncGenerator<readonly Result[], void>

const needs = ({ otherWorkspaceKey }: ConformanceSettings): boolean => otherWorkspaceKey !== undefined
const otherKey = ({ settings }: Session): string => bearer(settings.otherWorkspaceKey ?? '')

/** How many pages of a list of the other workspace are read at most. */
const PAGES_OF_OTHER = 25

/** A check with the key of another workspace, for each of these kinds of requests. Basis: S03, D05. */
const withOtherKey = (
  depth: Depth,
  isOne: (variant: Variant) => unknown,
  requests: (variant: Variant) => number,
  run: (session: Session, variant: Variant) => Yields,
  more = 2,
): Check => {
  const chosen = (settings: ConformanceSettings): Variant[] =>
    probedOperations(settings)
      .filter((operation) => mayExist(operation, settings))
      .flatMap((operation) => variantsOf(operation, settings))
      .filter(isOne)
  return {
    name: APART,
    depth,
    needs: (settings) => needs(settings) && chosen(settings).length > 0,
    cost(settings) {
      const sum = (variants: readonly Variant[]) => variants.reduce((all, each) => all + requests(each), 0)
      const all = chosen(settings)
      const most = sum(all) + more * all.length
      return { requests: sum(all), most, triggers: sum(all.filter(({ operation }) => isTrigger(operation))) }
    },
    async *run(session) {
      for (const variant of chosen(session.settings)) yield* run(session, variant)
    },
  }
}

const isPlain = ({ name }: Variant): boolean => name === ''
const isOwn = ({ operation }: Variant): boolean => !hasId(operation)
const isMiddle = (variant: Variant): boolean => !isPlain(variant) && !variant.isFull

/** What each workspace has for itself: before runs as plainly as a client reads it, and while they run with everything. */
export const ownPlain = withOtherKey(
  'quick',
  (each) => isOwn(each) && isPlain(each),
  ({ operation }) => (isPaged(operation) ? 3 : 2),
  readOnce,
  PAGES_OF_OTHER,
)
export const ownFull = withOtherKey(
  'normal',
  (each) => isOwn(each) && each.isFull,
  () => 2,
  readOnce,
)
export const ownOthers = withOtherKey(
  'thorough',
  (each) => isOwn(each) && isMiddle(each),
  () => 2,
  readOnce,
)
/** More than the period of a fault that recurs. */
const TIMES = 8
export const ownInTurns = withOtherKey(
  'thorough',
  isOwn,
  () => 2 * TIMES,
  (session, variant) => readWithBoth(session, variant, TIMES),
)
/** What only simultaneous requests show, at every depth. */
const isPlainRead = (each: Variant) => isPlain(each) && isSafe(each.operation)
export const bothAtOnce = withOtherKey(
  'quick',
  isPlainRead,
  () => 2,
  (session, variant) => readWithBoth(session, variant, 1, true),
)
export const severalOfBoth = withOtherKey(
  'thorough',
  isPlainRead,
  () => TIMES,
  (session, variant) => readWithBoth(session, variant, TIMES / 2, true),
)
/** What belongs to this workspace, with the key of the other one. */
const isOfThis = ({ operation }: Variant): boolean => hasId(operation)
export const keptApartPlain = withOtherKey(
  'quick',
  (each) => isOfThis(each) && isPlain(each),
  () => 1,
  keptApart,
)
/** While runs are running, and again when they have ended. */
export const keptApartFull = withOtherKey(
  'normal',
  (each) => isOfThis(each) && each.isFull,
  () => 1,
  keptApart,
)
export const keptApartOthers = withOtherKey(
  'thorough',
  (each) => isOfThis(each) && isMiddle(each),
  () => 1,
  keptApart,
)

/** The plain list first, then one that only the other key asks for, so that it cannot be one that is kept for this one. */
async function* readOnce(session: Session, variant: Variant): Yields {
  const { operation } = variant
  const own = session.known.seen.get(titleOf(variant))
  yield* readWithBoth(session, variant, 1)
  if (!own || !isPlain(variant) || !isPaged(operation) || !isNumberedFromOne(session, operation)) return
  const first = await session.send({ operation, query: pageQuery(1, UNUSUAL), authorization: otherKey(session) })
  if (!isListEnvelope(first.body) || first.body.meta.page !== 1) return
  const { data, meta } = first.body
  if (meta.per_page === UNUSUAL) yield await compare(session, own, first)
  // Only a whole list shows what the other workspace does not have.
  const all = [...data]
  for (let page = 2; all.length < meta.total && page <= PAGES_OF_OTHER; page++) {
    const query = pageQuery(page, UNUSUAL)
    const { body } = await session.send({ operation, query, authorization: otherKey(session) })
    if (!isListEnvelope(body) || body.data.length === 0) break
    all.push(...body.data)
  }
  session.known.theirs.set(operation, { body: { data: all, meta }, text: JSON.stringify(all) })
}

const UNUSUAL = 37

/** Reads with this key and at once with the other one, in turns or all together: each gets what is its own. */
async function* readWithBoth(session: Session, variant: Variant, times: number, isTogether = false): Yields {
  const { operation } = variant
  const own = requestOf(variant, session)
  const seen = session.known.seen.get(titleOf(variant))
  if (!own || !(seen || hasId(operation))) return
  const theirs = { ...own, authorization: otherKey(session) }
  const turns = Array.from({ length: times }, () => [own, theirs]).flat()
  const together = isTogether ? await session.sendTogether(turns) : []
  for (const [index, turn] of turns.entries()) {
    const exchange = together[index] ?? (await session.send(turn))
    if (exchange.isOutage) return
    if (isTogether) yield strangeItems(session, exchange)
    if (turn === own) {
      if (exchange.isValid) yield* consistent(session, exchange, isTogether)
    } else if (hasId(operation))
      yield await apartResults(session, exchange, { title: titleOf(variant), name: variant.name, request: turn })
    else if (exchange.status !== STATUS.forbidden) {
      const { status } = exchange
      // The other workspace may not have a second page.
      if (!own.query || isSuccess(status) || status === STATUS.unauthorized || status >= 500)
        yield successResults(exchange, `${titleOf(variant)} with the key of another workspace`)
      if (seen && exchange.isValid) yield await compare(session, seen, exchange, isTogether)
    }
  }
}

/** An item that only the list of the other key had before. */
function strangeItems(session: Session, exchange: JudgedExchange): Result[] {
  const { operation, request, body } = exchange
  const idsOf = (key: string) => new Set(itemIds(session.known.lists.get(operation + key)?.body))
  const keys = [bearer(session.settings.apiKey), otherKey(session)]
  const isTheirs = request.headers.get('authorization') === otherKey(session)
  const [known, others] = (isTheirs ? keys.reverse() : keys).map(idsOf)
  const strange = itemIds(body).find((id) => others?.has(id) && !known?.has(id))
  const expectation = `simultaneous requests of ${operation} with the keys of two workspaces: expected their own items`
  const message = text`${expectation}, got ${quote(strange)} of the other one`
  return failedIf(strange !== undefined, rules.workspacesApart, message, { exchange })
}

async function compare(
  session: Session,
  own: JudgedExchange,
  other: JudgedExchange,
  isTogether = false,
): Promise<Result[]> {
  const { known } = session
  if (!known.theirs.has(own.operation)) known.theirs.set(own.operation, other)
  if (!isPaged(own.operation)) return compareWorkspaces(own.body, other, false, isTogether)
  return consistentList(session, other)
}

/** What lists of both workspaces had at any time is a fault, unless both may use it. After all checks that read lists. */
export const listedByBoth: Check = {
  name: APART,
  needs,
  cost: () => ({ requests: 0, most: 2 }),
  async *run(session) {
    const { known, settings } = session
    const { apiKey, readOnlyKey, otherWorkspaceKey = '', trigger } = settings
    if (trigger) yield undecided(rules.workspacesApart, NO_RUN_OF_THEIRS)
    const itemsOf = (key: string | undefined) => [...(known.items.get(bearer(key ?? '')) ?? [])]
    const theirs = new Map(itemsOf(otherWorkspaceKey))
    const common = commonItems(new Map([...itemsOf(readOnlyKey), ...itemsOf(apiKey)]), theirs)
    const isListedThere = [...theirs.values()].some(({ id }) => id === trigger)
    const [operation] = probedOperations(settings).filter(isTrigger)
    if (!common.some(({ outcome }) => outcome === 'failed') || !isListedThere || !operation) return void (yield common)
    const { status } = await session.send({ operation, id: trigger, authorization: otherKey(session) })
    const isShared = status !== STATUS.notFound && status !== STATUS.unauthorized && status < STATUS.internalError
    yield isShared ? undecided(rules.workspacesApart, SHARED) : common
  },
}

/** A playbook of theirs may pay, mail or delete, and nobody named one that may be started. */
const NO_RUN_OF_THEIRS =
  'triggerRun: the key of the other workspace started no run, so where its runs are kept was not tried. Exchange the two keys and check again to try it.'
const SHARED =
  'triggerRun: both workspaces list the same playbook, and none gets 404 for it, so it may be shared by design.'

/** Another workspace's key gets nothing of an id of this one. Basis: D05, A25. */
async function* keptApart(session: Session, variant: Variant): Yields {
  const { operation, name } = variant
  const { known, settings } = session
  const isSeen = seenVariants(operation, session).some((each) => each.name === name)
  const request = isSeen ? requestOf(variant, session) : fullRequest(operation, session)
  // A playbook that both workspaces list may be triggered by both.
  const isTheirs =
    isTrigger(operation) && isListed(known.theirs.get('listPlaybooks')?.body, settings.trigger ?? '') !== false
  if (!request || request.id === undefined || isTheirs) return
  yield await tryApart(session, { title: titleOf(variant), name, request })
}
