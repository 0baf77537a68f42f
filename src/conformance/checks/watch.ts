import { type BasisId, transitions } from '../../../generated/operations.js'
import type { Run, Step, TriggeredRun } from '../../../generated/types.js'
import { isSuccess } from '../contract.js'
import type { Exchange } from '../exchange.js'
import { noteRun } from '../facts.js'
import { callOf, expectSuccess, type Session } from '../session.js'
import { RUNNING } from '../statuses.js'
import { quote, seconds } from '../text.js'

type Machine = Readonly<Record<string, { readonly next?: readonly string[]; readonly terminal?: boolean }>>

/** Polls a run until it ends or the wait is over, and records how it and its steps change. Basis: S21, A07, A08, A11. */
export async function watchRun(session: Session, playbook: string, { id, status }: TriggeredRun): Promise<void> {
  const { settings, transport, ledger, facts } = session
  const history: Run[] = []
  const from = settings.clock.now()
  let pause = FIRST_PAUSE
  let last = status
  for (;;) {
    const answer = await transport.send(callOf(session, 'getRun', { path: { id } }))
    if (history.length === 0 || !isSuccess(answer.status)) {
      if (!expectSuccess(session, answer, 'getRun of the triggered run') && !isSuccess(answer.status)) break
      facts.runId = id
    }
    if (isFollowable(answer.body)) {
      const run = noteRun(session, answer, id, playbook)
      noteChanges(session, answer, last, history.at(-1), run)
      history.push(run)
      if (isTerminal(last)) break
      last = run.status
    }
    const left = from + settings.maxWait - settings.clock.now()
    if (left <= 0) {
      for (const each of ['A05', 'A07'] as const)
        ledger.skips(each, `After ${seconds(settings.maxWait)} the run was ${quote(last ?? 'unknown')}. Wait longer.`)
      break
    }
    await transport.sleep(
      Math.min(pause, left),
      isTerminal(last) ? 'to see that the run changes no more' : 'to poll the run',
    )
    pause = Math.min(pause * GROWTH, LONGEST_PAUSE)
  }
  noteHistory(session, history)
}

/** What is wrong with a run elsewhere does not keep it from being followed. */
const isFollowable = (body: unknown): boolean => {
  const { status, steps } = (body ?? {}) as { status?: unknown; steps?: unknown }
  return typeof status === 'string' && Array.isArray(steps) && steps.every((step) => typeof step === 'object' && step)
}

/** Between polls, in ms. */
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 5_000
const GROWTH = 1.5

const RUN: Machine = transitions.Run
const STEP: Machine = transitions.Step

const isTerminal = (status: string | undefined): boolean => status !== undefined && RUN[status]?.terminal === true

function noteChanges(
  session: Session,
  answer: Exchange,
  before: string | undefined,
  previous: Run | undefined,
  run: Run,
) {
  if (before !== undefined) noteChange(session, answer, 'A07', 'the run', RUN, before, run.status)
  for (const [index, step] of run.steps.entries()) {
    if (!isNamed(step, run) || typeof step.status !== 'string') continue
    const earlier = previous?.steps.find(({ id }) => id === step.id)
    if (earlier) noteChange(session, answer, 'A08', `the step ${quote(step.id)}`, STEP, earlier.status, step.status)
    if (earlier && !Object.hasOwn(STEP, earlier.status) && step.status === RUNNING)
      session.ledger.breaks('A11', `a step was ${quote(earlier.status)} before it was running`, answer)
    const position = previous ? previous.steps.findIndex(({ id }) => id === step.id) : -1
    if (position !== -1 && position !== index)
      session.ledger.breaks('S09', `the step ${quote(step.id)} was number ${position + 1}, then ${index + 1}`, answer)
  }
}

/** Only a step with an id of its own can be told from the others. */
const isNamed = ({ id }: Step, { steps }: Run): boolean =>
  typeof id === 'string' && steps.filter((step) => step.id === id).length === 1

/** A poll may miss what came between, so any way through the machine will do. */
function noteChange(
  { ledger }: Session,
  answer: Exchange,
  id: BasisId,
  what: string,
  machine: Machine,
  from: string,
  to: string,
): void {
  if (from === to) return
  if (reachable(machine, from).has(to)) ledger.holds(id, `${what} went from ${quote(from)} to ${quote(to)}`, answer)
  else ledger.breaks(id, `${what} went from ${quote(from)} to ${quote(to)}`, answer)
}

function reachable(machine: Machine, from: string): Set<string> {
  const found = new Set<string>()
  const visit = (status: string): void => {
    for (const next of machine[status]?.next ?? [])
      if (!found.has(next)) {
        found.add(next)
        visit(next)
      }
  }
  visit(from)
  return found
}

function noteHistory({ ledger }: Session, history: readonly Run[]): void {
  const [first] = history
  const last = history.at(-1)
  if (!first || !last) return
  if (history.length > 1)
    ledger.holds('S21', `${history.length} polls showed the run from ${quote(first.status)} to ${quote(last.status)}`)
  if (last.steps.length > first.steps.length)
    ledger.holds('A11', `the run had ${first.steps.length} steps at first, and ${last.steps.length} in the end`)
}
