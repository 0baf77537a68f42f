import type { BasisId } from '../../../../generated/contract.js'
import { basis } from '../../../../generated/contract.js'
import { operationIds } from '../../../internal/contract/operations.js'
import type { Need } from '../../../runtime/contract-nodes.js'
import { isAbout, isChosen } from '../judge/contract.js'
import type { ConformanceOptions } from '../options.js'

/** What to give for each need, and the options that give it; any one of them will do. */
const NEEDS: Record<Need, readonly [hint: string, ...options: (keyof ConformanceOptions)[]]> = {
  run: ['name a playbook to trigger, or a run to read', 'trigger', 'run'],
  trigger: ['name a playbook to trigger', 'trigger'],
  rateLimit: ['ask for the rate limit to be reached', 'rateLimit'],
  readOnlyKey: ['give a key that may read and not trigger', 'readOnlyKey'],
  secondKey: ['give a second key of the workspace', 'readOnlyKey', 'otherWorkspaceKey'],
  otherWorkspaceKey: ['give a key of another workspace', 'otherWorkspaceKey'],
  hobbyKey: ['give a key of a workspace whose plan has no API access', 'hobbyKey'],
}

/** Why an entry was not exercised, and which option would exercise it, unless it was given. */
export function reasonOf(id: BasisId, given: Partial<ConformanceOptions>): string | undefined {
  const about = operationIds.filter((operation) => isAbout(operation, id))
  if (about.length > 0 && !about.some((operation) => isChosen(given, operation)))
    return `Not checked: ${about.join(', ')}.`
  const { needs = [], unobservable } = basis[id]
  const missing = needs.map((need) => NEEDS[need]).filter(([, ...options]) => options.every((option) => !given[option]))
  const hint = missing.map(([each]) => each).join(', and ')
  return hint ? `${hint[0]?.toUpperCase()}${hint.slice(1)}.` : unobservable
}
