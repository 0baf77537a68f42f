import type { BasisId } from '../../generated/operations.js'

const TRIGGER = 'Name a playbook to trigger, or a run to read.'
const WATCH = 'Name a playbook to trigger, so that a run can be followed.'
const LIMIT = 'The rate limit was not reached. Ask for it to be reached.'
const DEFINITION = 'A definition, which no response can show.'
const ADVICE = 'Advice to clients, which no response can show.'

/** Why an entry may not have been exercised. */
export const REASONS: Partial<Record<BasisId, string>> = {
  S01: TRIGGER,
  S02: DEFINITION,
  S05: TRIGGER,
  S06: TRIGGER,
  S07: TRIGGER,
  S08: TRIGGER,
  S09: TRIGGER,
  S10: TRIGGER,
  S11: TRIGGER,
  S12: TRIGGER,
  S18: 'Name a playbook to trigger.',
  S19: TRIGGER,
  S21: WATCH,
  S25: 'Give a key that may read and not trigger.',
  S27: LIMIT,
  S28: 'No response was a 500, and a client cannot provoke one.',
  S29: LIMIT,
  S30: LIMIT,
  S31: LIMIT,
  S32: LIMIT,
  S33: LIMIT,
  S34: LIMIT,
  S35: 'Ask for the rate limit to be reached, and give a second key of the workspace.',
  S36: LIMIT,
  S37: DEFINITION,
  S38: ADVICE,
  S41: 'That something is not there cannot be shown.',
  O01: TRIGGER,
  O02: TRIGGER,
  O03: 'No step was seen waiting for approval.',
  D02: 'Name a playbook to trigger.',
  D04: LIMIT,
  D05: 'Give a key of another workspace, and name a playbook to trigger or a run to read.',
  A02: 'The list of playbooks was empty.',
  A03: 'The list of providers was empty.',
  A04: 'No step with a capability was seen, or not all providers.',
  A05: 'No run was seen to its end.',
  A06: 'No step was seen running or failed.',
  A07: WATCH,
  A08: WATCH,
  A09: 'No step was seen waiting for approval.',
  A10: 'A client cannot reject an approval.',
  A11: WATCH,
  A13: 'Name a playbook to trigger.',
  A14: 'Name a playbook to trigger.',
  A18: 'Give a key of a workspace whose plan has no API access.',
  A19: LIMIT,
  A22: 'No input was refused. Which inputs a playbook refuses is not known.',
  A23: 'Using up the run quota would harm the workspace.',
  A28: TRIGGER,
  A30: 'The list of playbooks was empty.',
  A31: 'Name a playbook to trigger.',
  A33: LIMIT,
  A34: 'Name a playbook to trigger.',
  A25: 'Give a key of another workspace, and name a playbook to trigger or a run to read.',
  A27: 'No response had a field that the contract does not name.',
}

/** What no response can show, whatever was sent. */
export const UNOBSERVABLE: ReadonlySet<BasisId> = new Set(['S02', 'S37', 'S41', 'A10', 'A23'])
