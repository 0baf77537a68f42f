import type { OperationId } from '../../generated/operations.js'
import {
  OBJECT,
  type OptionRules,
  oneOf,
  optionProblems,
  throwIfProblems,
  wholeNumber,
  withDefaults,
} from '../internal/options.js'
import { type PlanChoice, planRule } from '../service/limit.js'
import { checkHandlers } from '../service/pipeline.js'
import type { RunProgress, TimeSource } from './clock.js'
import type { SandboxOperations } from './resources.js'
import type { World } from './world.js'

/** How a sandbox behaves. */
export interface SandboxOptions {
  /** Makes ids and durations: the same seed and the same calls get the same bytes. Default 1. */
  seed?: number | undefined
  /** The limit of each workspace that has no plan of its own; `false` for none. Default `'pro'`. Basis: S34, A19. */
  plan?: PlanChoice | undefined
  /** Runs move one step for each GET of them (`'poll'`, the default), or with time (`'clock'`). */
  progress?: RunProgress | undefined
  /** The time in ms; default real time. With `'poll'` and no clock, runs are stamped with a fixed time. Delays of faults wait on its timers when it has some. */
  clock?: TimeSource | undefined
  /** With `'clock'`, runs go this many times as fast. Default 1. */
  speed?: number | undefined
  /** What there is at first; default a workspace for each situation. */
  world?: World | undefined
  /** Handlers of your own for operations. Their responses are validated too. */
  handlers?: Partial<SandboxOperations> | undefined
  /** How many runs are kept; the oldest are forgotten first. Default 10,000. */
  maxRuns?: number | undefined
  /** How many requests `requests` keeps. Default 1,000. */
  maxRequests?: number | undefined
  /** How many bytes runs and requests may take, half of them each; the oldest are forgotten first. Default 64 MiB. */
  maxBytes?: number | undefined
}

/** The options that have a default. */
export const DEFAULTS = {
  seed: 1,
  plan: 'pro',
  progress: 'poll',
  speed: 1,
  maxRuns: 10_000,
  maxRequests: 1_000,
  maxBytes: 64 * 2 ** 20,
} as const satisfies SandboxOptions

/** The options with their defaults. */
export type Settings = SandboxOptions & { [Name in keyof typeof DEFAULTS]: NonNullable<SandboxOptions[Name]> }

/** @throws TypeError with every option that is wrong */
export function settingsOf(options: SandboxOptions): Settings {
  const { handlers = {} } = Object(options) as SandboxOptions
  throwIfProblems('createSandbox', [
    ...optionProblems(options, RULES),
    ...checkHandlers(Object(handlers)).unknown.map((id) => `handlers.${id}: the contract has no such operation`),
    ...(Object.keys(Object(handlers)) as OperationId[]).map(
      (id) => !['function', 'undefined'].includes(typeof handlers[id]) && `handlers.${id} must be a function`,
    ),
  ])
  return withDefaults(DEFAULTS, options)
}

const [isPlan, expectedPlan] = planRule(0)

/** As in the JSON Schema of worlds, nothing else stands beside the limit. */
const hasOnlyLimit = (plan: unknown): boolean =>
  typeof plan !== 'object' ||
  Object.keys(Object(plan)).every((name) => name === 'requestsPerMinute' || name === 'burst')

const RULES: OptionRules<SandboxOptions> = {
  seed: wholeNumber(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  plan: [(value) => isPlan(value) && hasOnlyLimit(value), expectedPlan],
  progress: oneOf('poll', 'clock'),
  clock: [(value) => typeof (value as TimeSource | null)?.now === 'function', 'an object with now()'],
  speed: [(value) => Number.isFinite(value) && Number(value) > 0, 'above 0'],
  // Validated by its JSON Schema.
  world: [() => true, 'a world'],
  handlers: OBJECT,
  maxRuns: wholeNumber(1),
  maxRequests: wholeNumber(1),
  maxBytes: wholeNumber(1),
}
