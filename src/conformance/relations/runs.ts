import { rules } from '../../../generated/conformance.js'
import type { OperationId } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { collectionOf, isSuccess, operationIds, startsRuns } from '../contract.js'
import type { Checked } from '../judge/exchange.js'
import { isListed } from '../judge/lists.js'
import { bare, failed, quote, type Result, seconds, skipped, text } from '../judge/result.js'
import { FollowedRun, idFormResults, isTerminal, startedNow } from '../judge/runs.js'
import { triggeredRunId } from '../judge/semantics.js'
import { statusResults, successResults } from '../judge/status.js'
import { newRunResults, refusalOf, triggeredResults } from '../judge/triggers.js'
import { type ConformanceSettings, notFound } from '../options.js'
import { pathOf, type Results, type Session, type Step, send, startOf } from '../session.js'
import { LeftOutError } from '../transport.js'
import { noteRun } from './reading.js'

const TRIGGER = operationIds.find(startsRuns) as OperationId
const READ = 'getRun'

/** Triggers the given playbook twice and reads both runs, so that they cannot be mixed up. */
export const triggerSteps = ({ trigger }: ConformanceSettings): Step[] =>
  trigger === undefined
    ? []
    : [
        {
          relation: 'runs',
          tier: 0,
          requests: 4,
          maxRequests: 5,
          runs: 2,
          run: (session) => triggerTwice(session, trigger),
        },
      ]

/** Follows both runs together. */
export const followSteps = ({ trigger, maxWait }: ConformanceSettings): Step[] =>
  trigger === undefined
    ? []
    : [{ relation: 'runs', tier: 0, requests: 4, maxRequests: 2 * maxPolls(maxWait), run: follow }]

async function* triggerTwice(session: Session, playbook: string): Results {
  const { facts, settings } = session
  let first = await send(session, TRIGGER, startOf(TRIGGER, playbook))
  // A connection that breaks once shows nothing, neither of the trigger nor whether a run was started.
  if (first.failure) first = await send(session, TRIGGER, startOf(TRIGGER, playbook))
  facts.triggerStatus = first.status
  const listed = isListed([facts.bodies.listPlaybooks], playbook)
  if (first.status === STATUS.notFound && listed !== true) throw notFound('playbook', 'trigger')
  yield triggerResults(first, playbook)
  if (!isSuccess(first.status)) return
  const id = triggeredRunId(first)
  const missing = text`the list of playbooks must have ${quote(playbook)}, which can be triggered, and lacks it`
  if (id !== undefined && listed === false) yield [failed(rules.listsPlaybooks, missing, { exchange: first })]
  if (id !== undefined) facts.followed.push(new FollowedRun(id, playbook, first, settings.clock.now()))
  try {
    yield* triggerAgain(session, playbook, id)
  } catch (error) {
    if (!(error instanceof LeftOutError)) throw error
  }
  for (const run of facts.followed) yield* poll(session, run)
}

/** Basis: A34. */
async function* triggerAgain(session: Session, playbook: string, id: string | undefined): Results {
  const exchange = await send(session, TRIGGER, startOf(TRIGGER, playbook))
  const other = isSuccess(exchange.status) ? triggeredRunId(exchange) : undefined
  if (other === undefined)
    return void (yield skipped(
      rules.newRun,
      `The second trigger got ${exchange.status}, so two runs could not be distinguished.`,
    ))
  yield newRunResults(exchange, other, new Set(id === undefined ? [] : [id]))
  yield idFormResults(other, id).map((each) => ({ ...each, exchange }))
  if (other !== id)
    session.facts.followed.push(new FollowedRun(other, playbook, exchange, session.settings.clock.now()))
}

/** What the response to a trigger shows: a refusal may have good reasons. */
function triggerResults(exchange: Checked, playbook: string): readonly Result[] {
  const { status } = exchange
  const reason = refusalOf(status)
  if (exchange.isOutage || reason) {
    const ids = [
      rules.triggers,
      rules.triggeredRunId,
      rules.triggerStatus,
      rules.triggerBody,
      rules.runIdProperty,
      rules.newRun,
    ]
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

/** Polls the runs in turn until they finish or the time is over, and once more. Basis: S21, A07, A08, A11. */
async function* follow(session: Session): Results {
  const { settings, transport, facts } = session
  const { clock, maxWait } = settings
  const runs = facts.followed
  const end = clock.now() + maxWait
  let pause = FIRST_PAUSE
  while (runs.some(({ isOver }) => !isOver)) {
    const left = end - clock.now()
    const waiting = runs.find(({ isOver, hasEnded }) => !isOver && !hasEnded)
    if (left <= 0 && waiting) {
      const status = quote(waiting.last?.status ?? 'unknown')
      yield skipped(
        [rules.runEnds, rules.runTransitions],
        text`After ${seconds(maxWait)} the run was ${status}. Wait longer.`,
      )
      break
    }
    await transport.sleep(
      Math.min(pause, Math.max(left, FIRST_PAUSE)),
      waiting ? 'to poll the run' : 'to see that the run changes no more',
    )
    pause = Math.min(pause * GROWTH, LONGEST_PAUSE)
    for (const run of runs) if (!run.isOver) yield* poll(session, run)
  }
  for (const run of runs) yield run.end()
}

async function* poll(session: Session, run: FollowedRun): Results {
  const { facts, settings } = session
  const elapsed = settings.clock.now() - run.triggeredAt
  const exchange = await send(session, READ, { path: pathOf(READ, run.id) })
  const { status } = exchange
  if (exchange.isOutage) return
  // A service that copies its data needs a moment until a new run can be read everywhere.
  if (status === STATUS.notFound && run.polls === 0 && elapsed < Math.min(SETTLED, settings.maxWait))
    return session.remark(
      `A run could not be read ${seconds(elapsed)} after its trigger; ${seconds(SETTLED)} are allowed.`,
    )
  const number = run.polls + 1
  if (number === 1) yield successResults(exchange, 'getRun of the triggered run')
  else if (!isSuccess(status)) {
    const got = exchange.failure ? bare(exchange.failure.message) : text`${status}`
    const message = text`poll ${number} of the run must get it, and got ${got}`
    yield [failed(rules.polling, message, { exchange, keyword: 'status' })]
  }
  if (!isSuccess(status)) {
    run.isOver = true
    return
  }
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
