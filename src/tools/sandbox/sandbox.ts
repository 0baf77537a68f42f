import { protocol } from '../../../generated/contract.js'
import type { Run, RunInputs, Workspace } from '../../../generated/types.js'
import type { Report } from '../../shared/report.js'
import { fromRequest, type RequestLike, readWhole } from '../service/request/index.js'
import { badRequest } from '../service/response/respond.js'
import { serialize, toResponse } from '../service/response/serialize.js'
import { clientRulesOf, seenClients } from './clients/index.js'
import type { PointInTime } from './clock.js'
import type { Engine } from './engine.js'
import { fetchResponse } from './faults/apply.js'
import type { Fault, WaitingFault } from './faults/types.js'
import type { RequestFilter } from './log/index.js'
import type { RequestRecord } from './log/request-record.js'
import { requireFilter, type WaitOptions, waitForRequest } from './log/waiting.js'
import { onWaiting } from './runs/approvals.js'
import { exportWorld, restoreSnapshot, type SandboxSnapshot, takeSnapshot } from './snapshot.js'
import type { World } from './world/types.js'
import type { SandboxWorkspace } from './world/workspaces.js'

/** The current state of a sandbox. Reading it changes nothing. */
export interface SandboxState {
  workspaces: WorkspaceState[]
}

export interface WorkspaceState {
  /** Its name in the world. */
  name: string
  workspace: Workspace
  /** The tokens left, which is how many requests may be sent at once; undefined without a limit. */
  tokens: number | undefined
  runs: { run: Run; inputs: RunInputs }[]
}

/** The whole service in-process, without a network. */
export interface Sandbox<Key extends string = string, Name extends string = string> {
  /** Responds as the contract says, including its assumptions. The URL may have any host. */
  fetch: typeof fetch
  /** For clients that use `fetch`; ends in the version segment. */
  baseUrl: string
  /** API keys, by name. */
  keys: Readonly<Record<Key, string>>
  /** Ids of playbooks, by name. */
  playbooks: Readonly<Record<Name, string>>
  /** Approves the waiting step. @throws Error when the run is unknown or is not waiting */
  approve: (runId: string) => Run
  /**
   * Rejects the waiting step, which fails the run. The failure is assumed.
   *
   * @throws Error when the run is unknown or is not waiting
   */
  reject: (runId: string) => Run
  /** The runs whose step waits for approval. */
  waitingRuns: () => Run[]
  /**
   * Calls `listener` with each run whose step waits for approval, once per step, including steps that are already waiting.
   * Returns a function that ends the subscription. An error in the listener is an uncaught error of the process.
   */
  onWaiting: (listener: (run: Run) => unknown) => () => void
  /** Advances the sandbox's time by `ms`. @throws TypeError when `ms` is not a number >= 0 */
  advance: (ms: number) => void
  /** Pauses the sandbox's time; `advance` and `setTime` still move it. */
  pause: () => void
  resume: () => void
  /** Moves the sandbox's time to a later one. @throws TypeError for an earlier one */
  setTime: (time: PointInTime) => void
  /** Makes calls fail. @throws TypeError when the fault is invalid, Error when too many wait */
  inject: (fault: Fault) => void
  /** The injected faults that are not used up. */
  readonly faults: WaitingFault[]
  clearFaults: () => void
  /**
   * The last requests and their responses, the oldest first, with keys masked. They are frozen.
   *
   * @throws TypeError for an invalid filter
   */
  requests: (filter?: RequestFilter) => RequestRecord[]
  /**
   * Resolves to the first matching request of the log, or the next one to arrive.
   *
   * @throws Error after `timeout` (ms of real time, default 5,000), with the requests that arrived instead, and when the world
   * is deleted or replaced
   */
  waitForRequest: (filter?: RequestFilter, options?: WaitOptions) => Promise<RequestRecord>
  /**
   * Reports whether the client has followed the rules of the service, according to its requests since the start or the last
   * reset. The report has the form of `verify`'s, with `pass`, `fail`, `warning` or `not-exercised` for each rule.
   */
  clientRules: () => Report
  /**
   * Produces, once each, the situations that a client must handle: a 429 with and without a wait, a 500, a lost response,
   * a dropped connection, a slow response, unknown statuses and fields, an error without a body, an approval. The seed
   * chooses their order. For a small program that expects errors, not for a test suite. Ends with `reset`.
   */
  exercise: () => void
  readonly state: SandboxState
  /** The state of the sandbox without the log, as plain JSON. */
  snapshot: () => SandboxSnapshot
  /**
   * Restores a snapshot of a sandbox with the same world. Empties the log and fails open requests.
   *
   * @throws TypeError for another snapshot
   */
  restore: (snapshot: SandboxSnapshot) => void
  /** The world with the current state of its runs, for the option `world` and for `--world`. */
  export: () => World
  /** Restores the initial state. Open requests fail, and have no effect. */
  reset: () => void
}

const ENGINE = Symbol('engine')

/** The engine of a sandbox. @throws TypeError when it was not made by `createSandbox` */
export function engineOf(sandbox: object): Engine {
  const engine = (sandbox as { [ENGINE]?: Engine })[ENGINE]
  if (!engine) throw new TypeError('This is not a sandbox. Create one with createSandbox.')
  return engine
}

/** A sandbox, as tests use it, with this engine. */
export function sandboxOf(engine: Engine): Sandbox {
  const { world, clock, log, faults } = engine
  const sandbox: Sandbox = {
    async fetch(input, init) {
      const request = requestOf(input, init)
      request.signal?.throwIfAborted()
      // A response, because adapters turn a rejection into a network error, which would hide the mistake.
      if (request.bodyUsed) return toResponse(request.method, serialize(badRequest(BODY_WAS_READ)))
      return fetchResponse(request.method, await engine.respond(fromRequest(request, readWhole)))
    },
    baseUrl: `https://sandbox.test${protocol.versionSegment}`,
    keys: named(world, ({ keys }) => Object.entries(keys).map(([name, { value }]) => [name, value])),
    playbooks: named(world, ({ playbooks }) =>
      Object.entries(playbooks).map(([name, { playbook }]) => [name, playbook.id]),
    ),
    approve: (runId) => engine.decide(runId, true),
    reject: (runId) => engine.decide(runId, false),
    waitingRuns: () => engine.runs.waiting(),
    onWaiting: (listener) => onWaiting(engine, listener),
    advance: clock.advance,
    pause: clock.pause,
    resume: clock.resume,
    setTime: clock.setTime,
    inject: faults.inject,
    get faults() {
      return faults.list()
    },
    clearFaults: faults.clear,
    requests: (filter = {}) => log.records(requireFilter(filter, engine)),
    waitForRequest: (filter, options) => waitForRequest(engine, filter, options),
    clientRules: () => clientRulesOf(seenClients(engine), engine.clients, sandbox.baseUrl),
    exercise: () => {
      engine.exercise.start()
      engine.events.emit(() => ({ type: 'exercise' }))
    },
    get state() {
      return { workspaces: engine.workspaces.map((each) => stateOf(each, engine)) }
    },
    snapshot: () => takeSnapshot(engine),
    restore: (snapshot) => restoreSnapshot(engine, snapshot),
    export: () => exportWorld(engine),
    reset: () => engine.reset(),
  }
  // Not enumerable, so that a sandbox is printed and compared without it.
  return Object.defineProperty(sandbox, ENGINE, { value: engine })
}

const BODY_WAS_READ =
  'The body of the request was read before the sandbox received it. Read request.clone() there instead.'

const stateOf = ({ name, workspace, limit }: SandboxWorkspace, { limits, runs }: Engine): WorkspaceState => ({
  name,
  workspace: structuredClone(workspace),
  tokens: limits.tokens(limit),
  runs: runs.list(name).map(({ run, inputs }) => ({ run, inputs })),
})

/** Returns a `Request` of any realm or library unchanged: the global constructor would take a foreign one for a URL. */
function requestOf(input: RequestInfo | URL, init: RequestInit | undefined): RequestLike {
  const isForeign = !(input instanceof Request) && isRequestLike(input)
  if (init === undefined && (isForeign || input instanceof Request)) return input as RequestLike
  if (isForeign) return new Request(input.url, { ...(input as object), ...init }) as RequestLike
  return new Request(input, init) as RequestLike
}

const isRequestLike = (input: unknown): input is Request => {
  const { text, headers } = (input ?? {}) as Partial<Request>
  return typeof text === 'function' && typeof headers?.get === 'function'
}

/** What all workspaces of a world name, as one object. */
const named = (
  world: World,
  entriesOf: (workspace: World[string]) => [name: string, value: string][],
): Readonly<Record<string, string>> => Object.freeze(Object.fromEntries(Object.values(world).flatMap(entriesOf)))
