import { rules } from '../../../../../generated/contract.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { collectionOf, isChosen, isSuccess, OTHER_STATUS, READ_RUN, TRIGGER } from '../../judge/contract.js'
import type { JudgedExchange } from '../../judge/judge.js'
import { bare, failed, failedIf, passed, quote, type Result, secondsText, skipped, text } from '../../judge/result.js'
import {
  FIRST_PAUSE,
  FollowedRun,
  isFollowable,
  isTerminal,
  maxPolls,
  type RunHistory,
  startedNow,
} from '../../judge/runs.js'
import { idIn } from '../../judge/semantics.js'
import { successResults } from '../../judge/status.js'
import { newRunResults, startedRun } from '../../judge/triggers.js'
import { bearer, type ConformanceSettings } from '../../options.js'
import type { Check } from '../check.js'
import { startOf } from '../request.js'
import type { Session } from '../session.js'
import { readAsStrangers, strangersCost } from './strangers.js'

export const isTriggered = (settings: ConformanceSettings): boolean =>
  settings.triggers.length > 0 && isChosen(settings, TRIGGER)

/** Follows the runs to their ends, and triggers two more then, which must change none of them. Basis: S21, A07, A08, A11. */
export const follow: Check = {
  name: 'runs',
  needs: isTriggered,
  cost(settings) {
    const runs = settings.triggers.length + EXTRA_RUNS
    const strangers = strangersCost(settings, runs)
    return {
      requests: POLLS * runs + 2 + strangers.requests,
      most: runs * maxPolls(settings.maxWait) + 2 + strangers.most,
      ...{ waits: ROUNDS * FOLLOWED, triggers: 2, runs: 2 },
    }
  },
  async *run(session) {
    yield* followAll(session)
    const { known, settings } = session
    if (known.followed.length === 0) return
    try {
      yield await startTogether(session, settings.triggers)
      await session.sleep(FIRST_PAUSE, 'to poll the run')
      for (const run of known.followed) yield* poll(session, run)
      yield* followAll(session)
    } finally {
      // What was seen counts also when no run is left to start.
      yield known.followed.flatMap((run) => [...run.end(), ...(known.sharesRuns ? [] : run.startedElsewhen)])
    }
  },
}

/** How many polls see a run of a few seconds to its end, and once more. */
const POLLS = 3
/** How many runs of the first playbook follow the first one. */
const EXTRA_RUNS = 3
/** The runs that were triggered before are followed, and then those that are triggered together. */
const ROUNDS = 2
/** How long that takes each time with runs of a few seconds, of which each is polled once more after its end, in ms. */
const FOLLOWED = 3_000

/** Two triggers at the same time start two runs; an id that runs of two playbooks share is a fault. */
async function startTogether(session: Session, [main = '', other = main]: readonly string[]): Promise<Result[]> {
  const playbooks = [main, other]
  const exchanges = await session.sendTogether(playbooks.map(startOf))
  return exchanges.flatMap((exchange, index) => startResults(session, playbooks[index] ?? main, exchange))
}

/** Follows the run that a trigger started, if its response has the id. */
export function startResults(session: Session, playbook: string, exchange: JudgedExchange): Result[] {
  const { known, settings } = session
  const started = startedRun(exchange)
  if (!started) return []
  const { id, source, other } = started
  const earlier = new Map(known.followed.map((run) => [run.id, run.playbook]))
  if (other)
    session.remark(
      `The response to a trigger has an id in ${source} and another one in ${other.source}: that in ${source} is taken for the run's.`,
    )
  known.sharesRuns ||= earlier.has(id)
  if (!earlier.has(id) && isChosen(settings, READ_RUN))
    known.followed.push(new FollowedRun(started, playbook, settings.clock.now()))
  return newRunResults(exchange, id, earlier, playbook)
}

/** Polls the runs until they finish or the time is over, and once more. */
async function* followAll(session: Session): AsyncGenerator<readonly Result[], void> {
  const { settings, known } = session
  const { clock, maxWait } = settings
  for (;;) {
    const open = known.followed.filter(({ isOver }) => !isOver)
    const next = Math.min(...open.map(({ nextPoll }) => nextPoll))
    const waiting = open.find(({ hasEnded }) => !hasEnded)
    if (open.length === 0) return
    await session.sleep(next - clock.now(), waiting ? 'to poll the run' : 'to see that the run changes no more')
    yield* pollDue(session)
    const late = open.filter((run) => !run.hasEnded && clock.now() - run.triggeredAt >= maxWait)
    for (const run of late) {
      run.isOver = true
      const status = quote(run.last?.status ?? 'unknown')
      const message = text`After ${secondsText(maxWait)} the run was ${status}. Wait longer.`
      yield skipped([rules.runEnds, rules.runTransitions], message)
      const unread = `A run could not be read within ${secondsText(maxWait)}. Wait longer.`
      if (run.polls === 0) yield skipped(rules.readsRun, unread)
    }
  }
}

/** Polls the runs whose time has come; others go on meanwhile. */
export async function* pollDue(session: Session): AsyncGenerator<readonly Result[], void> {
  const { known, settings } = session
  for (const run of known.followed) if (!run.isOver && settings.clock.now() >= run.nextPoll) yield* poll(session, run)
}

/** What others do meanwhile, who read the results, takes time: all that is learnt of the run is noted before. */
async function* poll(session: Session, run: FollowedRun): AsyncGenerator<readonly Result[], void> {
  const { known, settings } = session
  const { clock, maxWait, wallTime } = settings
  const elapsed = clock.now() - run.triggeredAt
  run.nextPoll = clock.now() + run.nextPause()
  const exchange = await session.send({ operation: READ_RUN, id: run.id })
  const now = clock.now()
  const { status } = exchange
  if (exchange.isOutage) return
  if (isGone(exchange) && run.polls === 0 && run.isLookedForLate(now)) {
    run.isOver = true
    return void (yield skipped(rules.readsRun, 'A run was looked for so late that it may have been removed.'))
  }
  if (isGone(exchange) && run.polls === 0 && (run.isNewAt(now) || elapsed < maxWait)) {
    session.remark(`A run could not be read ${secondsText(elapsed)} after its trigger.`)
    return void (yield [lateResult(session, exchange)])
  }
  if (isGone(exchange) && run.mayHaveEndedAt(now)) {
    run.isOver = true
    known.ids.get(collectionOf(READ_RUN))?.delete(run.id)
    return void (yield [goneResult(run, exchange)])
  }
  const number = run.polls + 1
  const got = exchange.failure ? bare(exchange.failure.message) : text`${status}`
  const was = quote(run.last?.status ?? 'unknown')
  const message = text`poll ${number} of a run that was ${was}: expected the run, got ${got}`
  let found: Result[] = [
    ...(number === 1
      ? firstPollResults(session, run, exchange)
      : failedIf(!isSuccess(status), rules.polling, message, { exchange, keyword: 'status' })),
  ]
  if (!isSuccess(status)) {
    run.isOver = true
    run.isLost = isGone(exchange)
    return void (yield found)
  }
  known.addId(collectionOf(READ_RUN), run.id)
  if (exchange.isValid) known.seen.set(READ_RUN, exchange)
  found = [...found, ...noteRun(session, [run], exchange)]
  run.seenAt = now
  if (number === 1)
    found.push(passed(rules.readableAtOnce, `a run could be read ${secondsText(elapsed)} after its trigger`))
  // Whether it may be the run of an earlier trigger, later ones show.
  if (number === 1 && run.last) run.startedElsewhen = startedNow(run.last, exchange, wallTime?.())
  if (run.hasEnded) found.push(passed(rules.runStays, 'a run could be read after its end'))
  run.isOver = run.hasEnded
  run.hasEnded = isTerminal(run.last?.status)
  yield found
  if (isFollowable(exchange.body)) yield* readAsStrangers(session, run.id, exchange.body)
}

/** An id that no run has is that of something else, unless it is certainly that of a run. */
export function firstPollResults(
  { known }: Session,
  { id, isKnown }: FollowedRun,
  exchange: JudgedExchange,
): readonly Result[] {
  if (isKnown || exchange.status !== STATUS.notFound) return successResults(exchange, 'getRun of the triggered run')
  known.hasUnnamedRun = true
  const message = text`the id in the response to a trigger, ${quote(id)}, is that of no run: ${READ_RUN} gets 404`
  return [failed(rules.runIdProperty, message, { exchange, pointer: '/id' })]
}

/**
 * What a run shows that is not found, soon after its trigger or once it may have ended: neither is stated. Undefined where it
 * must be there. Basis: A43, A48.
 */
export async function missingResults(session: Session, exchange: JudgedExchange): Promise<Result[] | undefined> {
  const { known, settings } = session
  const run = known.followed.find(({ id }) => id === idIn(exchange))
  if (!run || !isGone(exchange)) return undefined
  const isNew = run.isNewAt(settings.clock.now())
  if (isNew && run.polls === 0) return [lateResult(session, exchange)]
  const plain = await session.send({ operation: READ_RUN, id: run.id })
  if (!isGone(plain)) return isNew ? [lateResult(session, exchange)] : undefined
  // Its poll has shown that.
  if (run.isLost) return []
  if (run.isOver || run.mayHaveEndedAt(settings.clock.now())) return [goneResult(run, exchange)]
  // Whether a run that was running may be gone, its next poll shows.
  if (!isNew) run.nextPoll = settings.clock.now()
  return []
}

const isGone = ({ status }: JudgedExchange): boolean => status === STATUS.notFound || status === OTHER_STATUS.gone

// Without the time that has passed: each request would be a finding.
const lateResult = ({ settings }: Session, exchange: JudgedExchange): Result => {
  const isReader = exchange.request.headers.get('authorization') === bearer(settings.readOnlyKey ?? '')
  const fact = `a run could not be read ${isReader ? 'with the key that may only read ' : ''}right after its trigger`
  return failed(rules.readableAtOnce, fact, { exchange, keyword: 'status', fact })
}

const goneResult = ({ hasEnded }: FollowedRun, exchange: JudgedExchange): Result => {
  const fact = `a run ${hasEnded ? 'could no longer be read after its end' : 'that may have ended could no longer be read'}`
  return failed(rules.runStays, fact, { exchange, keyword: 'status', fact })
}

/** What a response shows of the run whose id was asked for. It may show an earlier state with another key. */
export function noteRun(
  { known }: Session,
  histories: readonly RunHistory[],
  exchange: JudgedExchange,
  isLater = true,
): Result[] {
  const { body } = exchange
  if (!isFollowable(body)) return []
  for (const { capability } of body.steps) if (typeof capability === 'string') known.capabilities.add(capability)
  known.bodies.getRun = body
  const own = histories.filter(({ id }) => id === idIn(exchange))
  return own.flatMap((history) => history.poll(body, exchange, isLater))
}

/** Runs that are read at the same time are not mixed up. Basis: S21. */
export const runsAtOnce: Check = {
  name: 'runs',
  depth: 'normal',
  needs: (settings) => isTriggered(settings) && isChosen(settings, READ_RUN),
  cost: () => ({ requests: 4, most: 8 }),
  async *run(session) {
    const ids = session.known.idsFor(READ_RUN).slice(-2)
    if (ids.length < 2) return
    const asked = [...ids, ...ids.toReversed()]
    const exchanges = await session.sendTogether(asked.map((id) => ({ operation: READ_RUN, id })))
    for (const [index, exchange] of exchanges.entries()) {
      const wanted = asked[index]
      const got: unknown = Object(exchange.body).id
      const title = `${READ_RUN} at once with another run`
      const message = text`${READ_RUN} of ${quote(wanted)} at once with another run: expected this run, got ${quote(got)}`
      if (exchange.isOutage) yield skipped(rules.readsRun, `The service was out of order when ${title} was sent.`)
      else if (!isSuccess(exchange.status))
        yield (await missingResults(session, exchange)) ?? successResults(exchange, title)
      else
        yield failedIf(typeof got === 'string' && got !== wanted, rules.readsRun, message, { exchange, pointer: '/id' })
    }
  },
}
