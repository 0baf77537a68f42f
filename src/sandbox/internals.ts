import type { Budget } from './budget.js'
import type { SandboxEvents } from './events.js'
import type { Faults } from './faults.js'
import type { SandboxPipeline } from './handler.js'
import type { RequestLog } from './log.js'
import type { RunStore } from './runs.js'
import type { Settings } from './settings.js'
import type { World } from './world.js'

/** What the server needs of a sandbox beyond its public face. */
export interface Internals {
  handle: SandboxPipeline['handle']
  settings: Settings
  world: World
  /** Whether a text is the value of a key. */
  hasKey(value: string): boolean
  budget: Budget
  events: SandboxEvents
  faults: Faults
  log: RequestLog
  runs: RunStore
  /** The tokens that each workspace has left, by name; undefined without a limit. */
  tokens(workspace: string): number | undefined
}

const internals = new WeakMap<object, Internals>()

export const setInternals = (sandbox: object, own: Internals): void => {
  internals.set(sandbox, own)
}

/** @throws TypeError when the sandbox was not made by `createSandbox` */
export function internalsOf(sandbox: object): Internals {
  const own = internals.get(sandbox)
  if (!own) throw new TypeError('This is no sandbox. Make one with createSandbox.')
  return own
}
