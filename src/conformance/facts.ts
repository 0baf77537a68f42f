import type { ProviderList, Run } from '../../generated/types.js'
import type { Exchange } from './exchange.js'
import type { Session } from './session.js'
import { RUNNING, WAITING } from './statuses.js'
import { quote } from './text.js'

/** What one answer of a run shows beyond its form. */
export function noteRun({ ledger, facts }: Session, answer: Exchange, id: string, playbook?: string): Run {
  const run = answer.body as Run
  if (typeof run.id === 'string' && run.id !== id)
    ledger.breaks('S19', `getRun of ${quote(id)} answers the run ${quote(run.id)}`, answer)
  if (playbook !== undefined && typeof run.playbook_id === 'string' && run.playbook_id !== playbook)
    ledger.breaks('S07', `the run of the playbook ${quote(playbook)} names ${quote(run.playbook_id)}`, answer)
  for (const step of run.steps) {
    if (typeof step.capability === 'string') facts.capabilities.add(step.capability)
    if (step.status !== WAITING) continue
    if (step.capability === undefined) ledger.holds('O03', 'a step that waits for approval has no capability', answer)
    else ledger.breaks('O03', `a step that waits for approval has the capability ${quote(step.capability)}`, answer)
    if (run.status === RUNNING) ledger.holds('A09', 'the run is running while a step waits for approval', answer)
    else ledger.breaks('A09', `the run is ${quote(run.status)} while a step waits for approval`, answer)
  }
  return run
}

/** What only all answers together show. */
export function noteWhole({ ledger, facts }: Session): void {
  const { getCurrentWorkspace, listPlaybooks, listProviders, getRun, triggerRun } = facts.bodies
  if (getCurrentWorkspace && listPlaybooks && listProviders && (getRun || triggerRun))
    ledger.holds('S01', 'workspace, playbooks, runs and providers were all answered')
  const providers = listProviders as ProviderList | undefined
  if (!providers || providers.data.length < providers.meta.total) return
  const ids = providers.data.flatMap(({ id }) => (id === undefined ? [] : [id]))
  if (ids.length === 0) return
  for (const capability of facts.capabilities) {
    const provider = capability.split('.')[0] ?? ''
    if (ids.includes(provider)) ledger.holds('A04', `the capability ${quote(capability)} names a provider`)
    else ledger.breaks('A04', `the capability ${quote(capability)} names no provider; these are: ${quote(ids)}`)
  }
}
