import { operationNodes } from '../../generated/conformance.js'
import type { BasisId } from '../../generated/operations.js'
import { unsafeOperations } from './contract.js'
import type { ConformanceOptions } from './options.js'

type Need = readonly [hint: string, ...options: (keyof ConformanceOptions)[]]

/** What exercises more of the register, with the options that give it; any one of them will do. */
const RUN: Need = ['name a playbook to trigger, or a run to read', 'trigger', 'run']
const TRIGGER: Need = ['name a playbook to trigger', 'trigger']
const RATE_LIMIT: Need = ['ask for the rate limit to be reached', 'rateLimit']
const READ_ONLY: Need = ['give a key that may read and not trigger', 'readOnlyKey']
const SECOND_KEY: Need = ['give a second key of the workspace', 'readOnlyKey', 'otherWorkspaceKey']
const OTHER_WORKSPACE: Need = ['give a key of another workspace', 'otherWorkspaceKey']
const HOBBY: Need = ['give a key of a workspace whose plan has no API access', 'hobbyKey']

/** The entries that each option exercises. */
const EXERCISED: readonly [needs: readonly Need[], ids: string][] = [
  [[RUN], 'S01 S05 S06 S07 S08 S09 S10 S11 S12 S19 O01 O02 A28'],
  [[TRIGGER], 'S18 S21 D02 A07 A08 A11 A13 A14 A31 A34'],
  [[RATE_LIMIT], 'S27 S29 S30 S31 S32 S33 S34 S36 D04 A19 A33'],
  [[RATE_LIMIT, SECOND_KEY], 'S35'],
  [[READ_ONLY], 'S25'],
  [[OTHER_WORKSPACE, RUN], 'D05 A25'],
  [[HOBBY], 'A18'],
]

/** Why entries may not have been exercised although every option was given. */
const OTHERS: readonly [reason: string, ids: string][] = [
  ['A definition, which no response can show.', 'S02 S37'],
  ['No response was a 500, and a client cannot provoke one.', 'S28'],
  ['Advice to clients, which no response can show.', 'S38'],
  ['That something is not there cannot be shown.', 'S41'],
  ['No step was seen waiting for approval.', 'O03 A09'],
  ['The list of playbooks was empty.', 'A02 A30'],
  ['The list of providers was empty.', 'A03'],
  ['No step with a capability was seen, or not all providers.', 'A04'],
  ['No run was seen to its end.', 'A05'],
  ['No step was seen running or failed.', 'A06'],
  ['A client cannot reject an approval.', 'A10'],
  ['No input was refused. Which inputs a playbook refuses is not known.', 'A22'],
  ['Using up the run quota would harm the workspace.', 'A23'],
  ['No response had a field that the contract does not name.', 'A27'],
]

/** Why an entry was not exercised, and which option would exercise it, unless it was given. */
export function reasonOf(id: BasisId, given: Partial<ConformanceOptions>): string | undefined {
  const uncalled = unsafeOperations.filter(
    (operation) => !given.unsafe?.includes(operation) && operationNodes[operation].basis.includes(id),
  )
  if (uncalled.length > 0) return `Name ${uncalled.join(', ')} as unsafe: what changes something is called on request.`
  const [needs = []] = EXERCISED.find(([, ids]) => ids.includes(id)) ?? []
  const missing = needs.filter(([, ...options]) => options.every((option) => !given[option]))
  const hint = missing.map(([each]) => each).join(', and ')
  if (hint) return `${hint[0]?.toUpperCase()}${hint.slice(1)}.`
  return OTHERS.find(([, ids]) => ids.includes(id))?.[0]
}

/** Entries that no response can show. */
export const UNOBSERVABLE: ReadonlySet<BasisId> = new Set(['S02', 'S37', 'S41', 'A10', 'A23'])
