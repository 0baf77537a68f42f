import type { Run } from '../../../generated/types.js'
import type { ClientJudge } from '../client-rules/judge.js'
import type { SeenExchange } from '../client-rules/report.js'
import type { RuleResult } from '../client-rules/types.js'
import type { Exchange, Plugin } from '../service/pipeline.js'
import type { ServiceRequest } from '../service/request/index.js'
import type { ServiceResponse } from '../service/response/respond.js'
import type { SerializedResponse } from '../service/response/serialize.js'
import type { Exercise } from './clients/exercise.js'
import type { SandboxClock } from './clock.js'
import type { SandboxEvents } from './events.js'
import type { Faults } from './faults/store.js'
import type { AppliedFault } from './faults/types.js'
import type { SandboxLimits } from './limits.js'
import type { RequestLog } from './log/index.js'
import type { Reason } from './log/request-record.js'
import type { RunStore } from './runs/store.js'
import type { SandboxSettings } from './settings.js'
import type { World } from './world/types.js'
import type { SandboxKey, SandboxWorkspace } from './world/workspaces.js'

/** A request of the sandbox, as the service kit knows it. */
export type SandboxExchange = Exchange<SandboxWorkspace>

/** What the sandbox knows of a request. The plug-in `log` makes it, and nobody changes it. */
export interface KnownRequest {
  /** When it arrived, in ms. */
  readonly start: number
  /** The key that it has, if the world has it. */
  readonly key: SandboxKey | undefined
  readonly fault: AppliedFault | undefined
  /** Its body, if the operation has one and it could be read. */
  readonly body: string | undefined
  /** Aborted by a reset, after which the request has no effect. */
  readonly resetSignal: AbortSignal
}

/** A response of the sandbox, ready to be sent. */
export interface SandboxResponse extends SerializedResponse {
  /** What the service responded, which a fault may replace; undefined if it did not handle the request. */
  handled: ServiceResponse | undefined
  /** Why the service refused the request, or what was applied to it, as the log says it. */
  logReason: Reason | undefined
  /** What happens to the connection, instead of a whole response. */
  connection: 'dropped' | 'cutOff' | undefined
}

/** A plug-in of the sandbox. */
export type SandboxPlugin = Plugin<SandboxWorkspace, KnownRequest, SandboxResponse>

/** The parts of a sandbox, which have its state. */
export interface EngineParts {
  settings: SandboxSettings
  world: World
  workspaces: readonly SandboxWorkspace[]
  /** The keys by their values. */
  keys: ReadonlyMap<string, SandboxKey>
  clock: SandboxClock
  runs: RunStore
  limits: SandboxLimits
  faults: Faults
  log: RequestLog
  /** Checks whether clients follow the rules of the service. */
  clients: ClientJudge<SeenExchange>
  exercise: Exercise
  events: SandboxEvents
  /** Aborted by the next reset. */
  resetSignal(): AbortSignal
  /** Approves or rejects the waiting step of a run. @throws Error when the run is unknown or does not wait */
  decide(runId: string, approved: boolean): Run
}

/** What a sandbox has seen of its clients. */
export interface SeenClients {
  results: RuleResult<SeenExchange>[]
  requests: number
  /** What an exercise has tried, as sentences. */
  remarks: string[]
}

/** The contract with state, in memory. A sandbox in process, a port and the console use it. */
export interface Engine extends EngineParts {
  /** Responds to a request of the API. Rejects when a reset ends it, or a handler fails. */
  respond(request: ServiceRequest): Promise<SandboxResponse>
  /** What it saw of its clients before resets, which only the report of a port has. */
  seenBefore(): SeenClients
  /** The id of the time since the last start or reset. */
  epoch(): string
  /** Aborts open requests, and starts again with the state that `restore` sets. */
  restart(restore: () => void): void
  /** Restores the initial state. */
  reset(): void
  /** Aborts open requests and ends every subscription. */
  end(): void
}
