import { type OperationId, protocol } from '../../generated/operations.js'
import type { Run, RunInputs, Workspace } from '../../generated/types.js'
import { checkWorld, planProblems } from './check-world.js'
import { type Clock, createClock, type Progress } from './clock.js'
import { createDefaultWorld, type DefaultKey, type DefaultPlaybook } from './default-world.js'
import { createEngine, type Engine } from './engine.js'
import { createFaults, type Fault } from './faults.js'
import { incomingOf } from './incoming.js'
import { createRequestLog, type RequestRecord } from './log.js'
import { createHandlers, type Handler } from './resources.js'
import { createRunStore } from './runs.js'
import { keysByValue, openWorkspaces } from './workspaces.js'
import type { NamedWorld, PlanChoice, World } from './world.js'

export type { Answer } from './answer.js'
export type { Clock, Progress } from './clock.js'
export type { DefaultKey, DefaultPlaybook } from './default-world.js'
export { InvalidAnswerError } from './engine.js'
export { DroppedConnectionError, type Fault } from './faults.js'
export type { RequestRecord } from './log.js'
export type { Call, Handler } from './resources.js'
export type { SandboxWorkspace } from './workspaces.js'
export type * from './world.js'

/** How a sandbox behaves. */
export interface SandboxOptions {
  /** Makes ids and durations: the same seed and the same calls answer the same bytes. Default 1. */
  seed?: number | undefined
  /** The limit of each workspace that has no plan of its own; `false` for none. Default `'pro'`. Basis: S34, A19. */
  plan?: PlanChoice | undefined
  /** Runs move one step for each GET of them (`'poll'`, the default), or with time (`'clock'`). */
  progress?: Progress | undefined
  /** Tells the time in ms; default real time. With `'poll'` and no clock, runs are stamped with a fixed time. */
  clock?: Clock | undefined
  /** With `'clock'`, runs go this many times as fast. Default 1. */
  speed?: number | undefined
  /** What there is at first; default a workspace for each situation. */
  world?: World | undefined
  /** Handlers of your own for operations. What they answer is validated too. */
  handlers?: Partial<Record<OperationId, Handler>> | undefined
  /** How many runs are kept; the oldest are forgotten first. Default 10,000. */
  maxRuns?: number | undefined
  /** How many requests `requests` tells of. Default 1,000. */
  maxRequests?: number | undefined
}

/** What a sandbox holds at the moment. Reading it changes nothing. */
export interface SandboxState {
  workspaces: {
    /** Its name in the world. */
    name: string
    workspace: Workspace
    /** How many requests it may send at once; undefined without a limit. */
    tokens: number | undefined
    runs: { run: Run; inputs: RunInputs }[]
  }[]
}

/** The whole service in a process, without a network. */
export interface Sandbox<Key extends string = string, Name extends string = string> {
  /** Answers like the service. The host of the URL does not matter, and the version segment may be left out. */
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
  /** Moves the sandbox's time on by so many ms. */
  advance(ms: number): void
  /** Makes the next calls go wrong. @throws TypeError when the fault cannot be */
  inject(fault: Fault): void
  /** The last requests and their answers, the oldest first, with keys masked. */
  readonly requests: RequestRecord[]
  readonly state: SandboxState
  /** Makes everything as it was at first. */
  reset(): void
}

/**
 * Makes a sandbox: the service with state, in memory, deterministic. It needs nothing but the web's standards.
 *
 * @throws TypeError when an option is wrong, or the world does not keep to the contract
 */
export function createSandbox(
  options?: Omit<SandboxOptions, 'world'> & { world?: undefined },
): Sandbox<DefaultKey, DefaultPlaybook>
export function createSandbox<Key extends string, Name extends string>(
  options: SandboxOptions & { world: NamedWorld<Key, Name> },
): Sandbox<Key, Name>
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  checkOptions(options)
  const { seed = 1, plan = 'pro', progress = 'poll', speed = 1, maxRuns = 10_000, maxRequests = 1_000 } = options
  const world: World = options.world ? structuredClone(options.world) : createDefaultWorld()
  checkWorld(world)
  const clock = createClock(progress, options.clock)
  const runs = createRunStore(world, { progress, seed, speed }, clock, maxRuns)
  const faults = createFaults()
  const keys = namedValues(
    world,
    ({ keys }) => keys,
    ({ value }) => value,
  )
  const log = createRequestLog(maxRequests, Object.values(keys))
  let workspaces = openWorkspaces(world, plan, clock.limits())
  let known = keysByValue(world, workspaces)
  const handlers = { ...createHandlers(runs), ...options.handlers }
  const engine = createEngine({ keys: () => known, clock, faults, handlers, log })
  const sandbox: Sandbox = {
    async fetch(input, init) {
      const request = input instanceof Request && init === undefined ? input : new Request(input, init)
      request.signal.throwIfAborted()
      const { status, headers, text } = await engine(incomingOf(request))
      return new Response(request.method === 'HEAD' ? null : text, { status, headers })
    },
    baseUrl: `https://sandbox.test${protocol.versionSegment}`,
    keys,
    playbooks: namedValues(
      world,
      ({ playbooks }) => playbooks,
      ({ playbook }) => playbook.id,
    ),
    approve: (runId) => runs.decide(runId, true),
    reject: (runId) => runs.decide(runId, false),
    advance: (ms) => clock.advance(ms),
    inject: (fault) => faults.inject(fault),
    get requests() {
      return log.records()
    },
    get state() {
      return {
        workspaces: workspaces.map(({ name, workspace, quota }) => ({
          name,
          workspace: { ...workspace },
          tokens: quota?.bucket.tokens(clock.limits()),
          runs: runs.list(name),
        })),
      }
    },
    reset() {
      clock.reset()
      runs.reset()
      faults.reset()
      log.reset()
      workspaces = openWorkspaces(world, plan, clock.limits())
      known = keysByValue(world, workspaces)
    },
  }
  engines.set(sandbox, engine)
  return sandbox
}

/** The engine of a sandbox, for those who have no `Request`. @throws TypeError when it was not made by `createSandbox` */
export function engineOf(sandbox: Sandbox): Engine {
  const engine = engines.get(sandbox)
  if (!engine) throw new TypeError('This is no sandbox. Make one with createSandbox.')
  return engine
}

const engines = new WeakMap<object, Engine>()

function checkOptions({
  seed = 1,
  plan = 'pro',
  progress = 'poll',
  speed = 1,
  maxRuns = 1,
  maxRequests = 1,
}: SandboxOptions) {
  const problems = [
    !Number.isSafeInteger(seed) && 'seed must be a whole number.',
    !['poll', 'clock'].includes(progress) && `progress must be 'poll' or 'clock'.`,
    !(speed > 0 && Number.isFinite(speed)) && 'speed must be above 0.',
    !(maxRuns >= 1) && 'maxRuns must be 1 or more.',
    !(maxRequests >= 1) && 'maxRequests must be 1 or more.',
    ...planProblems('plan', plan),
  ].filter((each) => each !== false)
  if (problems.length > 0) throw new TypeError(`createSandbox: ${problems.join(' ')}`)
}

/** What the workspaces of a world name, all together. */
function namedValues<T>(
  world: World,
  pick: (workspace: World[string]) => Readonly<Record<string, T>>,
  value: (item: T) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.values(world).flatMap((workspace) =>
      Object.entries(pick(workspace)).map(([name, item]) => [name, value(item)]),
    ),
  )
}
