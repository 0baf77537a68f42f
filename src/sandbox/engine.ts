import type { Run } from '../../generated/types.js'
import type { ServiceRequest } from '../service/request.js'
import type { ClientChecks } from './clients/checks.js'
import type { Exercise } from './clients/exercise.js'
import type { SeenExchange } from './clients/report.js'
import type { SandboxClock } from './clock.js'
import type { SandboxEvents } from './events.js'
import type { SandboxResponse } from './faults/effects.js'
import type { Faults } from './faults/store.js'
import type { SandboxLimits } from './limits.js'
import type { RequestLog } from './log/index.js'
import type { RunStore } from './runs/store.js'
import type { SandboxSettings } from './settings.js'
import type { World } from './world/types.js'
import type { SandboxKey, SandboxWorkspace } from './world/workspaces.js'

/** The state of a sandbox, and its parts. */
export interface EngineParts {
  settings: SandboxSettings
  world: World
  workspaces: readonly SandboxWorkspace[]
  /** By their values. */
  keys: ReadonlyMap<string, SandboxKey>
  clock: SandboxClock
  runs: RunStore
  limits: SandboxLimits
  faults: Faults
  log: RequestLog
  /** What the requests show of the client. */
  clients: ClientChecks<SeenExchange>
  exercise: Exercise
  events: SandboxEvents
  /** Approves or rejects the waiting step of a run. @throws Error when the run is unknown or does not wait */
  decide(runId: string, approved: boolean): Run
}

/** The contract with state, in memory: what a sandbox in process, a port and the console work with. */
export interface Engine extends EngineParts {
  /** Responds to a request of the API. Rejects when a fault drops the connection, or a handler fails. */
  respond(request: ServiceRequest): Promise<SandboxResponse>
  /** Names everything from one start or reset to the next. */
  epoch(): string
  /** Aborts open requests, and begins again with the state that `restore` makes. */
  restart(restore: () => void): void
  /** Restores the initial state. */
  reset(): void
  /** Aborts open requests and ends every subscription. */
  end(): void
}
