import type { OperationId } from '../../../../generated/contract.js'
import type { Playbook, Provider, RunInputs, RunStatus, Step, Workspace } from '../../../../generated/types.js'
import type { STEP_STATUS } from '../../../shared/run-status.js'
import type { PlanChoice } from '../../service/limit.js'

/** A step of a playbook. */
export interface ScriptStep {
  /**
   * `<provider>.<action>`; the provider is one of the workspace's. Specification, section 2; that it is a provider's id is
   * assumed.
   */
  capability?: string
  /** The step waits until it is approved or rejected; default false. */
  approval?: boolean
  /** The step fails, and the run with it; default false. */
  fails?: boolean
  /**
   * The duration of the step with `progress: 'clock'`, in ms, before `speed`; default 1000. The seed varies it by up to a
   * fifth.
   */
  duration?: number
}

/** A component as a service may have it: what the contract assumes of its properties is open. */
// biome-ignore lint/suspicious/noExplicitAny: a property may have any value, also in an interface
type Open<Component> = { readonly [name in keyof Component]?: unknown } & { readonly [name: string]: any }

/** A playbook as the service lists it. That it has an id, which the sandbox needs, is assumed. */
export type WorldPlaybook = Open<Playbook> & { id: string }

/** A playbook, and the steps of its runs. */
export interface ScriptedPlaybook {
  playbook: WorldPlaybook
  steps: readonly ScriptStep[]
}

/** An API key of a workspace. */
export interface WorldKey {
  value: string
  /** The operations that the key may call; default all. The others get a 403. */
  operations?: readonly OperationId[]
}

/** A run that exists from the start. Without `status`, `steps` and `decisions`, its progress follows from its start. */
export interface WorldRun {
  id: string
  /** The id of its playbook. */
  playbook_id: string
  /** ISO 8601, UTC. */
  started_at: string
  /**
   * The status of the run; with that of a waiting step, it waits at its first step that needs a decision and has none. A run
   * with a status that the sandbox's own runs never reach, or with such a step, is served unchanged and never progresses.
   */
  status?: RunStatus | typeof STEP_STATUS.waitingApproval
  /** Its steps that have started, as `getRun` returns them; by default they follow from `status` and `decisions`. */
  steps?: readonly Pick<Step, 'status' | 'capability'>[]
  /** The decisions on steps that have waited, such as `{ step: 'step_2', approved: true }`; default approved. */
  decisions?: readonly { step: string; approved: boolean }[]
  /** How long its last step has run with `progress: 'clock'`, or the run when `steps` is empty, in ms; default 0. */
  elapsed?: number
  /** The seed varies the durations of its steps by it; default 0. */
  number?: number
  inputs?: RunInputs
}

/** A workspace with everything in it. You choose the names of keys and playbooks. */
export interface WorldWorkspace {
  workspace: Open<Workspace>
  /** The plan of this workspace; default the sandbox's. */
  plan?: PlanChoice
  keys: Readonly<Record<string, WorldKey>>
  playbooks: Readonly<Record<string, ScriptedPlaybook>>
  providers: readonly Open<Provider>[]
  runs?: readonly WorldRun[]
}

/** The initial data of a sandbox: its workspaces, by names that you choose. */
export type World = Readonly<Record<string, WorldWorkspace>>

/** A world whose names of keys and playbooks the compiler knows; each workspace has some of them. */
export type NamedWorld<Key extends string, Name extends string> = Readonly<
  Record<
    string,
    WorldWorkspace & {
      keys: { readonly [name in Key]?: WorldKey }
      playbooks: { readonly [name in Name]?: ScriptedPlaybook }
    }
  >
>
