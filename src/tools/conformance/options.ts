import { type OperationId, planIds, plans, protocol } from '../../../generated/contract.js'
import type { RunInputs } from '../../../generated/types.js'
import { operationIds } from '../../internal/contract/operations.js'
import {
  FUNCTION,
  integer,
  OBJECT,
  type OptionRule,
  type OptionRules,
  oneOf,
  optionProblems,
  rule,
  TRUE_OR_FALSE,
  withDefaults,
} from '../../internal/options.js'
import { now, sleep } from '../../internal/time/system.js'
import type { PlanName } from '../../shared/limit.js'
import { wrongOption } from './errors.js'
import { apiPlans, VERSION } from './judge/contract.js'

/** What is checked, and which limits the check has. */
export interface ConformanceOptions {
  /** The base URL of the service, ending in the version segment. Specification, section 1. */
  baseUrl: string
  /** The API key of the workspace to check with. It is sent to `baseUrl` only, and is in no report. */
  apiKey: string
  /** A read-only key of the same workspace: triggering with it must get a 403. Specification, section 5. */
  readOnlyKey?: string | undefined
  /**
   * A key of another workspace: it must not see the runs of this one. Specification, section 1; the 404 is assumed.
   */
  otherWorkspaceKey?: string | undefined
  /** A key of a workspace whose plan has no API access. Specification, section 8; its 403 is assumed. */
  hobbyKey?: string | undefined
  /** The environment variables that the commands of a report take these keys from; default `WORKFLOW_API_KEY`, `READ_ONLY_KEY` and so on. */
  keyVariables?: { [Key in (typeof KEYS)[number]]?: string | undefined } | undefined
  /** The operations to check, when the service does not have all of them yet; default all. Nothing else is called. */
  operations?: readonly OperationId[] | undefined
  /** The id of a run to read. Without it and without `trigger` no run is read. */
  run?: string | undefined
  /**
   * The id of a playbook to trigger, as often as the plan announces, or several: the first one is used for everything, each
   * other is triggered once, the second one twice, and followed, so that runs that fail or wait are seen as well. Nothing is
   * triggered without it.
   */
  trigger?: string | readonly string[] | undefined
  /** The inputs of these runs; default none. */
  inputs?: RunInputs | undefined
  /** Reaches the rate limit on purpose and measures it; default false. */
  rateLimit?: boolean | undefined
  /** Whether nobody else uses the workspace, so that a rate that is lower than stated fails; default false. */
  exclusive?: boolean | undefined
  /**
   * The plan of the workspace, whose rate is kept to and measured; default the one that the contract marks. Specification,
   * section 8.
   */
  plan?: PlanName | undefined
  /**
   * How many variations are tried: each check has a least depth, and a greater depth has all that a smaller one has. Default
   * `normal`; the plan names how many requests it is.
   */
  depth?: Depth | undefined
  /** How many requests are sent at most, repetitions included; default what the plan needs. */
  maxRequests?: number | undefined
  /**
   * A release to pin every request to, except the first ones, which check the default. Without it only the check of
   * pinning sends a pin, with the date of the contract's example. Specification, section 9; that any date is accepted is
   * assumed.
   */
  serviceVersion?: string | undefined
  /** How long to follow a run, and the longest `Retry-After` to wait for, in ms. Default 60,000. */
  maxWait?: number | undefined
  /** How long one response may take with its body, in ms. Default 10,000. */
  timeout?: number | undefined
  /** How long the whole check may take, in ms. Default 300,000 plus `maxWait`, and what keeping to the rate takes. */
  totalTimeout?: number | undefined
  /** Default the global `fetch`. */
  fetch?: typeof fetch | undefined
  /** Whether the report contains bodies and values from them; default true. Values that look like secrets are masked. */
  bodies?: boolean | undefined
  /** `'contradicted'` also fails the report on contradicted entries; default: on failed ones only. */
  failOn?: 'contradicted' | undefined
  /** Ends the check early; the report contains the findings so far. */
  signal?: AbortSignal | undefined
  /** Default real time. */
  clock?: TimeSource | undefined
  /** Receives the plan first, and then each check and each wait. */
  onProgress?: ((progress: ConformanceProgress) => void) | undefined
}

/** A source of time, in ms. */
export interface TimeSource {
  now(): number
  /** Resolves after so many ms, or at once when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** The time of day, in ms since 1970; by default that of the system with the default clock, and unknown with another. */
  date?(): number
}

export type Depth = 'quick' | 'normal' | 'thorough'

export type ConformanceProgress =
  | {
      type: 'plan'
      baseUrl: string
      checks: readonly string[]
      /** How many requests are planned, and how many are sent at most, with repetitions. */
      requests: number
      maxRequests: number
      /** How many runs are started at most. */
      maxRuns: number
      /**
       * What keeping to the rate and waiting for runs of a few seconds takes, in ms, besides the time of the responses.
       * Longer runs and `rateLimit` take longer.
       */
      duration: number
      warnings: readonly string[]
    }
  | { type: 'check'; name: string; number: number; of: number }
  | { type: 'wait'; reason: string; ms: number }

export type ConformanceSettings = ReturnType<typeof settingsOf>

/** @throws ConformanceError when an option is invalid; a key is never quoted */
export function settingsOf(options: ConformanceOptions) {
  checkOptions(options, LIVE_RULES, ['baseUrl'])
  const { maxWait = 60_000 } = options
  for (const name of KEYS) checkKey(name, options[name])
  const defaults = {
    ...{
      maxWait,
      timeout: 10_000,
      totalTimeout: Infinity,
      maxRequests: Infinity,
      fetch,
      clock: realTime,
      bodies: true,
    },
    depth: 'normal' as const,
  }
  const pace = apiPlans.find(({ id }) => id === options.plan) ?? DEFAULT_PLAN
  const wallTime = options.clock ? options.clock.date?.bind(options.clock) : Date.now
  const triggers = [options.trigger ?? []].flat()
  const all = withDefaults(defaults, { ...options, baseUrl: baseUrlOf(options.baseUrl) })
  return { ...all, trigger: triggers[0], triggers, pace, wallTime }
}

export const bearer = (key: string): string => `Bearer ${key}`

/** A workspace of a smaller plan gets a 429, and the limit that it states is followed from there on. */
const DEFAULT_PLAN = { id: planIds.default, ...plans[planIds.default] }

/** @throws ConformanceError which names the first option that is unknown, wrong or missing */
export function checkOptions<Options>(
  options: unknown,
  rules: OptionRules<Options> & Readonly<Record<string, OptionRule>>,
  required: readonly (keyof Options & string)[],
  subject = '',
): void {
  const missing = required.filter((name) => Object(options)[name] === undefined)
  const [problem] = [
    ...optionProblems(options, rules),
    ...missing.map((name) => `${name} is missing: it must be ${rules[name].expected}`),
  ]
  if (problem) throw wrongOption(`${subject}${problem}.`)
}

export const isText = (value: unknown): value is string => typeof value === 'string'
const TEXT: OptionRule = rule(isText, 'a string')
const isId = (value: unknown): boolean => isText(value) && !/^\.{0,2}$/.test(value)
const ID: OptionRule = rule(isId, 'an id')
const MS: OptionRule = rule((value) => typeof value === 'number' && value > 0, 'a number of ms above 0')

export const ARCHIVE: OptionRule = rule(
  (value) => isText(value) || Object(value) === value,
  'an HTTP archive: its text, its bytes, a Blob or its parsed JSON',
)

/** The rules of the options that live checks and recorded traffic have in common. */
export const COMMON_RULES = { baseUrl: TEXT, bodies: TRUE_OR_FALSE, failOn: oneOf('contradicted') } as const

const LIVE_RULES: OptionRules<ConformanceOptions> = {
  ...COMMON_RULES,
  apiKey: TEXT,
  readOnlyKey: TEXT,
  otherWorkspaceKey: TEXT,
  hobbyKey: TEXT,
  keyVariables: OBJECT,
  operations: rule(
    (value) => Array.isArray(value) && value.length > 0 && value.every((each) => operationIds.includes(each)),
    `a list of ${operationIds.map((id) => `'${id}'`).join(', ')}`,
  ),
  run: ID,
  trigger: rule((value) => [value].flat().every(isId), 'an id, or a list of ids'),
  inputs: OBJECT,
  rateLimit: TRUE_OR_FALSE,
  exclusive: TRUE_OR_FALSE,
  plan: oneOf(...apiPlans.map(({ id }) => id)),
  depth: oneOf('quick', 'normal', 'thorough'),
  maxRequests: integer(1),
  serviceVersion: rule((value) => isText(value) && VERSION.test(value), 'a date of the form YYYY-MM-DD'),
  maxWait: MS,
  timeout: MS,
  totalTimeout: MS,
  fetch: FUNCTION,
  signal: rule((value) => typeof Object(value).aborted === 'boolean', 'an AbortSignal'),
  clock: OBJECT,
  onProgress: FUNCTION,
}

export const KEYS = ['apiKey', 'readOnlyKey', 'otherWorkspaceKey', 'hobbyKey'] as const

/** Real time, which does not follow changes of the system's clock. */
const realTime: TimeSource = { now, sleep: (ms, signal) => sleep(ms, signal).catch(() => {}) }

function checkKey(name: (typeof KEYS)[number], value: string | undefined): void {
  if (name === 'apiKey' && !value) throw wrongOption('There is no API key. Give the key of a workspace of the service.')
  if (value !== undefined && !/^[\x21-\x7e]+$/.test(value))
    throw wrongOption(`${name} is empty or has a character that no key has, such as a space or the end of a line.`)
}

/** @throws ConformanceError when it is not a base URL */
export function baseUrlOf(text: string): string {
  if (!URL.canParse(text))
    throw wrongOption(
      `The base URL has to be complete, such as https://workflow-automation.example${protocol.versionSegment}.`,
    )
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw wrongOption(`The base URL has to begin with https:// or http://, not ${url.protocol}//.`)
  if (url.username || url.password) throw wrongOption('The base URL must hold no user name and no password.')
  if (url.search || url.hash) throw wrongOption('The base URL must end with its path, without a "?" or a "#".')
  return url.href.replace(/\/+$/, '')
}
