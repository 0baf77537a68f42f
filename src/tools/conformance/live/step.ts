import type { Result } from '../judge/result.js'
import type { ConformanceSettings } from '../options.js'
import type { Transport } from './http/transport.js'
import type { Facts } from './known.js'

/** The order of a check, in which each step finds what it needs. */
export const PHASES = [
  // When none of these gets through, nothing else would.
  'plain requests',
  'before runs',
  'triggers',
  'while running',
  'wrong requests',
  'to the ends of runs',
  'after runs',
  // From here on the quota of runs may be used up.
  'while many run',
  'what all responses show',
  // It keeps to no rate, and polls in between would disturb it.
  'the rate limit',
  'wrong triggers',
] as const
export type Phase = (typeof PHASES)[number]

/** What is checked. */
export type Relation =
  | 'reading'
  | 'credentials'
  | 'lists'
  | 'workspaces'
  | 'permission'
  | 'a plan without API access'
  | 'runs'
  | 'ids'
  | 'bodies'
  | 'inputs'
  | 'parameters'
  | 'unrelated'
  | 'the rate limit'

/** One part of a check, which may be left out when the depth does not allow it. */
export interface Step {
  /** Progress names it. */
  relation: Relation
  /** 0 belongs to every check; of the others, the depth takes those of a smaller number first. */
  priority: number
  /** What it varies, the same for several operations. */
  variation?: string | undefined
  /** What it is tried on, such as a kind of request: with relation, phase and variation its identity, by which a seed chooses. */
  subject: string
  /** How many operations a variation is tried on before those that were tried on none get less; default 1. */
  weight?: number | undefined
  /** How many requests it sends without repetitions. */
  requests: number
  /** How many it sends at most, without repetitions; default `requests`. */
  maxRequests?: number
  /** How many of these no depth bounds, as polls; default none. */
  unbounded?: number
  /** How long it waits for runs that take a few seconds, in ms; default no time. */
  waits?: number
  /** How many of these are triggers, which take nothing from the rate. Basis: S36. */
  triggers?: number
  /** How many runs it may start, faults of the service apart; default none. */
  runs?: number
  /** Where in the order it belongs; default where its relation does. */
  phase?: Phase | undefined
  /** A step without it only announces what others send. */
  run?: ((session: Session) => Promise<void>) | undefined
}

/** A step, of one request unless `more` says otherwise. */
export const step = (
  relation: Relation,
  subject: string,
  priority: number,
  run: Step['run'],
  more: Partial<Step> = {},
): Step => ({ relation, subject, priority, requests: 1, run, ...more })

/** What the steps share. */
export interface Session {
  settings: ConformanceSettings
  transport: Transport
  facts: Facts
  /** Adds what a step finds, as it finds it. */
  add(results: Result | readonly Result[]): void
  /** Says something of the service that is right but worth knowing. */
  remark(text: string): void
}
