import { rules } from '../../../../../generated/conformance/nodes.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { notFound } from '../../errors.js'
import { isChosen, isServerError, OTHER_STATUS, TRIGGER } from '../../judge/contract.js'
import type { Checked } from '../../judge/judge.js'
import { isListed, listedResults } from '../../judge/lists.js'
import { failed, quote, type Result, skipped, text } from '../../judge/result.js'
import { statusResults, successResults } from '../../judge/status.js'
import { newRunResults, outcomeOf, refusalOf, triggeredResults, triggeredRunId } from '../../judge/triggers.js'
import type { ConformanceSettings } from '../../options.js'
import { LeftOutError } from '../ended.js'
import { type Change, requestBody, startOf } from '../request.js'
import { send, sendTogether } from '../send.js'
import { PINNED, seenShapes, shapesOf, titleOf } from '../shapes.js'
import { type Session, type Step, step } from '../step.js'
import { noteStart, pollDue } from './follow.js'
import { consistentList } from './lists.js'

/** Triggers each given playbook, the first one twice, so that runs cannot be mixed up. */
export const triggerSteps = ({ triggers, operations }: ConformanceSettings): Step[] =>
  triggers.length === 0 || !isChosen({ operations }, TRIGGER)
    ? []
    : [
        step('runs', 'triggers', 0, triggerAll, {
          requests: 2 * triggers.length + 3,
          unbounded: triggers.length + 1,
          maxRequests: 2 * triggers.length + 9,
          triggers: triggers.length + 1,
          runs: triggers.length + 1,
        }),
      ]

/** Many triggers, one after the other and at once: each starts another run, which can be read. */
export const manySteps = ({ triggers, operations }: ConformanceSettings): Step[] =>
  triggers.length === 0 || !isChosen({ operations }, TRIGGER)
    ? []
    : [step('runs', 'many triggers', 4, triggerMany, { requests: 4 * MANY, maxRequests: 6 * MANY, runs: 2 * MANY })]

const MANY = 8
/** Besides those that were given; a playbook may refuse them. */
const INPUTS = [undefined, {}, { order: '1', reason: 'check' }]

async function triggerMany(session: Session): Promise<void> {
  const { facts, settings } = session
  const [playbook = ''] = settings.triggers
  if (!facts.hasStarted) return
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
  const refused = all.find(({ status }) => startsNothing(status))
  if (refused) facts.noteTrigger(refused.status, false)
  // A trigger is not sent again, so a connection that breaks once shows nothing.
  const isOneBroken = all.filter(({ failure }) => failure).length === 1
  for (const exchange of all) {
    const { status, request } = exchange
    // The inputs that were given have been accepted before.
    const isRefusal = refusalOf(status) && !(status === STATUS.badRequest && request.body === body)
    if (exchange.isOutage || isRefusal || (exchange.failure && isOneBroken)) continue
    session.add(successResults(exchange, `${TRIGGER}, one of many,`))
    const id = triggeredRunId(exchange)
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
  facts.noteTrigger(first.status, outcomeOf(first) === 'started')
  const list = facts.seen.get('listPlaybooks')?.body
  if (first.status === STATUS.notFound && isListed(list, main) !== true) throw notFound('playbook', 'trigger')
  session.add(triggerResults(first, main))
  if (!facts.hasStarted) return
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
  const isFinal = failure || pinned.isOutage || outcomeOf(pinned) === 'started' || startsNothing(status)
  if (facts.pin === undefined || isFinal) return pinned
  facts.unpinned.add(TRIGGER)
  const exchange = await start(session, playbook, {})
  const message = `${TRIGGER} pinned to ${facts.pin}: expected what it gets without a pin, got ${status}`
  if (outcomeOf(exchange) === 'started')
    session.add(failed(rules.pinning, message, { exchange: pinned, keyword: 'status' }))
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
    if (outcomeOf(exchange) === 'started') return void facts.seen.set(title, exchange)
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
      const message = `${title}: expected what ${TRIGGER} gets, got ${status}`
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
