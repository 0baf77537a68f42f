// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { PlaybookList, ProviderList, Run, TriggerRunRequest, TriggeredRun, Workspace, operations } from '../types.js'

/** The query of an operation. What may be left out may also be undefined. */
type Query<Id extends keyof operations> = AllowUndefined<NonNullable<operations[Id]['parameters']['query']>>

type AllowUndefined<T> = { [Key in keyof T]: object extends Pick<T, Key> ? T[Key] | undefined : T[Key] }

/**
 * The operations of the service as methods. Path parameters first, then query and body in one object, then the options
 * of the call.
 */
export interface OperationMethods<Options extends object> {
  /**
   * Get the workspace of the key.
   *
   * Returns the workspace that the key belongs to. Use it to check whether a key works.
   *
   * Basis: S03 stated, S16 stated, D04 derived.
   */
  getCurrentWorkspace(options?: Options): Promise<Workspace>
  /**
   * List the playbooks of the workspace.
   *
   * Returns one page of playbooks. They change rarely, so clients should cache the response instead of repeating the request.
   *
   * Basis: S17 stated, S38 stated, D04 derived.
   *
   * Assumed (A49): A list has the same order each time it is read.
   */
  listPlaybooks(params?: Query<'listPlaybooks'>, options?: Options): Promise<PlaybookList>
  /**
   * Trigger a run of a playbook.
   *
   * Starts a run of the playbook with the given inputs. Poll the run to follow it. A trigger counts against the plan's
   * run quota, not its request rate. Retrying after a 500 is safe.
   *
   * Basis: S18 stated, S28 stated, S36 stated.
   *
   * Assumed (A34): Every trigger that succeeds starts a new run.
   *
   * Assumed (A44): The rate limit can also refuse a trigger with a 429.
   *
   * Assumed (A54): Any names and values of inputs may be sent.
   *
   * Assumed (A56): There is no idempotency key.
   *
   * Assumed (A57): A trigger beyond the run quota fails with an error.
   */
  triggerRun(id: string, params: TriggerRunRequest, options?: Options): Promise<(TriggeredRun) & { id: string }>
  /**
   * Get a run.
   *
   * Returns the current state of the run. Poll it to follow progress; no webhook is known.
   *
   * Basis: S19 stated, S21 stated, D04 derived.
   *
   * Assumed (A43): A run can be read as soon as the response to its trigger has arrived.
   *
   * Assumed (A48): A run stays readable.
   */
  getRun(id: string, options?: Options): Promise<Run>
  /**
   * List the connected providers.
   *
   * Returns one page of providers. They change rarely, so clients should cache the response instead of repeating the request.
   *
   * Basis: S20 stated, S38 stated, D04 derived.
   *
   * Assumed (A49): A list has the same order each time it is read.
   */
  listProviders(params?: Query<'listProviders'>, options?: Options): Promise<ProviderList>
}
