import { type BasisId, transitions } from '../../generated/operations.js'
import type { ProviderList, Run, Step } from '../../generated/types.js'
import { RUN_STATUS, STEP_STATUS } from '../internal/status.js'
import type { Exchange } from './exchange.js'
import type { Ledger } from './ledger.js'
import { failedIf, type Message, quote, type Result, resultOf, text } from './result.js'
import type { Facts } from './session.js'
import { isSameMoment } from './timestamp.js'

/** Whether a body has what polling needs; other problems do not matter for that. */
export const isFollowable = (body: unknown): body is Run => {
  const { status, steps } = (body ?? {}) as { status?: unknown; steps?: unknown }
  return typeof status === 'string' && Array.isArray(steps) && steps.every((step) => typeof step === 'object' && step)
}

type StateMachine = Readonly<Record<string, { readonly next?: readonly string[]; readonly terminal?: boolean }>>
const RUN: StateMachine = transitions.Run
const STEP: StateMachine = transitions.Step

export const isTerminal = (status: string | undefined): boolean =>
  status !== undefined && RUN[status]?.terminal === true

/** What one response of a run shows beyond its form. Basis: S07, S19, O03, A09. */
function runResults({ id: own, playbook_id: named, status, steps }: Run, id: string, playbook?: string): Result[] {
  const another = text`getRun of ${quote(id)} responds with the run ${quote(own)}`
  const isAnother = typeof own === 'string' && own !== id
  const ofAnother = text`the run of the playbook ${quote(playbook)} names ${quote(named)}`
  const isOfAnother = playbook !== undefined && typeof named === 'string' && named !== playbook
  const waiting = steps.filter((step) => step.status === STEP_STATUS.waitingApproval)
  const meanwhile = text`the run is ${quote(status)} while a step waits for approval`
  const has = (capability: unknown) => text`a step that waits for approval has the capability ${quote(capability)}`
  return [
    ...failedIf(isAnother, 'S19', another, { pointer: '/id' }),
    ...failedIf(isOfAnother, 'S07', ofAnother, { pointer: '/playbook_id' }),
    ...waiting.flatMap(({ capability }) => [
      resultOf('O03', capability === undefined, has(capability ?? null)),
      resultOf('A09', status === RUN_STATUS.running, meanwhile),
    ]),
  ]
}

/** Compares two responses of one run, the earlier one first. Basis: S08, S09, S10, A07, A08, A11. */
function changeResults(previous: Run, run: Run): Result[] {
  const [first, then] = [previous.started_at, run.started_at]
  const changed = text`started_at of the run was ${quote(first)}, then ${quote(then)}`
  const isChanged = typeof first === 'string' && !isSameMoment(first, then)
  const [before, now] = [namedSteps(previous), namedSteps(run)]
  return [
    ...runStatusResults(previous.status, run.status),
    ...failedIf(isChanged, 'S08', changed, { pointer: '/started_at', keyword: 'constant' }),
    ...now.flatMap((step) =>
      stepResults(
        before.find(({ id }) => id === step.id),
        step,
      ),
    ),
    ...stepListResults(before, now),
  ]
}

/** A step that appears late may stand between others; those that were there keep their order and their ids. */
function stepListResults(before: readonly Step[], now: readonly Step[]): Result[] {
  const order = before.map(({ id }) => now.findIndex((step) => step.id === id)).filter((index) => index !== -1)
  const wrong = order.find((position, index) => position < (order[index - 1] ?? 0))
  const moved = text`the step ${quote(now[wrong ?? 0]?.id)} stands before a step that it came after`
  const lost = before.find(({ id }) => !now.some((step) => step.id === id))
  const renamed = text`the step ${quote(lost?.id)} has another id in a later response`
  const isRenamed = lost !== undefined && now.length >= before.length
  const details = { pointer: '/steps' }
  return [...failedIf(wrong !== undefined, 'S09', moved, details), ...failedIf(isRenamed, 'S10', renamed, details)]
}

/** Only a step with a unique id can be compared. */
const namedSteps = ({ steps }: Run): Step[] =>
  steps.filter(({ id }) => typeof id === 'string' && steps.filter((step) => step.id === id).length === 1)

/** Checks how the status of a run changed; the response to its trigger precedes the first poll. Basis: A07. */
const runStatusResults = (from: string | undefined, to: string): Result[] =>
  from === undefined ? [] : transitionResults('A07', 'the run', RUN, from, to)

/** Basis: A08, A11. */
function stepResults(before: Step | undefined, { id, status: to }: Step): Result[] {
  const { status: from } = before ?? {}
  if (typeof from !== 'string' || typeof to !== 'string') return []
  const isLate = !Object.hasOwn(STEP, from) && to === STEP_STATUS.running
  return [
    ...transitionResults('A08', text`the step ${quote(id)}`, STEP, from, to),
    ...failedIf(isLate, 'A11', text`a step was ${quote(from)} before it was running`),
  ]
}

/** A poll may miss statuses, so any path through the state machine is valid. */
function transitionResults(id: BasisId, what: Message, machine: StateMachine, from: string, to: string): Result[] {
  if (from === to) return []
  return [resultOf(id, reachable(machine, from).has(to), text`${what} went from ${quote(from)} to ${quote(to)}`)]
}

function reachable(machine: StateMachine, from: string, found = new Set<string>()): Set<string> {
  for (const next of machine[from]?.next ?? []) if (!found.has(next)) reachable(machine, next, found.add(next))
  return found
}

/** Records the results of the polls of one run. `status` is that in the response to its trigger. */
export function followRun(ledger: Ledger, facts: Facts, id: string, playbook?: string, status?: string) {
  let first: Run | undefined
  let last: Run | undefined
  let polls = 0
  return {
    last: () => last,
    /** `isLater` is false for a poll that may show an earlier state than the previous one. */
    poll(run: Run, exchange: Exchange, isLater = true): void {
      facts.runId = id
      for (const { capability } of run.steps) if (typeof capability === 'string') facts.capabilities.add(capability)
      ledger.add(runResults(run, id, playbook), exchange)
      if (!isLater) return
      ledger.add(last ? changeResults(last, run) : runStatusResults(status, run.status), exchange)
      first ??= run
      last = run
      polls++
    },
    /** Basis: S21, A11. */
    end(): void {
      if (!first || !last || polls < 2) return
      ledger.passes('S21', text`${polls} polls showed the run from ${quote(first.status)} to ${quote(last.status)}`)
      const [before, after] = [first.steps.length, last.steps.length]
      if (after > before) ledger.passes('A11', `the run had ${before} steps at first, and ${after} in the end`)
    },
  }
}

export type FollowedRun = ReturnType<typeof followRun>

/** Checks that span responses of several operations. Basis: S01, A04. */
export function checkAcrossResponses(ledger: Ledger, { bodies, capabilities }: Facts): void {
  const { getCurrentWorkspace, listPlaybooks, listProviders, getRun, triggerRun } = bodies
  if (getCurrentWorkspace && listPlaybooks && listProviders && (getRun || triggerRun))
    ledger.passes('S01', 'workspace, playbooks, runs and providers are all offered')
  const providers = listProviders as ProviderList | undefined
  if (!providers || providers.data.length < providers.meta.total) return
  const ids = providers.data.flatMap(({ id }) => (id === undefined ? [] : [id]))
  if (ids.length === 0) return
  for (const capability of capabilities) {
    const provider = capability.split('.')[0] ?? ''
    const isNamed = ids.includes(provider)
    const fact = text`the capability ${quote(capability)} ${isNamed ? 'names a' : 'named no'} provider`
    ledger.records('A04', isNamed, text`${fact}; these are: ${quote(ids)}`, undefined, { fact })
  }
}
