import type { Run } from '../../../../generated/types.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { STATUS } from '../../../internal/contract/status.js'
import { parseJson } from '../../../internal/http/json.js'
import { OBJECT } from '../../../internal/options.js'
import { drawn } from '../../../internal/random.js'
import { secondsText } from '../../../internal/time/time.js'
import { RUN_STATUS, STEP_STATUS } from '../../../shared/run-status.js'
import type { ClientCall } from '../../client-rules/types.js'
import type { SerializedResponse } from '../../service/response/serialize.js'
import type { SandboxClock } from '../clock.js'
import type { AppliedFault, FaultEffect, FaultTarget } from '../faults/types.js'
import type { RunStore } from '../runs/store.js'

/** A situation that a client must handle. */
interface Situation {
  name: string
  /** Which calls it may happen to. After its end a run must not seem to continue, so `run` needs one that is running. */
  calls: 'read' | 'trigger' | 'run'
  /** What happens to the call, which is decided when it arrives. */
  effect?: FaultEffect & Pick<AppliedFault, 'delay'>
  /** Properties for the body of a success, and for the last step of the run that it is: decided when it is there. */
  merge?: { body?: object; lastStep?: object }
  /** The client need not repeat the call, so the situation may directly follow another one. */
  isHarmless?: true
}

const UNKNOWN = 'sandbox_unknown'

const SITUATIONS: readonly Situation[] = [
  { name: 'a 429 with a wait of 1 s', calls: 'read', effect: { status: STATUS.rateLimited, retryAfter: 1 } },
  { name: 'a 429 without a wait', calls: 'read', effect: { status: STATUS.rateLimited, retryAfter: false } },
  { name: 'a 500 for a read', calls: 'read', effect: { status: STATUS.internalError } },
  { name: 'a 500 for a trigger', calls: 'trigger', effect: { status: STATUS.internalError } },
  { name: 'a lost response of a trigger', calls: 'trigger', effect: { drop: true, after: 'effect' } },
  { name: 'a dropped connection', calls: 'read', effect: { drop: true } },
  { name: 'an error without a body', calls: 'read', effect: { status: STATUS.internalError, body: '' } },
  { name: 'a response after 2 s', calls: 'read', effect: { delay: 2_000 }, isHarmless: true },
  {
    name: 'an unknown status of a run',
    calls: 'run',
    merge: { body: { status: UNKNOWN } },
    isHarmless: true,
  },
  {
    name: 'an unknown status of a step',
    calls: 'run',
    merge: { lastStep: { status: UNKNOWN } },
    isHarmless: true,
  },
  {
    name: 'unknown fields',
    calls: 'read',
    merge: { body: { [UNKNOWN]: true } },
    isHarmless: true,
  },
  {
    name: 'a step that waits for approval',
    calls: 'run',
    merge: { lastStep: { status: STEP_STATUS.waitingApproval } },
    isHarmless: true,
  },
]

/** The parts of a sandbox that an exercise uses. */
interface ExerciseParts {
  runs: RunStore
  clock: SandboxClock
  decide(runId: string, approved: boolean): Run
}

/** A situation that has happened. */
interface Happened {
  name: string
  /** The id of its fault, if it has one. */
  fault?: string
  isHarmless: true | undefined
  /** The call that it happened to, once the checks have it. */
  call?: ClientCall
  /** When the client repeated the call, in ms. */
  again?: number
  /** Whether any request came afterwards. */
  wentOn: boolean
}

export type Exercise = ReturnType<typeof createExercise>

/** Applies each situation once, to requests of the client, in an order that the seed chooses. */
export function createExercise(seed: number) {
  let waiting: Situation[] = []
  let isStarted = false
  const happened: Happened[] = []
  /** Operations whose next call passes: clients give up after several failures. */
  const mustPass = new Set<string>()
  /** When waiting runs were first seen, in ms, by their ids. */
  const seenWaiting = new Map<string, number>()
  const happen = (situation: Situation, how: Pick<Happened, 'fault' | 'call'>) => {
    waiting = waiting.filter((each) => each !== situation)
    happened.push({ name: situation.name, isHarmless: situation.isHarmless, wentOn: false, ...how })
  }
  return {
    start(): void {
      isStarted = true
      const drawnSituations = SITUATIONS.map((situation, at) => ({ situation, order: drawn(seed, at) }))
      waiting = drawnSituations.sort((one, other) => one.order - other.order).map(({ situation }) => situation)
    },
    isStarted: (): boolean => isStarted,
    /** Approves waiting steps, a second after they were first seen. */
    approve: (parts: ExerciseParts) => approveAfterAWhile(parts, seenWaiting),
    /** The effect for a call, if a situation waits for one like it. */
    take({ operation }: FaultTarget): AppliedFault | undefined {
      if (operation === undefined) return undefined
      const isFree = !mustPass.delete(operation)
      const calls = isTrigger(operation) ? 'trigger' : 'read'
      const found = waiting.find((each) => each.effect && each.calls === calls && (isFree || each.isHarmless))
      if (!found) return undefined
      if (!found.isHarmless) mustPass.add(operation)
      const id = `exercise ${happened.length + 1}`
      happen(found, { fault: id })
      return { ...found.effect, id, reason: { type: 'exercise' } }
    },
    /** The body of a response with what a situation changes in it, if one waits for a response like it. */
    change(call: ClientCall, { status, text }: SerializedResponse): string | undefined {
      if (waiting.length === 0 || isTrigger(call.operation) || status > 299) return undefined
      const body = parseJson(text)
      if (!OBJECT.accepts(body)) return undefined
      const found = waiting.find((each) => isTarget(each, call, body as Partial<Run>))
      if (!found) return undefined
      happen(found, { call })
      return JSON.stringify(merged(body as Partial<Run>, found))
    },
    /** Notes what a client does after each situation. */
    follow(call: ClientCall, fault: AppliedFault | undefined): void {
      for (const each of happened) {
        if (each.call === undefined) continue
        each.wentOn = true
        if (each.call.identity === call.identity) each.again ??= call.sentAt
      }
      const applied = fault && happened.find((each) => each.fault === fault.id)
      if (applied) applied.call = call
    },
    /** The situations that happened, each with the client's reaction, and those that did not. */
    remarks: (): string[] => [...happened.map(remarkOf), ...missingRemarks(waiting)],
    reset(): void {
      isStarted = false
      waiting = []
      happened.length = 0
      mustPass.clear()
      seenWaiting.clear()
    },
  }
}

const remarkOf = (each: Happened): string =>
  `Exercised ${each.name}${each.call ? ` (${each.call.operation})` : ''}: ${reactionOf(each)}.`

const missingRemarks = (waiting: readonly Situation[]): string[] =>
  waiting.length === 0
    ? []
    : [`Not tried, because no matching request came: ${waiting.map(({ name }) => name).join(', ')}.`]

function reactionOf({ call, again, wentOn, isHarmless }: Happened): string {
  if (isHarmless && wentOn) return 'requests went on'
  if (call && again !== undefined) return `the same request came again ${secondsText(again - call.sentAt)} later`
  return wentOn ? 'other requests came afterwards' : 'no request came afterwards'
}

function isTarget({ calls, merge }: Situation, { operation }: ClientCall, { status, steps }: Partial<Run>): boolean {
  if (!merge || calls !== 'run') return merge !== undefined
  const isRunning = operation === 'getRun' && status === RUN_STATUS.running
  return isRunning && (!merge.lastStep || (Array.isArray(steps) && steps.length > 0))
}

function merged(run: Partial<Run>, { merge: { body, lastStep } = {} }: Situation): object {
  const { steps = [] } = run
  return { ...run, ...body, ...(lastStep && { steps: [...steps.slice(0, -1), { ...steps.at(-1), ...lastStep }] }) }
}

function approveAfterAWhile({ runs, clock, decide }: ExerciseParts, seen: Map<string, number>): void {
  for (const { id } of runs.waiting()) {
    // A snapshot may have set the time back.
    const since = Math.min(seen.get(id) ?? Infinity, clock.now())
    seen.set(id, since)
    if (clock.now() - since < APPROVED_AFTER) continue
    seen.delete(id)
    decide(id, true)
  }
}

/** How long a step waits until it is approved, in ms. */
const APPROVED_AFTER = 1_000
