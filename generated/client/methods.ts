// Generated from openapi/ by `npm run build`. Edit that, not this.

import type { ListQuery, PlaybookList, ProviderList, Run, StartedRun, TriggerRunRequest, Workspace } from '../types.js'

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
   * Stated, sections 1 and 4.
   *
   * @example
   * ```ts
   * const workspace = await client.getCurrentWorkspace()
   * ```
   */
  getCurrentWorkspace: (options?: Options) => Promise<Workspace>
  /**
   * List the playbooks of the workspace.
   *
   * Returns one page of playbooks. They change rarely, so clients should cache the response instead of repeating the request.
   *
   * Stated, sections 4 and 8. Assumed: a list has the same order each time it is read.
   *
   * @example
   * ```ts
   * const playbooks = await client.listPlaybooks()
   * ```
   */
  listPlaybooks: (params?: ListQuery, options?: Options) => Promise<PlaybookList>
  /**
   * Trigger a run of a playbook.
   *
   * Starts a run of the playbook with the given inputs. Poll the run to follow it. A trigger counts against the plan's
   * run quota, not its request rate. Retrying after a 500 is safe.
   *
   * Stated, sections 4, 7 and 8. Assumed: every trigger that succeeds starts a new run; the rate limit can also refuse a trigger with a 429; and 3 more (docs/guides/operations.md).
   *
   * @example
   * ```ts
   * const run = await client.triggerRun('pb_3kX9wq', {
   *   inputs: {
   *     order: '42',
   *     reason: 'Arrived broken',
   *   },
   * })
   * ```
   */
  triggerRun: (id: string, params: TriggerRunRequest, options?: Options) => Promise<StartedRun>
  /**
   * Get a run.
   *
   * Returns the current state of the run. Poll it to follow progress; no webhook is known.
   *
   * Stated, section 4. Assumed: a run can be read as soon as the response to its trigger has arrived; a run stays readable.
   *
   * @example
   * ```ts
   * const run = await client.getRun('run_8Zt4Lm2c')
   * ```
   */
  getRun: (id: string, options?: Options) => Promise<Run>
  /**
   * List the connected providers.
   *
   * Returns one page of providers. They change rarely, so clients should cache the response instead of repeating the request.
   *
   * Stated, sections 4 and 8. Assumed: a list has the same order each time it is read.
   *
   * @example
   * ```ts
   * const providers = await client.listProviders()
   * ```
   */
  listProviders: (params?: ListQuery, options?: Options) => Promise<ProviderList>
}
