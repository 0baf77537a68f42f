import { type OperationId, protocol } from '../../../../../generated/operations.js'
import type { Run } from '../../../../../generated/types.js'
import { STEP_STATUS } from '../../../../internal/contract/run.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { errorBasis, isChosen, TRIGGER } from '../../judge/contract.js'
import { isListed } from '../../judge/lists.js'
import { isTerminal } from '../../judge/runs.js'
import { bearer, type ConformanceSettings } from '../../options.js'
import { RELATION, tryApart } from '../cases/apart.js'
import { tryOut } from '../cases/index.js'
import { type Change, pathOf, startOf, withoutInputs } from '../request.js'
import type { Shape } from '../shapes.js'
import { type Session, type Step, step } from '../step.js'

const READ: OperationId = 'getRun'
/**
 * Each state of a run is read without a key, with a wrong one and with that of another workspace, as plainly as a client does
 * it; at the depth quick on one run of each state. The reads come with the polls: this step announces them.
 */
export function strangerSteps(settings: ConformanceSettings): Step[] {
  const { triggers, run, depth, otherWorkspaceKey } = settings
  const runs = triggers.length + (triggers.length > 0 ? EXTRA_RUNS : 0) + (run === undefined ? 0 : 1)
  const keys = otherWorkspaceKey === undefined ? 2 : 3
  if (runs === 0 || !isChosen(settings, READ)) return []
  const [requests, maxRequests] =
    depth === 'quick' ? [2 * keys, STATES * keys] : [2 * runs * keys, STATES * runs * keys]
  return [step('credentials', 'polls', 0, undefined, { requests, unbounded: requests, maxRequests })]
}

/** Fresh, running, waiting, ended and failed. */
const STATES = 5
/** How many runs of the first playbook follow the first one. */
const EXTRA_RUNS = 3

/** Reads a run that was just read, as somebody who must not see it. */
export async function readAsStrangers(session: Session, id: string, run: Run): Promise<void> {
  const { settings, facts } = session
  const { depth, otherWorkspaceKey } = settings
  const state = stateOf(run)
  const tried = depth === 'quick' ? state : `${state} ${id}`
  facts.runs.set(id, run)
  const basis = errorBasis(READ, STATUS.unauthorized)
  if (facts.tried.has(tried) || basis === undefined) return
  facts.tried.add(tried)
  const plain: Change = { path: pathOf(READ, id), headers: UNPINNED }
  const shape: Shape = { operation: READ, name: `of a run that ${state}`, change: () => plain }
  const probe = {
    relation: 'credentials' as const,
    operation: READ,
    priority: 0,
    status: STATUS.unauthorized,
    base: () => shape,
  }
  for (const [what, authorization] of STRANGERS)
    await tryOut(session, { ...probe, what, change: () => ({ authorization }) }, basis)
  if (otherWorkspaceKey === undefined) return
  await tryApart(session, shape, plain)
}

const UNPINNED = { [protocol.versionHeader]: '' }

const STRANGERS: readonly (readonly [what: string, authorization: string | null])[] = [
  ['without a key', null],
  // What a client sends whose key is not set.
  ['with the key null', bearer('null')],
]

function stateOf({ status, steps }: Run): string {
  if (isTerminal(status)) return `has ${status}`
  if (steps.some((step) => step.status === STEP_STATUS.waitingApproval)) return 'waits for approval'
  return steps.length === 0 ? 'has no step yet' : `is ${status}`
}

/** Each playbook that was named, triggered once with the key of another workspace, unless that lists it too. Basis: D05. */
export const strangeTriggerSteps = (settings: ConformanceSettings): Step[] =>
  settings.otherWorkspaceKey === undefined || !isChosen(settings, TRIGGER)
    ? []
    : settings.triggers.map((playbook) =>
        step(RELATION, `${TRIGGER} of ${playbook}`, 0, (session) => triggerAsStranger(session, playbook), {
          ...{ maxRequests: 2, triggers: 1, runs: 1, phase: 'while running' },
        }),
      )

async function triggerAsStranger(session: Session, playbook: string): Promise<void> {
  const { facts, settings } = session
  if (isListed(facts.theirPlaybooks, playbook) !== false) return
  // The first one is also triggered with its inputs, as all requests of this workspace are.
  const body = playbook === settings.trigger ? withoutInputs(TRIGGER, settings) : {}
  const plain: Change = { ...startOf(TRIGGER, playbook), ...body, headers: UNPINNED }
  const shape: Shape = { operation: TRIGGER, name: `of ${playbook}`, change: () => plain }
  await tryApart(session, shape, plain)
}
