import { rules } from '../../../generated/conformance.js'
import type { OperationId } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { collectionOf, isSuccess, operationIds, startsRuns } from '../contract.js'
import type { Checked } from '../judge/exchange.js'
import { isListed } from '../judge/lists.js'
import { bare, failed, quote, type Result, seconds, skipped, text } from '../judge/result.js'
import { idFormResults, isTerminal, RunHistory, startedNow } from '../judge/runs.js'
import { triggeredRunId } from '../judge/semantics.js'
import { statusResults, successResults } from '../judge/status.js'
import { newRunResults, refusalOf, triggeredResults } from '../judge/triggers.js'
import { type ConformanceSettings, notFound } from '../options.js'
import { pathOf, type Results, type Session, type Step, send, startOf } from '../session.js'
import { LeftOutError } from '../transport.js'
import { noteRun } from './reading.js'

const TRIGGER = operationIds.find(startsRuns) as OperationId
const READ = 'getRun'

/** Triggers the given playbook twice and follows both runs together, so that they cannot be mixed up. */
export const runSteps = ({ trigger, maxWait }: ConformanceSettings): Step[] =>
  trigger === undefined
    ? []
    : [
        {
          relation: 'runs',
          tier: 0,
          requests: 7,
          maxRequests: 4 + 2 * maxPolls(maxWait),
          runs: 2,
          run: (session) => triggerAndFollow(session, trigger),
        },
      ]

async function* triggerAndFollow(session: Session, playbook: string): Results {
  const { facts, settings } = session
  const first = await send(session, TRIGGER, startOf(TRIGGER, playbook))
  facts.triggerStatus = first.status
  const listed = isListed([facts.bodies.listPlaybooks], playbook)
  if (first.status === STATUS.notFound && listed !== true) throw notFound('playbook', 'trigger')
  yield triggerResults(first, playbook)
  const id = isSuccess(first.status) ? triggeredRunId(first) : undefined
  if (id !== undefined && listed === false) {
    const message = text`the list of playbooks must have ${quote(playbook)}, which can be triggered, and lacks it`
    yield [failed(rules.listsPlaybooks, message, { exchange: first })]
  }
  if (!isSuccess(first.status)) return
  const runs = id === undefined ? [] : [new FollowedRun(id, playbook, first)]
  try {
    const second = await send(session, TRIGGER, startOf(TRIGGER, playbook))
    const other = isSuccess(second.status) ? triggeredRunId(second) : undefined
    if (other === undefined)
      yield skipped(rules.newRun, `The second trigger got ${second.status}, so two runs could not be distinguished.`)
    else {
      yield newRunResults(second, other, new Set(id === undefined ? [] : [id]))
      yield idFormResults(other, id).map((each) => ({ ...each, exchange: second }))
      if (other !== id) runs.push(new FollowedRun(other, playbook, second))
    }
  } catch (error) {
    if (!(error instanceof LeftOutError)) throw error
  }
  yield* follow(session, runs, settings.clock.now() + settings.maxWait)
}

/** What the response to a trigger shows: a refusal may have good reasons. */
function triggerResults(exchange: Checked, playbook: string): readonly Result[] {
  const { status } = exchange
  const reason = refusalOf(status)
  if (exchange.isOutage || reason) {
    const ids = [rules.triggers, rules.triggeredRunId, rules.triggerStatus, rules.triggerBody, rules.runIdProperty, rules.newRun]
    const why = skipped(ids, `The trigger got ${status}: ${reason ?? 'the service was out of order.'}`)
    const quota = `A trigger was refused with ${status}. Whether the run quota is used up is not known.`
    if (status !== STATUS.badRequest && status !== UNPROCESSABLE) return [...why, ...skipped(rules.quotaUsedUp, quota)]
    const what = 'a trigger with inputs that the playbook does not take'
    return [...why, ...statusResults(exchange, { status: STATUS.badRequest, basis: rules.inputValidation, what })]
  }
  const what = text`${TRIGGER} of ${quote(playbook)}`
  return [...successResults(exchange, what), ...triggeredResults(exchange, playbook)]
}

/** RFC 9110, section 15.5.21. */
const UNPROCESSABLE = 422

class FollowedRun extends RunHistory {
  isOver = false
  /** A run that was read once can be read each time. */
  hasEnded = false

  constructor(
    id: string,
    playbook: string,
    readonly trigger: Checked,
  ) {
    const { status } = Object(trigger.body) as { status?: unknown }
    super(id, playbook, typeof status === 'string' ? status : undefined)
  }
}

/** Polls the runs in turn until they finish or the time is over, and once more. Basis: S21, A07, A08, A11. */
async function* follow(session: Session, runs: readonly FollowedRun[], end: number): Results {
  const { settings, transport } = session
  const { clock, maxWait } = settings
  const from = clock.now()
  let pause = FIRST_PAUSE
  while (runs.some(({ isOver }) => !isOver)) {
    for (const run of runs) if (!run.isOver) yield* poll(session, run, clock.now() - from)
    const left = end - clock.now()
    const isWaiting = runs.some(({ isOver, hasEnded }) => !isOver && !hasEnded)
    if (left <= 0 && isWaiting) {
      const status = quote(runs.find(({ hasEnded }) => !hasEnded)?.last?.status ?? 'unknown')
      yield skipped([rules.runEnds, rules.runTransitions], text`After ${seconds(maxWait)} the run was ${status}. Wait longer.`)
      break
    }
    if (runs.every(({ isOver }) => isOver)) break
    await transport.sleep(Math.min(pause, Math.max(left, FIRST_PAUSE)), isWaiting ? 'to poll the run' : 'to see that the run changes no more')
    pause = Math.min(pause * GROWTH, LONGEST_PAUSE)
  }
  for (const run of runs) yield run.end()
}

async function* poll(session: Session, run: FollowedRun, elapsed: number): Results {
  const { facts, settings } = session
  const exchange = await send(session, READ, { path: pathOf(READ, run.id) })
  const { status } = exchange
  if (exchange.isOutage) return
  // A service that copies its data needs a moment until a new run can be read everywhere.
  if (status === STATUS.notFound && run.polls === 0 && elapsed < Math.min(SETTLED, settings.maxWait)) {
    session.remark(`A run could not be read ${seconds(elapsed)} after its trigger, which is allowed for ${seconds(SETTLED)}.`)
    return
  }
  const number = run.polls + 1
  if (number === 1) yield successResults(exchange, 'getRun of the triggered run')
  else if (!isSuccess(status)) {
    const message = text`poll ${number} of the run must get it, and got ${exchange.failure ? bare(exchange.failure.message) : status}`
    yield [failed(rules.polling, message, { exchange, keyword: 'status' })]
  }
  if (!isSuccess(status)) return void (run.isOver = true)
  facts.addId(collectionOf(READ), run.id)
  yield* noteRun(session, run, exchange)
  if (number === 1 && run.last) yield startedNow(run.last, exchange, settings.wallTime?.())
  run.isOver = run.hasEnded
  run.hasEnded = isTerminal(run.last?.status)
}

function maxPolls(maxWait: number): number {
  let polls = 2
  for (let pause = FIRST_PAUSE, at = 0; at < maxWait; pause = Math.min(pause * GROWTH, LONGEST_PAUSE)) {
    at += pause
    polls++
  }
  return polls
}

/** Between polls, in ms. */
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 5_000
const GROWTH = 1.5
/** In ms. */
const SETTLED = 5_000
