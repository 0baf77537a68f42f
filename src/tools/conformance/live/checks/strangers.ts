import { rules } from '../../../../../generated/contract.js'
import type { Run } from '../../../../../generated/types.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { RUN_STATUS, STEP_STATUS } from '../../../../shared/run-status.js'
import { isChosen, READ_RUN, TRIGGER } from '../../judge/contract.js'
import { isListed } from '../../judge/lists.js'
import { type Result, undecided } from '../../judge/result.js'
import { isTerminal } from '../../judge/runs.js'
import { bearer, type ConformanceSettings } from '../../options.js'
import { APART, tryApart } from '../cases/apart.js'
import { tryCase } from '../cases/index.js'
import type { Check } from '../check.js'
import { startOf, UNPINNED, withoutInputs } from '../request.js'
import type { Session } from '../session.js'

/** What `readAsStrangers` sends for so many runs in one state each, and at most, in each of their states. */
export function strangersCost(settings: ConformanceSettings, runs: number): { requests: number; most: number } {
  const keys = settings.otherWorkspaceKey === undefined ? 2 : 3
  const all = isChosen(settings, READ_RUN) ? (settings.depth === 'quick' ? 1 : runs) * keys : 0
  return { requests: all, most: STATES * all }
}

/** Fresh, running, waiting, ended and failed. */
const STATES = 5
/**
 * Reads a run that was just read, as somebody who must not see it: without a key, with a wrong one and with that of another
 * workspace, as plainly as a client does it; at the depth quick on one run of each state.
 */
export async function* readAsStrangers(
  session: Session,
  id: string,
  run: Run,
): AsyncGenerator<readonly Result[], void> {
  const { settings, known } = session
  const { depth, otherWorkspaceKey } = settings
  const state = stateOf(run)
  const tried = depth === 'quick' ? state : `${state} ${id}`
  known.runs.set(id, run)
  if (known.tried.has(tried)) return
  known.tried.add(tried)
  const name = `of a run that ${state}`
  const request = { operation: READ_RUN, id, headers: UNPINNED }
  const of = { operation: READ_RUN, name, change: { id, headers: UNPINNED } }
  for (const [what, authorization] of STRANGERS)
    yield await tryCase(session, 'credentials', {
      ...{ operation: READ_RUN, of, what, change: { authorization }, status: STATUS.unauthorized, depth: 'quick' },
    })
  if (otherWorkspaceKey !== undefined) yield await tryApart(session, { title: `${READ_RUN} ${name}`, name, request })
}

const STRANGERS: readonly (readonly [what: string, authorization: string | null])[] = [
  ['without a key', null],
  // What a client sends whose key is not set.
  ['with the key null', bearer('null')],
]

function stateOf({ status, steps }: Run): string {
  if (isTerminal(status)) return `has ${status}`
  if (steps.some((step) => step.status === STEP_STATUS.waitingApproval)) return 'waits for approval'
  if (steps.length === 0) return 'has no step yet'
  // What a service sends belongs into a message as a value only.
  return status === RUN_STATUS.running ? `is ${status}` : 'has another status'
}

/** Each playbook that was named, triggered once with the key of another workspace, unless that lists it too. Basis: D05. */
export const strangeTriggers: Check = {
  name: APART,
  needs: (settings) => settings.otherWorkspaceKey !== undefined && isChosen(settings, TRIGGER),
  cost: ({ triggers: { length } }) => ({ requests: length, most: 2 * length, triggers: length, runs: length }),
  async *run(session) {
    const { known, settings } = session
    const theirs = known.theirs.get('listPlaybooks')?.body
    for (const playbook of settings.triggers) {
      const isTheirs = isListed(theirs, playbook)
      if (isTheirs === undefined) yield undecided(rules.workspacesApart, NOT_WHOLE)
      if (isTheirs !== false) continue
      // The first one is also triggered with its inputs, as all requests of this workspace are.
      const body = playbook === settings.trigger ? withoutInputs(TRIGGER) : {}
      const request = { ...startOf(playbook), ...body, headers: UNPINNED }
      const name = `of ${playbook}`
      yield await tryApart(session, { title: `${TRIGGER} ${name}`, name, request })
    }
  },
}

const NOT_WHOLE = `${TRIGGER}: it was not sent with the key of the other workspace, whose list of playbooks could not be read whole: it may have the playbook, too.`
