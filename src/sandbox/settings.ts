import { type OperationId, plans } from '../../generated/operations.js'
import { withDefaults } from '../internal/with-defaults.js'
import type { PlanChoice } from '../service/limit.js'
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
  /** The time in ms; default real time. With `'poll'` and no clock, runs are stamped with a fixed time. */
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
  const settings: Settings = withDefaults(DEFAULTS, options)
  const { seed, progress, speed, handlers = {}, plan } = settings
  const { unknown } = checkHandlers(handlers)
  const problems = [
    ...Object.keys(options).map((name) => !OPTIONS.has(name) && `there is no option "${name}".`),
    !Number.isSafeInteger(seed) && 'seed must be a whole number.',
    !['poll', 'clock'].includes(progress) && `progress must be 'poll' or 'clock'.`,
    !(speed > 0 && Number.isFinite(speed)) && 'speed must be above 0.',
    ...(['maxRuns', 'maxRequests', 'maxBytes'] as const).map(
      (name) => !(Number.isSafeInteger(settings[name]) && settings[name] >= 1) && `${name} must be 1 or more.`,
    ),
    ...unknown.map((id) => `handlers.${id}: the contract has no such operation.`),
    ...(Object.keys(handlers) as OperationId[]).map(
      (id) => !['function', 'undefined'].includes(typeof handlers[id]) && `handlers.${id} must be a function.`,
    ),
    planProblem(plan),
  ].filter((each) => each !== false)
  if (problems.length > 0) throw new TypeError(`createSandbox: ${problems.join(' ')}`)
  return settings
}

const OPTIONS = new Set([...Object.keys(DEFAULTS), 'clock', 'world', 'handlers'])

function planProblem(plan: PlanChoice): string | false {
  if (plan === false) return false
  if (typeof plan === 'string')
    return (
      !Object.hasOwn(plans, plan) &&
      `plan: "${plan}" is no plan of the contract; these are: ${Object.keys(plans).join(', ')}.`
    )
  const { requestsPerMinute, burst } = Object(plan)
  const valid = [requestsPerMinute, burst].every(Number.isFinite) && requestsPerMinute > 0 && burst >= 0
  return !valid && 'plan: requestsPerMinute must be above 0 and burst 0 or more.'
}
