import { type BasisId, transitions } from '../../generated/operations.js'
import type { ProviderList, Run, Step } from '../../generated/types.js'
import type { Exchange } from './exchange.js'
import type { Ledger } from './ledger.js'
import { failed, quote, type Result, resultOf, text } from './result.js'
import { RUNNING, WAITING } from './semantics.js'
import type { Facts } from './session.js'

/** What one response of a run shows beyond its form: whether it is the run that was asked for, of the playbook that was triggered. */
function runResults(run: Run, id: string, playbook?: string): Result[] {
  const results: Result[] = []
  if (typeof run.id === 'string' && run.id !== id)
    results.push(failed('S19', text`getRun of ${quote(id)} responds with the run ${quote(run.id)}`, { pointer: '/id' }))
  if (playbook !== undefined && typeof run.playbook_id === 'string' && run.playbook_id !== playbook)
    results.push(
      failed('S07', text`the run of the playbook ${quote(playbook)} names ${quote(run.playbook_id)}`, {
        pointer: '/playbook_id',
      }),
    )
  for (const step of run.steps) {
    if (step.status !== WAITING) continue
    const { capability } = step
    results.push(
      resultOf(
        'O03',
        capability === undefined,
        text`a step that waits for approval has the capability ${quote(capability ?? null)}`,
      ),
      resultOf('A09', run.status === RUNNING, text`the run is ${quote(run.status)} while a step waits for approval`),
    )
  }
  return results
}

/** Whether a body can be followed as a run; what else is wrong with it does not matter for that. */
export const isFollowable = (body: unknown): body is Run => {
  const { status, steps } = (body ?? {}) as { status?: unknown; steps?: unknown }
  return typeof status === 'string' && Array.isArray(steps) && steps.every((step) => typeof step === 'object' && step)
}

type StateMachine = Readonly<Record<string, { readonly next?: readonly string[]; readonly terminal?: boolean }>>
const RUN: StateMachine = transitions.Run
const STEP: StateMachine = transitions.Step

export const isTerminal = (status: string | undefined): boolean =>
  status !== undefined && RUN[status]?.terminal === true

/** What two responses of one run show, the earlier one first. Basis: S08, S09, S10, A07, A08, A11. */
function changeResults(previous: Run, run: Run): Result[] {
  const results = [...statusResults(previous.status, run.status)]
  if (typeof previous.started_at === 'string' && run.started_at !== previous.started_at)
    results.push(
      failed('S08', text`started_at of the run was ${quote(previous.started_at)}, then ${quote(run.started_at)}`, {
        pointer: '/started_at',
        keyword: 'constant',
      }),
    )
  const before = previous.steps.filter((step) => isNamed(step, previous))
  const now = run.steps.filter((step) => isNamed(step, run))
  for (const step of now) {
    const earlier = before.find(({ id }) => id === step.id)
    if (earlier && typeof step.status === 'string') results.push(...stepResults(earlier, step))
  }
  return [...results, ...orderResults(before, now), ...lostStepResults(before, now)]
}

/** How the status of a run changed; the response to its trigger is the earlier one of the first poll. Basis: A07. */
const statusResults = (from: string | undefined, to: string): Result[] =>
  from === undefined ? [] : transitionResults('A07', 'the run', undefined, RUN, from, to)

/** Only a step with an id of its own can be told from the others. */
const isNamed = ({ id }: Step, { steps }: Run): boolean =>
  typeof id === 'string' && steps.filter((step) => step.id === id).length === 1

function stepResults(earlier: Step, { id, status }: Step): Result[] {
  const results = transitionResults('A08', 'the step', id, STEP, earlier.status, status)
  if (!Object.hasOwn(STEP, earlier.status) && status === RUNNING)
    results.push(failed('A11', text`a step was ${quote(earlier.status)} before it was running`))
  return results
}

/** A step that appears late may stand between others; those that were there keep their order. */
function orderResults(before: readonly Step[], now: readonly Step[]): Result[] {
  const order = before.map(({ id }) => now.findIndex((step) => step.id === id)).filter((index) => index !== -1)
  const wrong = order.find((position, index) => index > 0 && position < (order[index - 1] ?? 0))
  if (wrong === undefined) return []
  return [
    failed('S09', text`the step ${quote(now[wrong]?.id)} stands before a step that it came after`, {
      pointer: '/steps',
    }),
  ]
}

function lostStepResults(before: readonly Step[], now: readonly Step[]): Result[] {
  const lost = before.find(({ id }) => !now.some((step) => step.id === id))
  if (!lost || now.length < before.length) return []
  return [failed('S10', text`the step ${quote(lost.id)} has another id in a later response`, { pointer: '/steps' })]
}

/** A poll may miss what came between, so any way through the state machine will do. */
function transitionResults(
  id: BasisId,
  what: string,
  name: string | undefined,
  machine: StateMachine,
  from: string,
  to: string,
): Result[] {
  if (from === to) return []
  const message = text`${what}${name === undefined ? '' : text` ${quote(name)}`} went from ${quote(from)} to ${quote(to)}`
  return [resultOf(id, reachable(machine, from).has(to), message)]
}

function reachable(machine: StateMachine, from: string): Set<string> {
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

/** Records what the polls of one run show. `status` is that in the response to its trigger. */
export function followRun(ledger: Ledger, facts: Facts, id: string, playbook?: string, status?: string) {
  let first: Run | undefined
  let last: Run | undefined
  let polls = 0
  return {
    last: () => last,
    /** `isLater` is false for a poll that may show an earlier state than the last one. */
    poll(run: Run, exchange: Exchange, isLater = true): void {
      facts.runId = id
      learnCapabilities(facts, run)
      ledger.add(runResults(run, id, playbook), exchange)
      if (!isLater) return
      ledger.add(last ? changeResults(last, run) : statusResults(status, run.status), exchange)
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

/** Remembers the capabilities of a run, which name providers. */
function learnCapabilities(facts: Facts, { steps }: Run): void {
  for (const { capability } of steps) if (typeof capability === 'string') facts.capabilities.add(capability)
}

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
