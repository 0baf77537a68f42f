import { type OperationId, operations, planIds, plans } from '../../../../generated/contract.js'
import { examples, run, runSucceeded, runWaitingApproval, workspace } from '../../../../generated/examples.js'
import { STEP_STATUS } from '../../../shared/run-status.js'
import type { NamedWorld, ScriptStep, WorldPlaybook } from './types.js'

export type DefaultKey = 'valid' | 'readOnly' | 'hobby' | 'limited' | 'otherWorkspace'
export type DefaultPlaybook = 'succeeds' | 'needsApproval' | 'fails' | 'slow' | 'otherWorkspace'

/** The world of the contract's examples, and three more workspaces: without API access, always limited, and a second one. */
export function createDefaultWorld(): NamedWorld<DefaultKey, DefaultPlaybook> {
  const { default: playbooks, lastPage: lastPlaybooks } = examples.listPlaybooks[200]
  const { default: providers, lastPage: lastProviders } = examples.listProviders[200]
  const [succeeds, needsApproval, fails, slow] = [...playbooks.data, ...lastPlaybooks.data] as FourPlaybooks
  // A copy: the examples are shared by all their importers.
  return structuredClone({
    main: {
      workspace,
      keys: { valid: { value: 'key_valid' }, readOnly: { value: 'key_read_only', operations: READING } },
      playbooks: {
        succeeds: {
          playbook: succeeds,
          steps: [{ capability: 'billing.open_account' }, { capability: 'mail.send' }],
        },
        needsApproval: { playbook: needsApproval, steps: REFUND },
        fails: {
          playbook: fails,
          steps: [{ capability: 'tickets.find_stale' }, { capability: 'tickets.close', fails: true }],
        },
        slow: { playbook: slow, steps: MONTHS.map(() => ({ capability: 'billing.collect', duration: 30_000 })) },
      },
      providers: [...providers.data, ...lastProviders.data],
      runs: [{ id: run.id, playbook_id: run.playbook_id, started_at: run.started_at }],
    },
    hobby: {
      workspace: { id: 'ws_2Hq8Vb', name: 'Hobby Workshop' },
      ...(planIds.withoutAccess && { plan: planIds.withoutAccess }),
      keys: { hobby: { value: 'key_hobby' } },
      ...EMPTY,
    },
    limited: {
      workspace: { id: 'ws_9Lm4Tc', name: 'Busy Operations' },
      plan: { requestsPerMinute: plans[planIds.default].requestsPerMinute, burst: 0 },
      keys: { limited: { value: 'key_limited' } },
      ...EMPTY,
    },
    other: {
      workspace: { id: 'ws_7Wn3Xd', name: 'Other Operations' },
      keys: { otherWorkspace: { value: 'key_other_workspace' } },
      playbooks: {
        otherWorkspace: {
          playbook: { id: 'pb_6tR1zk', name: 'Send the newsletter' },
          steps: [{ capability: 'mail.send' }],
        },
      },
      providers: providers.data.filter(({ id }) => id === 'mail'),
    },
  })
}

const EMPTY = { playbooks: {}, providers: [] }

type FourPlaybooks = [WorldPlaybook, WorldPlaybook, WorldPlaybook, WorldPlaybook]

const READING = (Object.keys(operations) as OperationId[]).filter((id) => operations[id].method === 'GET')

const MONTHS = Array.from({ length: 12 })

const WAITING = new Set(
  runWaitingApproval.steps.flatMap(({ id, status }) => (status === STEP_STATUS.waitingApproval ? [id] : [])),
)

/** The steps of the contract's example run. */
const REFUND: ScriptStep[] = runSucceeded.steps.map((step) => ({
  ...('capability' in step && step.capability !== undefined && { capability: step.capability }),
  ...(WAITING.has(step.id) && { approval: true }),
}))
