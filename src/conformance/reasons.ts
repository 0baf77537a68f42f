import type { BasisId } from '../../generated/operations.js'

/** Why entries may not have been exercised. */
const ENTRIES: readonly (readonly [reason: string, ...ids: BasisId[]])[] = [
  [
    'Name a playbook to trigger, or a run to read.',
    'S01',
    'S05',
    'S06',
    'S07',
    'S08',
    'S09',
    'S10',
    'S11',
    'S12',
    'S19',
    'O01',
    'O02',
    'A28',
  ],
  ['A definition, which no response can show.', 'S02', 'S37'],
  ['Name a playbook to trigger.', 'S18', 'D02', 'A13', 'A14', 'A31', 'A34'],
  ['Name a playbook to trigger, so that a run can be followed.', 'S21', 'A07', 'A08', 'A11'],
  ['Give a key that may read and not trigger.', 'S25'],
  [
    'The rate limit was not reached. Ask for it to be reached.',
    'S27',
    'S29',
    'S30',
    'S31',
    'S32',
    'S33',
    'S34',
    'S36',
    'D04',
    'A19',
    'A33',
  ],
  ['No response was a 500, and a client cannot provoke one.', 'S28'],
  ['Ask for the rate limit to be reached, and give a second key of the workspace.', 'S35'],
  ['Advice to clients, which no response can show.', 'S38'],
  ['That something is not there cannot be shown.', 'S41'],
  ['No step was seen waiting for approval.', 'O03', 'A09'],
  ['Give a key of another workspace, and name a playbook to trigger or a run to read.', 'D05', 'A25'],
  ['The list of playbooks was empty.', 'A02', 'A30'],
  ['The list of providers was empty.', 'A03'],
  ['No step with a capability was seen, or not all providers.', 'A04'],
  ['No run was seen to its end.', 'A05'],
  ['No step was seen running or failed.', 'A06'],
  ['A client cannot reject an approval.', 'A10'],
  ['Give a key of a workspace whose plan has no API access.', 'A18'],
  ['No input was refused. Which inputs a playbook refuses is not known.', 'A22'],
  ['Using up the run quota would harm the workspace.', 'A23'],
  ['No response had a field that the contract does not name.', 'A27'],
]

/** By entry. */
export const REASONS: Partial<Record<BasisId, string>> = Object.fromEntries(
  ENTRIES.flatMap(([reason, ...ids]) => ids.map((id) => [id, reason])),
)

/** What no response can show, whatever was sent. */
export const UNOBSERVABLE: ReadonlySet<BasisId> = new Set(['S02', 'S37', 'S41', 'A10', 'A23'])
