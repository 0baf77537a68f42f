import type { OperationId } from '../../generated/operations.js'
import type { Playbook, Provider, Workspace } from '../../generated/types.js'
import type { PlanChoice } from '../service/limit.js'

/** What one step of a playbook does when it runs. */
export interface ScriptStep {
  /** `<provider>.<action>`; the provider is one of the workspace's. Basis: S12, A04. */
  capability?: string
  /** The step waits until it is approved or rejected; default false. */
  approval?: boolean
  /** The step ends as failed, and the run with it; default false. */
  fails?: boolean
  /** How long the step takes with `progress: 'clock'`, in ms, before `speed`; default 1000. The seed varies it by up to a fifth. */
  duration?: number
}

/** A playbook as the contract lists it, and what its runs do. */
export interface ScriptedPlaybook {
  playbook: Playbook
  steps: readonly ScriptStep[]
}

/** An API key of a workspace. */
export interface WorldKey {
  value: string
  /** The operations that the key may call; default all. The others get a 403. */
  operations?: readonly OperationId[]
}

/** A run that is there from the start. */
export interface WorldRun {
  id: string
  /** The id of its playbook. */
  playbook_id: string
  /** ISO 8601, UTC. */
  started_at: string
}

/** A workspace with all that belongs to it. Keys and playbooks go by names of your choice. */
export interface WorldWorkspace {
  workspace: Workspace
  /** The plan of this workspace; default the sandbox's. */
  plan?: PlanChoice
  keys: Readonly<Record<string, WorldKey>>
  playbooks: Readonly<Record<string, ScriptedPlaybook>>
  providers: readonly Provider[]
  runs?: readonly WorldRun[]
}

/** What a sandbox has at first: its workspaces, by a name of your choice. */
export type World = Readonly<Record<string, WorldWorkspace>>

/** A world whose names of keys and playbooks are known to the compiler; each workspace has some of them. */
export type NamedWorld<Key extends string, Name extends string> = Readonly<
  Record<
    string,
    WorldWorkspace & {
      keys: { readonly [name in Key]?: WorldKey }
      playbooks: { readonly [name in Name]?: ScriptedPlaybook }
    }
  >
>
