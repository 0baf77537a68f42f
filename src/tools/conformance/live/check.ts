import type { Result } from '../judge/result.js'
import type { ConformanceSettings, Depth } from '../options.js'
import type { Session } from './session.js'

/** What is checked: progress and the groups of the report name it. Checks of one subject share a name. */
export type CheckName =
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

/** What a check announces. */
export interface Cost {
  /** How many requests it sends, without repetitions. */
  requests: number
  /** How many it sends at most, without repetitions; default `requests`. */
  most?: number
  /** How many of these are triggers, which take nothing from the rate. Basis: S36. */
  triggers?: number
  /** How many runs it may start, faults of the service apart; default none. */
  runs?: number
  /** How many triggers it sends at once that must be refused, of which a faulty service may start as many runs; default one. */
  spareRuns?: number
  /** How long it waits for runs that take a few seconds, in ms; default no time. */
  waits?: number
  /** How long it takes besides, in ms; its requests then keep to no rate. */
  unpaced?: number
}

/** One part of a check of a service; its place in the list of checks is its order. */
export interface Check {
  name: CheckName
  /** The least depth that has it; default `quick`. */
  depth?: Depth
  /** Whether what was given lets it show something; default yes. */
  needs?(settings: ConformanceSettings): boolean
  cost(settings: ConformanceSettings): Cost
  /**
   * Sends by the session, and yields what several responses or a missing one show. The session validates each response by itself, and
   * reports what it and its repetitions show.
   */
  run(session: Session): AsyncGenerator<readonly Result[], void>
}

const DEPTHS: readonly Depth[] = ['quick', 'normal', 'thorough']

/** Whether a check at the chosen depth has what a smaller depth has, and this. */
export const isWithin = (least: Depth, { depth }: Pick<ConformanceSettings, 'depth'>): boolean =>
  DEPTHS.indexOf(least) <= DEPTHS.indexOf(depth)
