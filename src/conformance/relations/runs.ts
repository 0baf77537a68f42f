import { rules } from '../../../generated/conformance/nodes.js'
import type { OperationId } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { isTrigger } from '../../internal/trigger.js'
import { collectionOf, isChosen, isServerError, isSuccess, OTHER_STATUS, operationIds } from '../contract.js'
import type { Checked } from '../judge/exchange.js'
import { isListed, listedResults } from '../judge/lists.js'
import { bare, failed, passed, quote, type Result, seconds, skipped, text } from '../judge/result.js'
import {
  FIRST_PAUSE,
  FollowedRun,
  idFormResults,
  isFollowable,
  isTerminal,
  KEPT,
  newRunResults,
  type RunHistory,
  refusalOf,
  SETTLED,
  startedNow,
  triggeredResults,
  triggeredRunId,
} from '../judge/runs.js'
import { decoded } from '../judge/semantics.js'
import { statusResults, successResults } from '../judge/status.js'
import { type ConformanceSettings, notFound } from '../options.js'
import { send, sendTogether } from '../requests/send.js'
import { PINNED, seenShapes, shapesOf, titleOf } from '../requests/shapes.js'
import { type Change, pathOf, requestBody, startOf } from '../requests/valid-request.js'
import type { Session, Step } from '../step.js'
import { LeftOutError } from '../transport.js'
import { consistentList } from './lists.js'
import { readAsStrangers } from './strangers.js'

const TRIGGER = operationIds.find(isTrigger) as OperationId
const READ = 'getRun'

/** Triggers each given playbook, the first one twice, so that runs cannot be mixed up. */
export const triggerSteps = ({ triggers, operations }: ConformanceSettings): Step[] =>
  triggers.length === 0 || !isChosen({ operations }, TRIGGER)
    ? []
    : [
        {
          relation: 'runs',
          subject: 'triggers',
          priority: 0,
          requests: 2 * triggers.length + 3,
          polls: triggers.length + 1,
          maxRequests: 2 * triggers.length + 9,
          triggers: triggers.length + 1,
          runs: triggers.length + 1,
          run: triggerAll,
        },
      ]

/** Follows the runs to their ends, and triggers one more then, which must change none of them. */
export const followSteps = ({ triggers, maxWait, operations }: ConformanceSettings): Step[] =>
  triggers.length === 0 || !isChosen({ operations }, TRIGGER)
    ? []
    : [
        {
          relation: 'runs',
          subject: 'ends',
          priority: 0,
          requests: 3 * triggers.length + 6,
          polls: 3 * triggers.length + 4,
          maxRequests: (triggers.length + 3) * maxPolls(maxWait),
          waits: ROUNDS * FOLLOWED,
          triggers: 2,
          runs: 2,
          run: follow,
        },
      ]

/** The runs that were triggered before are followed, and then those that are triggered together. */
const ROUNDS = 2
/** How long that takes each time with runs of a few seconds, of which each is polled once more after its end, in ms. */
const FOLLOWED = 4_000

/** Many triggers, one after the other and at once: each starts a run of its own, which can be read. */
export const manySteps = ({ triggers, operations }: ConformanceSettings): Step[] =>
  triggers.length === 0 || !isChosen({ operations }, TRIGGER)
    ? []
    : [
        {
          relation: 'runs',
          subject: 'many triggers',
          priority: 4,
          requests: 4 * MANY,
          maxRequests: 6 * MANY,
          runs: 2 * MANY,
          run: triggerMany,
        },
      ]

const MANY = 8
/** Besides those that were given; a playbook may refuse them. */
const INPUTS = [undefined, {}, { order: '1', reason: 'check' }]

async function triggerMany(session: Session): Promise<void> {
  const { facts, settings } = session
  const [playbook = ''] = settings.triggers
  if (!isSuccess(facts.triggerStatus ?? 0)) return
  const spec = startOf(TRIGGER, playbook)
  const body = JSON.stringify(requestBody(TRIGGER, settings))
  const exchanges: Checked[] = []
  const shapes = seenShapes(session, TRIGGER)
  for (let count = 0; count < MANY; count++) {
    const inputs = INPUTS[count % INPUTS.length]
    const shape = shapes[count % shapes.length]?.change(session)
    exchanges.push(
      await send(session, TRIGGER, { ...shape, ...spec, ...(inputs && { body: JSON.stringify({ inputs }) }) }),
    )
  }
  const together = await sendTogether(session, TRIGGER, Array<Change>(MANY).fill(spec))
  const ids = new Map<string, string>()
  const all = [...exchanges, ...together]
  // From here on the quota may be used up.
  facts.triggerStatus = all.find(({ status }) => startsNothing(status))?.status ?? facts.triggerStatus
  // A trigger is not sent again, so a connection that breaks once shows nothing.
  const isOneBroken = all.filter(({ failure }) => failure).length === 1
  for (const exchange of all) {
    const { status, request } = exchange
    // The inputs that were given have been accepted before.
    const isRefusal = refusalOf(status) && !(status === STATUS.badRequest && request.body === body)
    if (exchange.isOutage || isRefusal || (exchange.failure && isOneBroken)) continue
    session.add(successResults(exchange, `${TRIGGER}, one of many,`))
    const id = isSuccess(exchange.status) ? triggeredRunId(exchange) : undefined
    if (id === undefined) continue
    session.add(newRunResults(exchange, id, ids, playbook))
    ids.set(id, playbook)
  }
}

async function triggerAll(session: Session): Promise<void> {
  const { facts, settings } = session
  const [main = '', ...others] = settings.triggers
  const pinned = await start(session, main, {})
  const first = await unpinnedInstead(session, main, pinned)
  facts.triggerStatus = first.status
  const list = facts.seen.get('listPlaybooks')?.body
  if (first.status === STATUS.notFound && isListed(list, main) !== true) throw notFound('playbook', 'trigger')
  session.add(triggerResults(first, main))
  if (!isSuccess(first.status)) return
  facts.seen.set(TRIGGER, first)
  session.add(listedResults(first, list, main))
  try {
    await triggerFull(session, main)
    for (const playbook of others) session.add(triggerResults(await start(session, playbook, {}), playbook))
  } catch (error) {
    if (!(error instanceof LeftOutError)) throw error
  }
  await pollDue(session)
  if (isChosen(settings, 'listPlaybooks')) await consistentList(session, await send(session, 'listPlaybooks'))
}

/** The same trigger without the pin, when the one with it is refused: a refused release hides nothing else. Basis: S40. */
async function unpinnedInstead(session: Session, playbook: string, pinned: Checked): Promise<Checked> {
  const { facts } = session
  const { status, failure } = pinned
  if (facts.pin === undefined || failure || pinned.isOutage || isSuccess(status) || startsNothing(status)) return pinned
  facts.unpinned.add(TRIGGER)
  const exchange = await start(session, playbook, {})
  const message = `${TRIGGER} pinned to ${facts.pin} must get what it gets without a pin, and got ${status}`
  if (isSuccess(exchange.status)) session.add(failed(rules.pinning, message, { exchange: pinned, keyword: 'status' }))
  return exchange
}

/** A trigger with a pin and a query, and a plain one if that is refused. Basis: S40, A34. */
async function triggerFull(session: Session, playbook: string): Promise<void> {
  const { facts, settings } = session
  // The one with most in it, and when that is refused the pin alone.
  const shapes = shapesOf(TRIGGER, settings)
  const inOrder = [shapes.at(-1), ...shapes.slice(1, -1), shapes[0]].filter((shape) => shape !== undefined)
  for (const shape of inOrder) {
    const { path: _, ...change } = shape.change(session) ?? {}
    const exchange = await start(session, playbook, change)
    const { status } = exchange
    const title = titleOf(shape)
    const id = triggeredRunId(exchange)
    if (isSuccess(status)) {
      facts.seen.set(title, exchange)
      const [earlier, latest] = facts.followed
      if (earlier && latest && id === Object(exchange.body).id)
        session.add(idFormResults(id, earlier.id).map((each) => ({ ...each, exchange })))
      return
    }
    if (exchange.isOutage || startsNothing(status))
      return session.add(
        skipped(rules.newRun, `The second trigger got ${status}, so two runs could not be distinguished.`),
      )
    // What nothing is said of may be refused, and a release that may not exist.
    const isPinned = shape.name.endsWith(PINNED)
    const isAccepted = [...facts.seen.keys()].some((seen) => seen.endsWith(PINNED))
    const isKnown = change.query === undefined && (settings.serviceVersion !== undefined || isAccepted)
    const isFault = status === STATUS.notFound || status === OTHER_STATUS.methodNotAllowed || isServerError(status)
    if (isPinned ? isKnown || (isFault && isAccepted) : isFault) {
      const message = `${title} must get what ${TRIGGER} gets, and got ${status}`
      return session.add(failed(isPinned ? rules.pinning : rules.triggers, message, { exchange, keyword: 'status' }))
    }
  }
}

/** Whether a trigger is refused although it is right: by the quota, the permission or a gateway. */
const startsNothing = (status: number): boolean => status !== STATUS.badRequest && refusalOf(status) !== undefined

/** Starts a run, and notes it if its response has the id. */
async function start(session: Session, playbook: string, change: Change): Promise<Checked> {
  const spec = { ...change, ...startOf(TRIGGER, playbook) }
  let exchange = await send(session, TRIGGER, spec)
  // A connection that breaks once shows nothing, neither of the trigger nor whether a run was started.
  if (exchange.failure) exchange = await send(session, TRIGGER, spec)
  noteStart(session, playbook, exchange)
  return exchange
}

/** Two triggers at the same time start two runs; an id that runs of two playbooks share is a fault. */
async function startTogether(session: Session, [main = '', other = main]: readonly string[]): Promise<void> {
  const playbooks = [main, other]
  const exchanges = await sendTogether(
    session,
    TRIGGER,
    playbooks.map((playbook) => startOf(TRIGGER, playbook)),
  )
  for (const [index, exchange] of exchanges.entries()) noteStart(session, playbooks[index] ?? main, exchange)
}

/** Follows the run that a trigger started, if its response has the id. */
function noteStart(session: Session, playbook: string, exchange: Checked): void {
  const { facts, settings } = session
  const id = isSuccess(exchange.status) ? triggeredRunId(exchange) : undefined
  if (id === undefined) return
  const known = new Map(facts.followed.map((run) => [run.id, run.playbook]))
  session.add(newRunResults(exchange, id, known, playbook))
  if (!known.has(id) && isChosen(settings, READ))
    facts.followed.push(new FollowedRun(id, playbook, exchange, settings.clock.now()))
}

/** What the response to a trigger shows: a refusal may have good reasons. */
function triggerResults(exchange: Checked, playbook: string): readonly Result[] {
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

/** Polls the runs until they finish or the time is over, and once more. Basis: S21, A07, A08, A11. */
async function follow(session: Session): Promise<void> {
  await followAll(session)
  const { facts, settings } = session
  const [first] = facts.followed
  if (!first) return
  try {
    await startTogether(session, settings.triggers)
    await session.transport.sleep(FIRST_PAUSE, 'to poll the run')
    for (const run of facts.followed) await poll(session, run)
    await followAll(session)
  } finally {
    // What was seen counts also when no run is left to start.
    for (const run of facts.followed) session.add(run.end())
  }
}

async function followAll(session: Session): Promise<void> {
  const { settings, transport, facts } = session
  const { clock, maxWait } = settings
  for (;;) {
    const open = facts.followed.filter(({ isOver }) => !isOver)
    const next = Math.min(...open.map(({ nextPoll }) => nextPoll))
    const waiting = open.find(({ hasEnded }) => !hasEnded)
    if (open.length === 0) return
    await transport.sleep(next - clock.now(), waiting ? 'to poll the run' : 'to see that the run changes no more')
    await pollDue(session)
    const late = open.filter((run) => !run.hasEnded && clock.now() - run.triggeredAt >= maxWait)
    for (const run of late) {
      run.isOver = true
      const status = quote(run.last?.status ?? 'unknown')
      const message = text`After ${seconds(maxWait)} the run was ${status}. Wait longer.`
      session.add(skipped([rules.runEnds, rules.runTransitions], message))
    }
  }
}

/** Polls the runs whose time has come; others go on meanwhile. */
export async function pollDue(session: Session): Promise<void> {
  const { facts, settings } = session
  for (const run of facts.followed) if (!run.isOver && settings.clock.now() >= run.nextPoll) await poll(session, run)
}

async function poll(session: Session, run: FollowedRun): Promise<void> {
  const { facts, settings } = session
  const { clock, maxWait, wallTime } = settings
  const elapsed = clock.now() - run.triggeredAt
  run.nextPoll = clock.now() + run.pause
  run.pause = Math.min(run.pause * GROWTH, LONGEST_PAUSE)
  const exchange = await send(session, READ, { path: pathOf(READ, run.id) })
  const { status } = exchange
  if (exchange.isOutage) return
  if (status === STATUS.notFound && run.polls === 0 && elapsed < Math.min(SETTLED, maxWait)) {
    // Without the time that has passed: each poll would be a finding.
    const late = 'a run could not be read right after its trigger'
    session.add(failed(rules.readableAtOnce, late, { exchange, keyword: 'status', fact: late }))
    return session.remark(
      `A run could not be read ${seconds(elapsed)} after its trigger; ${seconds(SETTLED)} are allowed.`,
    )
  }
  if (status === STATUS.notFound && elapsed > KEPT) {
    run.isOver = true
    return session.remark(`A run could no longer be read ${seconds(elapsed)} after its trigger.`)
  }
  const number = run.polls + 1
  if (number === 1) session.add(firstPollResults(run, exchange))
  else if (!isSuccess(status)) {
    const got = exchange.failure ? bare(exchange.failure.message) : text`${status}`
    const message = text`poll ${number} of the run must get it, and got ${got}`
    session.add(failed(rules.polling, message, { exchange, keyword: 'status' }))
  }
  if (!isSuccess(status)) {
    run.isOver = true
    return
  }
  facts.addId(collectionOf(READ), run.id)
  if (exchange.isValid) facts.seen.set(READ, exchange)
  noteRun(session, [run], exchange)
  if (isFollowable(exchange.body)) await readAsStrangers(session, run.id, exchange.body)
  if (number === 1)
    session.add(passed(rules.readableAtOnce, `a run could be read ${seconds(elapsed)} after its trigger`))
  if (number === 1 && run.last) session.add(startedNow(run.last, exchange, wallTime?.()))
  run.isOver = run.hasEnded
  run.hasEnded = isTerminal(run.last?.status)
}

/** An id that no run has is that of something else, unless it came with the run. */
function firstPollResults({ id, isKnown }: FollowedRun, exchange: Checked): readonly Result[] {
  if (isKnown || exchange.status !== STATUS.notFound) return successResults(exchange, 'getRun of the triggered run')
  const message = text`the id in the response to a trigger, ${quote(id)}, is that of no run: ${READ} gets 404`
  return [failed(rules.runIdProperty, message, { exchange, pointer: '/id' })]
}

/** What a response shows of the run whose id was asked for. It may show an earlier state with another key. */
export function noteRun(
  { facts, add }: Session,
  histories: readonly RunHistory[],
  exchange: Checked,
  isLater = true,
): void {
  const { body } = exchange
  if (!isFollowable(body)) return
  for (const { capability } of body.steps) if (typeof capability === 'string') facts.capabilities.add(capability)
  facts.bodies.getRun = body
  facts.addParts(idIn(exchange), body)
  for (const history of histories) if (history.id === idIn(exchange)) add(history.poll(body, exchange, isLater))
}

/** The id at the end of the path. */
export const idIn = ({ request }: Checked): string => decoded(new URL(request.url).pathname.split('/').at(-1) ?? '')

function maxPolls(maxWait: number): number {
  let polls = 2
  for (let pause = FIRST_PAUSE, at = 0; at < maxWait; pause = Math.min(pause * GROWTH, LONGEST_PAUSE)) {
    at += pause
    polls++
  }
  return polls
}

/** Between polls, in ms. */
const LONGEST_PAUSE = 5_000
const GROWTH = 1.5
