import { rules } from '../../../../../generated/conformance/nodes.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { collectionOf, isChosen, isSuccess, OTHER_STATUS, TRIGGER } from '../../judge/contract.js'
import type { Checked } from '../../judge/judge.js'
import { bare, failed, passed, quote, type Result, secondsText, skipped, text } from '../../judge/result.js'
import {
  FIRST_PAUSE,
  FollowedRun,
  isFollowable,
  isTerminal,
  maxPolls,
  type RunHistory,
  startedNow,
} from '../../judge/runs.js'
import { decoded } from '../../judge/semantics.js'
import { successResults } from '../../judge/status.js'
import { newRunResults, startedRun } from '../../judge/triggers.js'
import type { ConformanceSettings } from '../../options.js'
import { pathOf, startOf } from '../request.js'
import { send, sendTogether } from '../send.js'
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
  const started = startedRun(exchange)
  if (!started) return
  const { id, source, other } = started
  const known = new Map(facts.followed.map((run) => [run.id, run.playbook]))
  session.add(newRunResults(exchange, id, known, playbook))
  if (other)
    session.remark(
      `The response to a trigger has an id in ${source} and another one in ${other.source}: that in ${source} is taken for the run's.`,
    )
  if (!known.has(id) && isChosen(settings, READ))
    facts.followed.push(new FollowedRun(started, playbook, settings.clock.now()))
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
      const unread = `A run could not be read within ${secondsText(maxWait)}. Wait longer.`
      if (run.polls === 0) session.add(skipped(rules.readsRun, unread))
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
  run.nextPoll = clock.now() + run.nextPause()
  const exchange = await send(session, READ, { path: pathOf(READ, run.id) })
  const { status } = exchange
  if (exchange.isOutage) return
  if (isGone(exchange) && run.polls === 0 && run.isLookedForLate(clock.now())) {
    run.isOver = true
    return session.add(skipped(rules.readsRun, 'A run was looked for so late that it may have been removed.'))
  }
  if (isGone(exchange) && run.polls === 0 && (run.isNewAt(clock.now()) || elapsed < maxWait)) {
    session.add(lateResult(exchange))
    return session.remark(`A run could not be read ${secondsText(elapsed)} after its trigger.`)
  }
  if (isGone(exchange) && run.mayHaveEndedAt(clock.now())) {
    run.isOver = true
    facts.ids.get(collectionOf(READ))?.delete(run.id)
    return session.add(goneResult(exchange))
  }
  const number = run.polls + 1
  if (number === 1) session.add(firstPollResults(session, run, exchange))
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
  run.seenAt = clock.now()
  if (isFollowable(exchange.body)) await readAsStrangers(session, run.id, exchange.body)
  if (number === 1)
    session.add(passed(rules.readableAtOnce, `a run could be read ${secondsText(elapsed)} after its trigger`))
  if (number === 1 && run.last) session.add(startedNow(run.last, exchange, wallTime?.()))
  if (run.hasEnded) session.add(passed(rules.runStays, 'a run could be read after its end'))
  run.isOver = run.hasEnded
  run.hasEnded = isTerminal(run.last?.status)
}

/** An id that no run has is that of something else, unless it is certainly that of a run. */
export function firstPollResults(
  { facts }: Session,
  { id, isKnown }: FollowedRun,
  exchange: Checked,
): readonly Result[] {
  if (isKnown || exchange.status !== STATUS.notFound) return successResults(exchange, 'getRun of the triggered run')
  facts.hasUnnamedRun = true
  const message = text`the id in the response to a trigger, ${quote(id)}, is that of no run: ${READ} gets 404`
  return [failed(rules.runIdProperty, message, { exchange, pointer: '/id' })]
}

/** A run that is not found, neither soon after its trigger nor once it may have ended: neither is stated. Basis: A43, A48. */
export async function mayBeMissing(session: Session, exchange: Checked): Promise<boolean> {
  const { facts, settings } = session
  const run = facts.followed.find(({ id }) => id === idIn(exchange))
  if (!run || !isGone(exchange)) return false
  if (run.isNewAt(settings.clock.now())) {
    session.add(lateResult(exchange))
    return true
  }
  const plain = await send(session, READ, { path: pathOf(READ, run.id) })
  if (!isGone(plain)) return false
  // Whether a run that was running may be gone, its next poll shows.
  if (run.isOver || run.mayHaveEndedAt(settings.clock.now())) session.add(goneResult(exchange))
  else run.nextPoll = settings.clock.now()
  return true
}

const isGone = ({ status }: Checked): boolean => status === STATUS.notFound || status === OTHER_STATUS.gone

// Without the time that has passed: each request would be a finding.
const lateResult = (exchange: Checked): Result => {
  const fact = 'a run could not be read right after its trigger'
  return failed(rules.readableAtOnce, fact, { exchange, keyword: 'status', fact })
}

const goneResult = (exchange: Checked): Result => {
  const fact = 'a run could no longer be read after its end'
  return failed(rules.runStays, fact, { exchange, keyword: 'status', fact })
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
const idIn = ({ request }: Checked): string => decoded(new URL(request.url).pathname.split('/').at(-1) ?? '')
