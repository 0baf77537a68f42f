import {
  assumedValues,
  type BasisId,
  knownValuesOfRunStatus,
  knownValuesOfStepStatus,
  rules,
  transitions,
} from '../../../../generated/contract.js'
import type { Run, Step } from '../../../../generated/types.js'
import type { FoundId } from '../../../internal/contract/run-id.js'
import { increment } from '../../../internal/maps.js'
import { isTerminalRunStatus, RUN_STATUS, STEP_STATUS } from '../../../shared/run-status.js'
import type { Exchange } from './exchange.js'
import { failed, failedIf, type Message, passed, quote, type Result, resultOf, text } from './result.js'
import { isSameMoment, isTimestamp } from './timestamp.js'

/** Whether a body has what polling needs; other problems do not matter for that. */
export const isFollowable = (body: unknown): body is Run => {
  const { status, steps } = (body ?? {}) as { status?: unknown; steps?: unknown }
  return typeof status === 'string' && Array.isArray(steps) && steps.every((step) => typeof step === 'object' && step)
}

type StateMachine = Readonly<Record<string, { readonly next?: readonly string[]; readonly terminal?: boolean }>>
const RUN = machineOf(knownValuesOfRunStatus, transitions.Run)
const STEP = machineOf(knownValuesOfStepStatus, transitions.Step)

function machineOf(statuses: readonly string[], known: StateMachine): StateMachine {
  return Object.fromEntries(statuses.map((status) => [status, known[status] ?? {}]))
}

export const isTerminal = (status: string | undefined): boolean => status !== undefined && isTerminalRunStatus(status)

/** What the responses to the polls of one run show together. `status` is that in the response to its trigger. */
export class RunHistory {
  private first: Run | undefined
  last: Run | undefined
  /** How many polls there were. */
  polls = 0
  /** The steps that have started, with what was last seen of them. */
  private readonly started = new Map<string, Step>()
  /** How many polls had new steps before all earlier ones, and how many had some after one of them. */
  private readonly added = { before: 0, after: 0 }

  constructor(
    readonly id: string,
    readonly playbook?: string | undefined,
    private readonly status?: string | undefined,
    /** Whether the first poll is soon after the trigger. */
    private readonly isNew = false,
  ) {}

  /** `isLater` is false for a poll that may show an earlier state than the previous one. */
  poll(run: Run, exchange: Exchange, isLater = true): Result[] {
    let results = runResults(run, this.id, this.playbook)
    const { last } = this
    if (last) results.push(...startedAtResults(last, run))
    if (isLater) {
      const from = last?.status ?? this.status
      // Nothing stated says that a run cannot start anew, which it does with other steps.
      if (last && isStartedAnew(last, run)) this.started.clear()
      if (from !== undefined) results.push(...transitionResults(rules.runTransitions, 'the run', RUN, from, run.status))
      if (!last && this.isNew) results.push(...firstStatusResults(from ?? run.status))
      results = [...results, ...this.stepResults(run)]
      this.first ??= run
      this.last = run
      this.polls++
    }
    return results.map((each) => ({ ...each, exchange }))
  }

  end(): Result[] {
    const { first, last, polls } = this
    if (!first || !last || polls < 2) return []
    const before = first.steps.length
    const after = last.steps.length
    const grown = passed(rules.futureSteps, `the run had ${before} steps at first, and ${after} in the end`)
    const followed = text`${polls} polls showed the run from ${quote(first.status)} to ${quote(last.status)}`
    return [passed(rules.polling, followed), ...(after > before ? [grown] : [])]
  }

  /**
   * Steps that have started keep their order. That they stay is assumed: one may be replaced, and only the latest may be shown.
   * Basis: S09, A59.
   */
  private stepResults(run: Run): Result[] {
    const now = namedSteps(run)
    const before = new Map(this.last && namedSteps(this.last).map((step) => [step.id, step]))
    const positions = new Map(now.map(({ id }, position) => [id, position]))
    const lost = [...this.started.keys()].filter((id) => !positions.has(id))
    const found = [...this.started.keys()].flatMap((id) => positions.get(id) ?? [])
    const moved = found.find((position, index) => position < (found[index - 1] ?? 0))
    // A step that replaces another one stands in its place.
    const isReversed = lost.length === 0 && this.isReversed(now)
    const details = { pointer: '/steps' }
    const results = [
      ...now.flatMap((step) => this.changeOf(before.get(step.id), step)),
      ...failedIf(
        moved !== undefined,
        rules.stepsInOrder,
        text`the step ${quote(now[moved ?? 0]?.id)} must stay behind the steps that it came after, but stands before one of them: the steps were ${quote([...this.started.keys()])}, and are ${quote(now.map(({ id }) => id))}`,
        details,
      ),
      ...failedIf(isReversed, rules.stepsInOrder, 'each new step stands before all that came earlier', details),
      ...(this.started.size > 0 ? [this.stayResult(lost)] : []),
    ]
    for (const id of lost) this.started.delete(id)
    for (const step of now)
      if (typeof step.status === 'string' && Object.hasOwn(STEP, step.status)) this.started.set(step.id, step)
    // The order is that of the newest response: a step that appears late may stand between others.
    for (const { id } of now) {
      const step = this.started.get(id)
      if (step && this.started.delete(id)) this.started.set(id, step)
    }
    return results
  }

  private stayResult([lost]: readonly string[]): Result {
    if (lost === undefined) return passed(rules.stepsStay, 'the steps that had started are in a later response')
    const message = text`the step ${quote(lost)} had started, and a later response lacks it`
    const fact = 'a step that had started was not in a later response'
    return failed(rules.stepsStay, message, { pointer: '/steps', keyword: 'stay', fact })
  }

  /** One step that appears late may stand first; when each one does, the order is not that of the run. */
  private isReversed(now: readonly Step[]): boolean {
    const known = new Set(this.last?.steps.map(({ id }) => id))
    const first = now.findIndex(({ id }) => known.has(id))
    const isNew = now.map(({ id }) => !known.has(id))
    if (first === -1 || !isNew.includes(true)) return false
    this.added[isNew.lastIndexOf(true) < first ? 'before' : 'after']++
    return this.added.before > 1 && this.added.after === 0
  }

  private changeOf(before: Step | undefined, step: Step): Result[] {
    const from = before?.status
    const to = step.status
    if (!before || typeof from !== 'string' || typeof to !== 'string') return []
    const isLate = !Object.hasOwn(STEP, from) && to === STEP_STATUS.running
    const was = this.started.get(step.id)?.capability
    const is = step.capability
    const isCompared =
      typeof was === 'string' && from !== STEP_STATUS.waitingApproval && to !== STEP_STATUS.waitingApproval
    const must = text`the capability of the step ${quote(step.id)} was ${quote(was)}, and is ${quote(is ?? null)}`
    return [
      ...transitionResults(rules.stepTransitions, text`the step ${quote(step.id)}`, STEP, from, to),
      ...failedIf(isLate, rules.futureSteps, text`a step was ${quote(from)} before it was running`),
      ...(isCompared
        ? [resultOf(rules.capabilityConstant, is === was, must, { pointer: '/steps', keyword: 'constant' })]
        : []),
    ]
  }
}

/** Whether a run has gone back to an earlier status, or started at another time. Basis: A07, A51. */
const isStartedAnew = (last: Run, { status, started_at: at }: Run): boolean =>
  (last.status !== status && !reachable(RUN, last.status).has(status)) ||
  (typeof last.started_at === 'string' && !isSameMoment(last.started_at, at))

/** A run that a trigger has started, as its response shows it. */
export interface StartedRun extends FoundId {
  /** Whether the id is certainly that of a run, because it is named so or came with the run. */
  isKnown: boolean
  /** The status of the run, if it is in the response. */
  status: string | undefined
}

/** A run that was triggered here. */
export class FollowedRun extends RunHistory {
  isOver = false
  hasEnded = false
  /** Whether a poll did not find it any more while it had to be there. */
  isLost = false
  /** What is wrong with the time of its start, if no earlier trigger may have started it. */
  startedElsewhen: readonly Result[] = []
  /** When to poll it again, and how long to wait after that, in ms. */
  nextPoll: number
  private pause = FIRST_PAUSE
  /** When a poll last showed it, in ms. */
  seenAt: number | undefined
  private lookedForAt: number | undefined
  /** Whether the id in the response to the trigger is certainly that of a run. */
  readonly isKnown: boolean

  constructor(
    { id, status, isKnown }: StartedRun,
    playbook: string,
    /** In ms. */
    readonly triggeredAt: number,
  ) {
    super(id, playbook, status, true)
    this.isKnown = isKnown
    this.nextPoll = triggeredAt
  }

  /** The pause before the next poll, in ms; each is longer than the last one. */
  nextPause(): number {
    const { pause } = this
    this.pause = Math.min(pause * GROWTH, LONGEST_PAUSE)
    return pause
  }

  /** Whether the run has ended, or may have since it was seen: how long it is kept then is not stated. Basis: A48. */
  mayHaveEndedAt(now: number): boolean {
    if (this.seenAt === undefined || !this.last) return false
    return !RUN[this.last.status]?.next || now - this.seenAt > LONGEST_PAUSE
  }

  /** Whether the run was looked for so late that it may have ended, and may be kept no longer. Basis: A48. */
  isLookedForLate(now: number): boolean {
    this.lookedForAt ??= now
    return this.lookedForAt - this.triggeredAt > LONGEST_PAUSE
  }

  /** Whether the run was triggered so recently that it need not be readable yet. Basis: A43. */
  isNewAt(now: number): boolean {
    return now - this.triggeredAt < SETTLED
  }
}

/** The first wait between two polls, and the longest, in ms. */
export const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 5_000
const GROWTH = 1.5

/** How many polls of one run fit into that many ms, and one more after its end. */
export function maxPolls(maxWait: number): number {
  let polls = 2
  for (let pause = FIRST_PAUSE, at = 0; at < maxWait; pause = Math.min(pause * GROWTH, LONGEST_PAUSE)) {
    at += pause
    polls++
  }
  return polls
}

/** How long a new run may take until it can be read everywhere, in ms. Basis: A43. */
const SETTLED = assumedValues.readableAtOnce * 1_000

/** What one response of a run shows beyond its form. */
function runResults({ id: own, playbook_id: named, status, steps }: Run, id: string, playbook?: string): Result[] {
  const another = text`getRun of ${quote(id)}: expected this run, got ${quote(own)}`
  const isAnother = typeof own === 'string' && own !== id
  const ofAnother = text`playbook_id of the run: expected ${quote(playbook)}, got ${quote(named)}`
  const isOfAnother = playbook !== undefined && typeof named === 'string' && named !== playbook
  const waiting = steps.filter((step) => step.status === STEP_STATUS.waitingApproval)
  const meanwhile = text`the run is ${quote(status)} while a step waits for approval`
  const has = (capability: unknown) => text`a step that waits for approval has the capability ${quote(capability)}`
  return [
    ...failedIf(isAnother, rules.readsRun, another, { pointer: '/id' }),
    ...failedIf(isOfAnother, rules.runPlaybook, ofAnother, { pointer: '/playbook_id' }),
    ...waiting.flatMap(({ capability }) => [
      resultOf(rules.waitingHasNoCapability, capability === undefined, has(capability ?? null)),
      resultOf(rules.runningWhileWaiting, status === RUN_STATUS.running, meanwhile),
    ]),
  ]
}

/** A run that was just triggered, or one that has ended meanwhile, which shows nothing of its first status. Basis: A60. */
function firstStatusResults(status: string): Result[] {
  if (isTerminal(status)) return []
  const fact = text`the first status of a run was ${quote(status)}`
  return [resultOf(rules.firstStatus, status === RUN_STATUS.running, fact, { pointer: '/status', fact })]
}

/** Compares two responses of one run, the earlier one first. */
function startedAtResults({ started_at: first }: Run, { started_at: then }: Run): Result[] {
  if (typeof first !== 'string') return []
  const message = text`started_at of the run was ${quote(first)}, and is ${quote(then)}`
  const details = { pointer: '/started_at', keyword: 'constant' }
  return [resultOf(rules.startedAtConstant, isSameMoment(first, then), message, details)]
}

/**
 * Whether a run that was just triggered started about now, `now` in ms since 1970. Another time zone shows here; at most
 * other times in the past an earlier trigger may have started it.
 */
export function startedNow({ started_at: at }: Run, exchange: Exchange, now: number | undefined): Result[] {
  const header = Date.parse(exchange.headers.get('date') ?? '')
  if (now === undefined || typeof at !== 'string' || !isTimestamp(at)) return []
  // Either clock may be wrong.
  const offs = [now, header].filter((each) => each >= 0).map((each) => Date.parse(at) - each)
  const is = new Date(now).toISOString()
  const message = text`started_at of a run that was just triggered: expected about ${is}, got ${quote(at)}`
  return failedIf(offs.every(isElsewhen), rules.startedAt, message, {
    exchange,
    pointer: '/started_at',
    keyword: 'now',
  })
}

function isElsewhen(off: number): boolean {
  if (Math.abs(off) <= CLOCKS_DIFFER) return false
  const fromZone = Math.abs(off - Math.round(off / STEP_OF_ZONES) * STEP_OF_ZONES)
  return off > 0 || (-off <= FARTHEST_ZONE && fromZone <= NEAR_ZONE) || -off > LONG_AGO
}

/** In ms: less than the offset of any time zone, which is so many quarters of an hour. */
const CLOCKS_DIFFER = 14 * 60_000
const STEP_OF_ZONES = 15 * 60_000
const FARTHEST_ZONE = 14 * 3_600_000
/** In ms: such as 1970, which no earlier trigger explains. */
const LONG_AGO = 365 * 86_400_000
/** How far clocks may differ where the offset is that of a zone, in ms. */
const NEAR_ZONE = 2 * 60_000

/** What may be known of a run. */
export interface SeenOfRun {
  playbook_id?: string | undefined
  started_at?: string | undefined
}

/** Whether two runs of one id are two, of other playbooks and started at other times: each workspace may count its own. */
export function areTwoRuns(one: SeenOfRun, other: SeenOfRun): boolean {
  const [at, isOf] = [one.started_at, one.playbook_id]
  const isOther = isOf !== undefined && other.playbook_id !== undefined && isOf !== other.playbook_id
  return isOther && !(typeof at === 'string' && isSameMoment(at, other.started_at))
}

/** Only a step with a unique id can be compared. */
function namedSteps({ steps }: Run): Step[] {
  const counts = new Map<string, number>()
  for (const { id } of steps) increment(counts, id)
  return steps.filter(({ id }) => typeof id === 'string' && id !== '' && counts.get(id) === 1)
}

/** A poll may miss statuses, so any path through the state machine is valid. */
function transitionResults(id: BasisId, what: Message, machine: StateMachine, from: string, to: string): Result[] {
  if (from === to) return []
  return [resultOf(id, mayBecome(machine, from, to), text`${what} went from ${quote(from)} to ${quote(to)}`)]
}

function mayBecome(machine: StateMachine, from: string, to: string): boolean {
  const states = reachable(machine, from)
  // Nobody knows what follows a status that the contract names without its successors.
  const isOpen = (status: string) => machine[status] && !machine[status].next && !machine[status].terminal
  return states.has(to) || [from, ...states].some(isOpen)
}

function reachable(machine: StateMachine, from: string, found = new Set<string>()): Set<string> {
  for (const next of machine[from]?.next ?? []) if (!found.has(next)) reachable(machine, next, found.add(next))
  return found
}
