import { protocol } from '../../generated/operations.js'
import type { Run, RunInputs, Workspace } from '../../generated/types.js'
import { createLimits } from '../service/limit.js'
import { fromRequest, type RequestLike, readWhole } from '../service/request.js'
import { bodyText } from '../service/respond.js'
import { type Budget, createBudget } from './budget.js'
import { readWorld } from './check-world.js'
import { createClock } from './clock.js'
import { createDefaultWorld } from './default-world.js'
import { createEvents, type SandboxEvents, watchRuns } from './events.js'
import { createFaults, type Fault, type WaitingFault } from './faults.js'
import { createHandler, type Epoch } from './handler.js'
import { setInternals } from './internals.js'
import { createRequestLog, type RequestRecord } from './log.js'
import { createHandlers } from './resources.js'
import { createRunStore } from './runs.js'
import { type SandboxOptions, settingsOf } from './settings.js'
import { keysByValue, openWorkspaces, type SandboxWorkspace } from './workspaces.js'
import type { World } from './world.js'

/** What a sandbox keeps at the moment. Reading it changes nothing. */
export interface SandboxState {
  workspaces: WorkspaceState[]
}

export interface WorkspaceState {
  /** Its name in the world. */
  name: string
  workspace: Workspace
  /** How many requests it may send at once; undefined without a limit. */
  tokens: number | undefined
  runs: { run: Run; inputs: RunInputs }[]
}

/** The whole service in a process, without a network. */
export interface Sandbox<Key extends string = string, Name extends string = string> {
  /** Responds like the service. The host of the URL does not matter, and the version segment may be left out. */
  fetch: typeof fetch
  /** For clients that use `fetch`; it ends in the version segment. */
  baseUrl: string
  /** API keys to try, by name. */
  keys: Readonly<Record<Key, string>>
  /** Ids of playbooks, by name. */
  playbooks: Readonly<Record<Name, string>>
  /** Approves the step that waits. @throws Error when the run is unknown or does not wait */
  approve(runId: string): Run
  /** Rejects the step that waits, which fails the run. @throws Error when the run is unknown or does not wait. Basis: A10 */
  reject(runId: string): Run
  /** Moves the sandbox's time on by so many ms. @throws TypeError when it is no time from 0 on */
  advance(ms: number): void
  /** Makes the next calls fail. @throws TypeError when the fault cannot be */
  inject(fault: Fault): void
  /** The faults that wait for their calls. */
  readonly faults: WaitingFault[]
  clearFaults(): void
  /** The last requests and their responses, the oldest first, with keys masked. */
  readonly requests: RequestRecord[]
  readonly state: SandboxState
  /** Makes everything as it was at first. Requests that are under way fail, and have no effect. */
  reset(): void
}

/** Makes a sandbox whose bytes count in a budget of several. */
export function createWithin(options: SandboxOptions, total?: Budget): Sandbox {
  const settings = settingsOf(options)
  const { seed, plan, progress, speed, maxRuns, maxRequests, maxBytes } = settings
  const world = settings.world === undefined ? createDefaultWorld() : readWorld(settings.world)
  const clock = createClock(progress, settings.clock)
  const budget = createBudget(maxBytes, total)
  const half = () => createBudget(maxBytes / 2, budget)
  const runs = createRunStore(world, { progress, seed, speed }, clock, maxRuns, half())
  const limits = createLimits(clock.limits)
  const faults = createFaults()
  const events = createEvents(() =>
    progress === 'poll'
      ? () => {}
      : watchRuns(
          () => workspaces.flatMap(({ name }) => runs.list(name).map(({ run }) => ({ workspace: name, run }))),
          (workspace, run) => events.emit({ type: 'run', workspace, run }),
        ),
  )
  const keys = namedValues(
    world,
    ({ keys }) => keys,
    ({ value }) => value,
  )
  const log = createRequestLog(maxRequests, half(), Object.values(keys))
  let epoch: Epoch = { stops: new Set() }
  let workspaces = openWorkspaces(world, plan)
  let byValue = keysByValue(world, workspaces)
  const tokens = (name: string) => {
    const found = workspaces.find((each) => each.name === name)
    return found && limits.tokens(found.limit)
  }
  const pipeline = createHandler({
    epoch: () => epoch,
    keys: () => byValue,
    limits,
    faults,
    operations: { ...createHandlers(runs), ...settings.handlers },
    record(record, { context, response, state }) {
      const number = log.add(record)
      if (!events.observed) return
      const [request] = log.records(number - 1, 1)
      if (request) events.emit({ type: 'request', request })
      if (state.fault) events.emit({ type: 'faults', faults: faults.list() })
      if (context) reportEffects(events, context, tokens(context.name), response?.body)
    },
  })
  const changed = <T>(result: T, event: () => Parameters<SandboxEvents['emit']>[0]): T => {
    if (events.observed) events.emit(event())
    return result
  }
  const decide = (id: string, approved: boolean): Run => {
    const { run, workspace } = runs.decide(id, approved)
    return changed(run, () => ({ type: 'run', workspace, run }))
  }
  const waitingFaults = () => ({ type: 'faults' as const, faults: faults.list() })
  const sandbox: Sandbox = {
    async fetch(input, init) {
      const request = requestOf(input, init)
      request.signal?.throwIfAborted()
      const response = await pipeline.handle(fromRequest(request, readWhole))
      return new Response(bodyText(request.method, response), { status: response.status, headers: response.headers })
    },
    baseUrl: `https://sandbox.test${protocol.versionSegment}`,
    keys,
    playbooks: namedValues(
      world,
      ({ playbooks }) => playbooks,
      ({ playbook }) => playbook.id,
    ),
    approve: (runId) => decide(runId, true),
    reject: (runId) => decide(runId, false),
    advance: (ms) => clock.advance(ms),
    inject: (fault) => changed(faults.inject(fault), waitingFaults),
    get faults() {
      return faults.list()
    },
    clearFaults: () => changed(faults.clear(), waitingFaults),
    get requests() {
      return log.records()
    },
    get state() {
      return {
        workspaces: workspaces.map(({ name, workspace }) => ({
          name,
          workspace: structuredClone(workspace),
          tokens: tokens(name),
          runs: runs.list(name),
        })),
      }
    },
    reset() {
      const { stops } = epoch
      epoch = { stops: new Set() }
      for (const stop of [...stops]) stop()
      clock.reset()
      runs.reset()
      faults.clear()
      log.reset()
      limits.reset()
      workspaces = openWorkspaces(world, plan)
      byValue = keysByValue(world, workspaces)
      changed(undefined, () => ({ type: 'reset' }))
    },
  }
  setInternals(sandbox, {
    handle: pipeline.handle,
    settings,
    world,
    hasKey: (value) => byValue.has(value),
    budget,
    events,
    faults,
    log,
    runs,
    tokens,
  })
  return sandbox
}

/** A `Request` of any realm or library as it is: the global constructor would take it for a URL. */
function requestOf(input: RequestInfo | URL, init: RequestInit | undefined): RequestLike {
  if (input instanceof Request && init === undefined) return input as RequestLike
  const like = input as Partial<Request>
  const foreign = typeof like === 'object' && typeof like.text === 'function' && typeof like.headers?.get === 'function'
  if (!foreign || input instanceof Request) return new Request(input, init) as RequestLike
  return init === undefined
    ? (like as RequestLike)
    : (new Request(like.url ?? '', { ...(like as object), ...init }) as RequestLike)
}

/** Emits what a response says about the tokens and runs of its workspace. */
function reportEffects(
  events: SandboxEvents,
  { name, limit }: SandboxWorkspace,
  tokens: number | undefined,
  body: unknown,
): void {
  if (limit.plan !== false && tokens !== undefined) events.emit({ type: 'limit', workspace: name, tokens })
  const run = Object(body) as Partial<Run>
  if (run.playbook_id !== undefined && run.steps) events.emit({ type: 'run', workspace: name, run: run as Run })
}

/** What the workspaces of a world name, all together. */
function namedValues<T>(
  world: World,
  pick: (workspace: World[string]) => Readonly<Record<string, T>>,
  value: (item: T) => string,
): Readonly<Record<string, string>> {
  return Object.freeze(
    Object.fromEntries(
      Object.values(world).flatMap((workspace) =>
        Object.entries(pick(workspace)).map(([name, item]) => [name, value(item)]),
      ),
    ),
  )
}
