import { protocol } from '../../generated/operations.js'
import type { Run, RunInputs, Workspace } from '../../generated/types.js'
import { fromRequest, type RequestLike, readWhole } from '../service/request.js'
import { toResponse } from '../service/respond.js'
import type { Budget } from './budget.js'
import type { Fault, WaitingFault } from './faults.js'
import { createInternals, type Internals } from './internals.js'
import type { RequestRecord } from './log.js'
import type { SandboxOptions } from './settings.js'
import type { SandboxWorkspace } from './workspaces.js'
import type { World } from './world.js'

/** The current state of a sandbox. Reading it changes nothing. */
export interface SandboxState {
  workspaces: WorkspaceState[]
}

export interface WorkspaceState {
  /** Its name in the world. */
  name: string
  workspace: Workspace
  /** The tokens left: how many requests may be sent at once; undefined without a limit. */
  tokens: number | undefined
  runs: { run: Run; inputs: RunInputs }[]
}

/** The whole service in process, without a network. */
export interface Sandbox<Key extends string = string, Name extends string = string> {
  /** Responds like the service. The host of the URL does not matter, and the version segment may be left out. */
  fetch: typeof fetch
  /** For clients that use `fetch`; ends in the version segment. */
  baseUrl: string
  /** API keys, by name. */
  keys: Readonly<Record<Key, string>>
  /** Ids of playbooks, by name. */
  playbooks: Readonly<Record<Name, string>>
  /** Approves the waiting step. @throws Error when the run is unknown or does not wait */
  approve(runId: string): Run
  /** Rejects the waiting step, which fails the run. @throws Error when the run is unknown or does not wait. Basis: A10 */
  reject(runId: string): Run
  /** Advances the sandbox's time by `ms`. @throws TypeError when `ms` is not a number from 0 on */
  advance(ms: number): void
  /** Makes the next calls fail. @throws TypeError when the fault is invalid */
  inject(fault: Fault): void
  /** The injected faults that are not used up. */
  readonly faults: WaitingFault[]
  clearFaults(): void
  /** The last requests and their responses, the oldest first, with keys masked. */
  readonly requests: RequestRecord[]
  readonly state: SandboxState
  /** Restores the initial state. Open requests fail, and have no effect. */
  reset(): void
}

const internals = new WeakMap<object, Internals>()

/** The internals that the server needs. @throws TypeError when the sandbox was not made by `createSandbox` */
export function internalsOf(sandbox: object): Internals {
  const own = internals.get(sandbox)
  if (!own) throw new TypeError('This is not a sandbox. Create one with createSandbox.')
  return own
}

/** Creates a sandbox whose bytes count in the budget of a server. */
export function createWithin(options: SandboxOptions, total?: Budget): Sandbox {
  const own = createInternals(options, total)
  const { world, clock, runs, log, faults, events } = own
  const decide = (id: string, approved: boolean): Run => {
    const decided = runs.decide(id, approved)
    events.emit(() => ({ type: 'run', ...decided, ...runs.brief(id) }))
    return decided.run
  }
  const sandbox: Sandbox = {
    async fetch(input, init) {
      const request = requestOf(input, init)
      request.signal?.throwIfAborted()
      return toResponse(request.method, await own.handle(fromRequest(request, readWhole)))
    },
    baseUrl: `https://sandbox.test${protocol.versionSegment}`,
    keys: named(world, ({ keys }) => Object.entries(keys).map(([name, { value }]) => [name, value])),
    playbooks: named(world, (own) => Object.entries(own.playbooks).map(([name, { playbook }]) => [name, playbook.id])),
    approve: (runId) => decide(runId, true),
    reject: (runId) => decide(runId, false),
    advance: clock.advance,
    inject: faults.inject,
    get faults() {
      return faults.list()
    },
    clearFaults: faults.clear,
    get requests() {
      return log.records()
    },
    get state() {
      return { workspaces: own.workspaces.map((each) => stateOf(each, own)) }
    },
    reset: own.reset,
  }
  internals.set(sandbox, own)
  return sandbox
}

const stateOf = ({ name, workspace, limit }: SandboxWorkspace, { limits, runs }: Internals): WorkspaceState => ({
  name,
  workspace: structuredClone(workspace),
  tokens: limits.tokens(limit),
  runs: runs.list(name).map(({ run, inputs }) => ({ run, inputs })),
})

/** Returns a `Request` of any realm or library unchanged: the global constructor would take it for a URL. */
function requestOf(input: RequestInfo | URL, init: RequestInit | undefined): RequestLike {
  if (input instanceof Request && init === undefined) return input as RequestLike
  const like = Object(input) as Partial<Request>
  const foreign = typeof like.text === 'function' && typeof like.headers?.get === 'function'
  if (!foreign || input instanceof Request) return new Request(input, init) as RequestLike
  return init === undefined
    ? (like as RequestLike)
    : (new Request(like.url ?? '', { ...(like as object), ...init }) as RequestLike)
}

/** The names that the workspaces of a world define, merged. */
const named = (
  world: World,
  entriesOf: (workspace: World[string]) => [name: string, value: string][],
): Readonly<Record<string, string>> => Object.freeze(Object.fromEntries(Object.values(world).flatMap(entriesOf)))
