import { type OperationId, planIds } from '../../generated/operations.js'
import {
  OBJECT,
  type OptionRules,
  oneOf,
  optionProblems,
  rule,
  throwIfProblems,
  wholeNumber,
  withDefaults,
} from '../internal/options.js'
import type { Clock } from '../internal/time.js'
import { type PlanChoice, planRule } from '../service/limit.js'
import { checkHandlers } from '../service/options.js'
import { isTime, type PointInTime, type RunProgress, type Source } from './clock.js'
import type { SandboxOperations } from './runs/operations.js'
import type { World } from './world/types.js'

/** The options of a sandbox. */
export interface SandboxOptions {
  /** Generates ids and durations: the same seed and the same calls give the same bytes. Default 1. */
  seed?: number | undefined
  /** The limit of each workspace without a plan of its own; `false` for none. Default the smallest plan with access to the API. Basis: S34, A19. */
  plan?: PlanChoice | undefined
  /** Runs progress by one step with each GET (`'poll'`, the default), or with time (`'clock'`). */
  progress?: RunProgress | undefined
  /**
   * Its `wallTime`, or else its `now`, is the time in ms since 1970; where that steps back, time stands still. Delays of
   * faults use its timers if it has any. Default real time; with `'poll'` and no clock, `started_at` is a fixed time.
   */
  clock?: (Pick<Clock, 'now'> & Partial<Clock>) | undefined
  /** The time at first, and after a reset; default that of the clock. */
  startTime?: PointInTime | undefined
  /** With `'clock'`, the factor by which runs are faster. Default 1. */
  speed?: number | undefined
  /** The initial data; default one workspace for each situation. */
  world?: World | undefined
  /**
   * How likely a call fails, from 0 to 1, in one of many ways that the seed chooses: with a status, without a response, or
   * late. Default 0.
   */
  chaos?: number | undefined
  /** Custom handlers of operations. Their responses are validated too. */
  handlers?: Partial<SandboxOperations> | undefined
  /** How many runs are kept; the oldest are dropped first. Default 10,000. */
  maxRuns?: number | undefined
  /** How many requests the log keeps, and what each had, up to 4,000 characters of a body. Default 250. */
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
export function settingsOf(options: SandboxOptions): SandboxSettings {
  const handlers = options?.handlers ?? {}
  throwIfProblems('createSandbox', [
    ...optionProblems(options, RULES),
    ...checkHandlers(handlers).unknown.map((id) => `handlers.${id}: the contract has no such operation`),
    ...(Object.keys(handlers) as OperationId[]).map(
      (id) => !['function', 'undefined'].includes(typeof handlers[id]) && `handlers.${id} must be a function`,
    ),
  ])
  return withDefaults(DEFAULTS, options)
}

const RULES: OptionRules<SandboxOptions> = {
  seed: wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  plan: planRule(0),
  progress: oneOf('poll', 'clock'),
  clock: rule((value) => typeof (value as Source | null)?.now === 'function', 'an object with now()'),
  speed: rule((value) => Number.isFinite(value) && Number(value) > 0, 'above 0'),
  startTime: rule(isTime, 'a time from 1970 to 9999, such as 2030-01-01T00:00:00Z'),
  chaos: rule((value) => typeof value === 'number' && value >= 0 && value <= 1, 'a number from 0 to 1'),
  // Validated by its JSON Schema.
  world: rule(() => true, 'a world'),
  handlers: OBJECT,
  maxRuns: wholeNumber(1),
  maxRequests: wholeNumber(1),
}
