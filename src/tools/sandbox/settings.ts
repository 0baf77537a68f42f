import { type OperationId, planIds } from '../../../generated/contract.js'
import {
  integer,
  OBJECT,
  type OptionRules,
  oneOf,
  optionProblems,
  rule,
  throwIfProblems,
  withDefaults,
} from '../../internal/options.js'
import { type PlanChoice, planRule } from '../service/limit.js'
import { checkHandlers } from '../service/options.js'
import { type ClockSource, isTime, type PointInTime, type RunProgress } from './clock.js'
import type { SandboxOperations } from './runs/operations.js'
import type { World } from './world/types.js'

/** The options of a sandbox. */
export interface SandboxOptions {
  /** Generates ids and durations: the same seed and the same calls give the same bytes. Default 1. */
  seed?: number | undefined
  /**
   * The limit of each workspace that has no plan; `false` for none. Default the smallest plan with access to the API.
   * Specification, section 8; the burst is assumed.
   */
  plan?: PlanChoice | undefined
  /** Runs progress by one step with each GET (`'poll'`, the default), or with time (`'clock'`). */
  progress?: RunProgress | undefined
  /**
   * The source of time: `wallTime`, or else `now`, in ms since 1970. If it steps back, the sandbox's time stops until it
   * has caught up. Delays of faults use its timers, if any. Default real time; with `'poll'` and no clock, `started_at` is
   * fixed.
   */
  clock?: ClockSource | undefined
  /** The time at the start and after a reset; default the clock's time. */
  startTime?: PointInTime | undefined
  /** With `'clock'`, how many times faster runs progress. Default 1. */
  speed?: number | undefined
  /** The initial data; default one workspace per situation. */
  world?: World | undefined
  /**
   * The probability that a call fails, from 0 to 1. The seed chooses how: with a status, without a response, or late.
   * Default 0.
   */
  chaos?: number | undefined
  /** Custom handlers of operations. Their responses are validated too. One that is `undefined` responds with the contract's example. */
  handlers?: Partial<SandboxOperations> | undefined
  /** The maximum number of runs; the oldest are dropped first. Default 10,000. */
  maxRuns?: number | undefined
  /** The maximum number of requests in the log, which keeps up to 4,000 characters of each body. Default 250. */
  maxRequests?: number | undefined
}

/** The options that each world of a sandbox on a port may have. */
export const WORLD_OPTIONS = ['seed', 'plan', 'progress', 'speed', 'startTime', 'chaos', 'world'] as const

/** The options of one world, which override those of the server. */
export type WorldOptions = Pick<SandboxOptions, (typeof WORLD_OPTIONS)[number]>

/** The options that have a default. */
export const DEFAULTS = {
  seed: 1,
  plan: planIds.default,
  progress: 'poll',
  speed: 1,
  chaos: 0,
  maxRuns: 10_000,
  maxRequests: 250,
} as const satisfies SandboxOptions

/** The options with their defaults. */
export type SandboxSettings = SandboxOptions & { [Name in keyof typeof DEFAULTS]: NonNullable<SandboxOptions[Name]> }

/** @throws TypeError that names every invalid option */
export function sandboxSettings(options: SandboxOptions): SandboxSettings {
  const handlers = options?.handlers ?? {}
  throwIfProblems('createSandbox', [
    ...optionProblems(options, SANDBOX_RULES),
    ...checkHandlers(handlers).unknown.map((id) => `handlers.${id}: the contract has no such operation`),
    ...(Object.keys(handlers) as OperationId[]).map(
      (id) => !['function', 'undefined'].includes(typeof handlers[id]) && `handlers.${id} must be a function`,
    ),
  ])
  return withDefaults(DEFAULTS, options)
}

const SANDBOX_RULES: OptionRules<SandboxOptions> = {
  seed: integer(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  plan: planRule(0),
  progress: oneOf('poll', 'clock'),
  clock: rule((value) => typeof (value as ClockSource | null)?.now === 'function', 'an object with now()'),
  speed: rule((value) => Number.isFinite(value) && Number(value) > 0, 'above 0'),
  startTime: rule(isTime, 'a time from 1970 to 9999, such as 2030-01-01T00:00:00Z'),
  chaos: rule((value) => typeof value === 'number' && value >= 0 && value <= 1, 'a number from 0 to 1'),
  // Validated by its JSON Schema.
  world: rule(() => true, 'a world'),
  handlers: OBJECT,
  maxRuns: integer(1),
  maxRequests: integer(1),
}
