import { rules } from '../../../../generated/conformance/nodes.js'
import { STATUS } from '../../../internal/contract/status.js'
import { collectionOf, isChosen, isSuccess, TRIGGER } from '../contract.js'
import type { Checked } from '../judge/exchange.js'
import { bare, failed, passed, quote, type Result, secondsText, skipped, text } from '../judge/result.js'
import {
  FIRST_PAUSE,
  FollowedRun,
  isFollowable,
  isTerminal,
  KEPT,
  type RunHistory,
  SETTLED,
  startedNow,
} from '../judge/runs.js'
import { decoded } from '../judge/semantics.js'
import { successResults } from '../judge/status.js'
import { newRunResults, triggeredRunId } from '../judge/triggers.js'
import type { ConformanceSettings } from '../options.js'
import { send, sendTogether } from '../requests/send.js'
import { pathOf, startOf } from '../requests/valid-request.js'
import { type Session, type Step, step } from '../step.js'
import { readAsStrangers } from './strangers.js'

const READ = 'getRun'

/** Follows the runs to their ends, and triggers one more then, which must change none of them. */
export const followSteps = ({ triggers, maxWait, operations }: ConformanceSettings): Step[] =>
  triggers.length === 0 || !isChosen({ operations }, TRIGGER)
    ? []
    : [
        step('runs', 'ends', 0, follow, {
          requests: 3 * triggers.length + 6,
          unbounded: 3 * triggers.length + 4,
          maxRequests: (triggers.length + 3) * maxPolls(maxWait),
          ...{ waits: ROUNDS * FOLLOWED, triggers: 2, runs: 2 },
        }),
      ]

/** The runs that were triggered before are followed, and then those that are triggered together. */
const ROUNDS = 2
/** How long that takes each time with runs of a few seconds, of which each is polled once more after its end, in ms. */
const FOLLOWED = 4_000

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
export function noteStart(session: Session, playbook: string, exchange: Checked): void {
  const { facts, settings } = session
  const id = isSuccess(exchange.status) ? triggeredRunId(exchange) : undefined
  if (id === undefined) return
  const known = new Map(facts.followed.map((run) => [run.id, run.playbook]))
  session.add(newRunResults(exchange, id, known, playbook))
  if (!known.has(id) && isChosen(settings, READ))
    facts.followed.push(new FollowedRun(id, playbook, exchange, settings.clock.now()))
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
      const message = text`After ${secondsText(maxWait)} the run was ${status}. Wait longer.`
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
      `A run could not be read ${secondsText(elapsed)} after its trigger; ${secondsText(SETTLED)} are allowed.`,
    )
  }
  if (status === STATUS.notFound && elapsed > KEPT) {
    run.isOver = true
    return session.remark(`A run could no longer be read ${secondsText(elapsed)} after its trigger.`)
  }
  const number = run.polls + 1
  if (number === 1) session.add(firstPollResults(run, exchange))
  else if (!isSuccess(status)) {
    const got = exchange.failure ? bare(exchange.failure.message) : text`${status}`
    const message = text`poll ${number}: expected the run, got ${got}`
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
    session.add(passed(rules.readableAtOnce, `a run could be read ${secondsText(elapsed)} after its trigger`))
  if (number === 1 && run.last) session.add(startedNow(run.last, exchange, wallTime?.()))
  run.isOver = run.hasEnded
  run.hasEnded = isTerminal(run.last?.status)
}

/** An id that no run has is that of something else, unless it came with the run. */
export function firstPollResults({ id, isKnown }: FollowedRun, exchange: Checked): readonly Result[] {
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
