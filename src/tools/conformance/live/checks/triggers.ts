import { rules } from '../../../../../generated/contract.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { notFound } from '../../errors.js'
import { isChosen, isServerError, OTHER_STATUS, READ_RUN, TRIGGER } from '../../judge/contract.js'
import type { JudgedExchange } from '../../judge/judge.js'
import { isListed, listedResults } from '../../judge/lists.js'
import { failed, failedIf, quote, type Result, skipped, text } from '../../judge/result.js'
import { statusResults, successResults } from '../../judge/status.js'
import { newRunResults, outcomeOf, refusalOf, triggeredResults, triggeredRunId } from '../../judge/triggers.js'
import { bearer } from '../../options.js'
import type { Check } from '../check.js'
import { LeftOutError } from '../ended.js'
import { bodyWith, PINNED, startOf, type TestRequest, titleOf, variantsOf } from '../request.js'
import type { Session } from '../session.js'
import { seenVariants } from '../variants.js'
import { isTriggered, pollDue, startResults } from './follow.js'
import { consistentList } from './lists.js'
import { strangersCost } from './strangers.js'

/** Triggers each given playbook, the first one twice, so that runs cannot be mixed up. */
export const triggers: Check = {
  name: 'runs',
  needs: isTriggered,
  cost(settings) {
    const runs = settings.triggers.length + 1
    // Each run is read once.
    const reads = isChosen(settings, READ_RUN) ? runs : 0
    const strangers = strangersCost(settings, runs)
    const most = 2 * runs + reads + 7 + strangers.most
    return { requests: runs + reads + 1 + strangers.requests, most, triggers: runs, runs }
  },
  async *run(session) {
    const { known, settings } = session
    const [main = '', ...others] = settings.triggers
    const pinned = await start(session, startOf(main))
    yield startResults(session, main, pinned)
    const first = await unpinnedInstead(session, main, pinned)
    if (first !== pinned) yield unpinnedResults(session, main, pinned, first)
    known.triggerStatus = first.status
    known.hasStarted = outcomeOf(first) === 'started'
    const list = known.seen.get('listPlaybooks')?.body
    if (first.status === STATUS.notFound && isListed(list, main) !== true) throw notFound('playbook', 'trigger')
    yield triggerResponseResults(first, main)
    if (!known.hasStarted) return
    known.seen.set(TRIGGER, first)
    yield [...listedResults(first, list, main), ...listedOnPages(session, first, main)]
    try {
      yield* triggerFull(session, main)
      for (const playbook of others) {
        const exchange = await start(session, startOf(playbook))
        yield [...startResults(session, playbook, exchange), ...triggerResponseResults(exchange, playbook)]
        if (outcomeOf(exchange) === 'started') yield listedOnPages(session, exchange, playbook)
      }
    } catch (error) {
      if (!(error instanceof LeftOutError)) throw error
    }
    yield* pollDue(session)
    if (isChosen(settings, 'listPlaybooks'))
      yield await consistentList(session, await session.send({ operation: 'listPlaybooks' }))
  },
}

/** A playbook that can be triggered is on one of the pages, when all of them were read. Basis: S17. */
function listedOnPages({ known, settings }: Session, exchange: JudgedExchange, playbook: string): Result[] {
  const { total } = Object(Object(known.seen.get('listPlaybooks')?.body).meta) as { total?: unknown }
  const all = [...(known.items.get(bearer(settings.apiKey))?.values() ?? [])]
  const ids = all.filter((each) => each.exchange.operation === 'listPlaybooks').map(({ id }) => id)
  const isMissing = typeof total === 'number' && total > 0 && ids.length >= total && !ids.includes(playbook)
  const message = text`the pages of the list of playbooks: expected ${quote(playbook)}, which can be triggered, on one of them`
  return failedIf(isMissing, rules.listsPlaybooks, message, { exchange, keyword: 'listed' })
}

/** Many triggers, one after the other and at once: each starts another run, which can be read. */
export const manyTriggers: Check = {
  name: 'runs',
  depth: 'thorough',
  needs: isTriggered,
  cost: () => ({ requests: 2 * MANY, most: 3 * MANY, triggers: 2 * MANY, runs: 2 * MANY }),
  async *run(session) {
    const { known, settings } = session
    const [playbook = ''] = settings.triggers
    if (!known.hasStarted) return
    const body = bodyWith(settings.inputs)
    const all: JudgedExchange[] = []
    const variants = seenVariants(TRIGGER, session)
    for (let count = 0; count < MANY; count++) {
      const inputs = INPUTS[count % INPUTS.length]
      const change = variants[count % variants.length]?.change
      all.push(await session.send({ ...startOf(playbook), ...change, ...(inputs && { body: bodyWith(inputs) }) }))
    }
    all.push(...(await session.sendTogether(Array<TestRequest>(MANY).fill(startOf(playbook)))))
    const started = new Map<string, string>()
    // From here on the quota may be used up.
    const refused = all.find(({ status }) => startsNothing(status))
    if (refused) Object.assign(known, { triggerStatus: refused.status, hasStarted: false })
    // A trigger is not sent again, so a connection that breaks once shows nothing.
    const isOneBroken = all.filter(({ failure }) => failure).length === 1
    for (const exchange of all) {
      const { status, request } = exchange
      // The inputs that were given have been accepted before.
      const isRefusal = refusalOf(status) && !(status === STATUS.badRequest && request.body === body)
      if (exchange.isOutage || isRefusal || (exchange.failure && isOneBroken)) continue
      yield successResults(exchange, `${TRIGGER}, one of many,`)
      const id = triggeredRunId(exchange)
      if (id === undefined) continue
      yield newRunResults(exchange, id, started, playbook)
      started.set(id, playbook)
    }
  },
}

const MANY = 8
/** Besides those that were given; a playbook may refuse them. */
const INPUTS = [undefined, {}, { order: '1', reason: 'check' }]

/** The same trigger without the pin, when the one with it is refused: a refused release hides nothing else. Basis: S40. */
async function unpinnedInstead(session: Session, playbook: string, pinned: JudgedExchange): Promise<JudgedExchange> {
  const { known } = session
  const { status, failure } = pinned
  const isFinal = failure || pinned.isOutage || outcomeOf(pinned) === 'started' || startsNothing(status)
  if (known.pin === undefined || isFinal) return pinned
  known.unpinned.add(TRIGGER)
  return start(session, startOf(playbook))
}

function unpinnedResults(
  session: Session,
  playbook: string,
  pinned: JudgedExchange,
  exchange: JudgedExchange,
): Result[] {
  const message = `${TRIGGER} pinned to ${session.known.pin}: expected what it gets without a pin, got ${pinned.status}`
  const isFault = outcomeOf(exchange) === 'started'
  return [
    ...startResults(session, playbook, exchange),
    ...failedIf(isFault, rules.pinning, message, { exchange: pinned, keyword: 'status' }),
  ]
}

/** A trigger with a pin and a query, and a plain one if that is refused. Basis: S40, A34. */
async function* triggerFull(session: Session, playbook: string): AsyncGenerator<readonly Result[], void> {
  const { known, settings } = session
  // The one with most in it, and when that is refused the pin alone.
  const variants = variantsOf(TRIGGER, settings)
  const inOrder = [variants.at(-1), ...variants.slice(1, -1), variants[0]].filter((each) => each !== undefined)
  for (const variant of inOrder) {
    const { change } = variant
    const exchange = await start(session, { ...startOf(playbook), ...change })
    yield startResults(session, playbook, exchange)
    const { status } = exchange
    const title = titleOf(variant)
    if (outcomeOf(exchange) === 'started') return void known.seen.set(title, exchange)
    const message = `The second trigger got ${status}, so two runs could not be distinguished.`
    if (exchange.isOutage || startsNothing(status)) return void (yield skipped(rules.newRun, message))
    // What nothing is said of may be refused, and a release that may not exist.
    const isPinned = variant.name.endsWith(PINNED)
    const isAccepted = [...known.seen.keys()].some((seen) => seen.endsWith(PINNED))
    const isKnown = change.query === undefined && (settings.serviceVersion !== undefined || isAccepted)
    const isFault = status === STATUS.notFound || status === OTHER_STATUS.methodNotAllowed || isServerError(status)
    const expected = `${title}: expected what ${TRIGGER} gets, got ${status}`
    const basis = isPinned ? rules.pinning : rules.triggers
    if (isPinned ? isKnown || (isFault && isAccepted) : isFault)
      return void (yield [failed(basis, expected, { exchange, keyword: 'status' })])
  }
}

/** Whether a trigger is refused although it is right: by the quota, the permission or a gateway. */
const startsNothing = (status: number): boolean => status !== STATUS.badRequest && refusalOf(status) !== undefined

/** A connection that breaks once shows nothing, neither of the trigger nor whether a run was started. */
async function start(session: Session, request: TestRequest): Promise<JudgedExchange> {
  const exchange = await session.send(request)
  return exchange.failure ? session.send(request) : exchange
}

/** What the response to a trigger shows: a refusal may have good reasons. */
function triggerResponseResults(exchange: JudgedExchange, playbook: string): readonly Result[] {
  const { status } = exchange
  const reason = refusalOf(status)
  if (exchange.isOutage || reason) {
    const ids = [rules.triggers, rules.triggerStatus, rules.triggerBody, rules.runIdProperty, rules.newRun]
    const why = skipped(ids, `The trigger got ${status}: ${reason ?? 'the service was out of order.'}`)
    const quota = `A trigger was refused with ${status}. Whether the run quota is used up is not known.`
    if (status !== STATUS.badRequest && status !== OTHER_STATUS.unprocessable)
      return [...why, ...skipped(rules.quotaUsedUp, quota)]
    const what = 'a trigger with inputs that the playbook does not take'
    return [...why, ...statusResults(exchange, { status: STATUS.badRequest, basis: rules.inputValidation, what })]
  }
  const what = text`${TRIGGER} of ${quote(playbook)}`
  return [...successResults(exchange, what), ...triggeredResults(exchange, playbook)]
}
