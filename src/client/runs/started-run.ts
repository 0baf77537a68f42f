import { operations } from '../../../generated/operations.js'
import { percentDecoded } from '../../internal/http/url.js'
import type { Time } from '../../internal/time/time.js'

/** The id of a run, and where in a response it was. */
export interface FoundId {
  id: string
  /** The path in the body, or `Location`. */
  source: string
}

/**
 * Finds the id of the new run in the response to a trigger. Only `id` is expected; the others are where services commonly
 * have one. An address is read and never requested. Basis: A14, A31.
 */
export function findRunId(headers: Headers, body: unknown): FoundId | undefined {
  const { id, run, run_id, data } = Object(body) as Record<string, unknown>
  const places: [source: string, value: unknown][] = [
    ['id', id],
    ['run.id', Object(run).id],
    ['run_id', run_id],
    ['data.id', Object(data).id],
    ['Location', idInLocation(headers.get('location') ?? '')],
  ]
  const found = places.find(([, value]) => (typeof value === 'string' && value !== '') || Number.isSafeInteger(value))
  return found && { id: String(found[1]), source: found[0] }
}

const RUN_ADDRESS = new RegExp(`${operations.getRun.path.replace('{id}', '([^/?#]+)')}/?(?:[?#].*)?$`)

const idInLocation = (location: string): string | undefined =>
  percentDecoded(RUN_ADDRESS.exec(`/${location}`)?.[1] ?? '')

/** How long a run that was just triggered may be unknown to the service, in ms: reads may lag behind writes. */
const SETTLES = 10_000

/** How many runs are remembered. */
const MOST_RUNS = 1_000

export type StartedRuns = ReturnType<typeof createStartedRuns>

/** The runs that a client has triggered lately. */
export function createStartedRuns(time: Time) {
  const settledAt = new Map<string, number>()
  return {
    add(id: string) {
      settledAt.delete(id)
      settledAt.set(id, time.now() + SETTLES)
      const [oldest] = settledAt.keys()
      if (settledAt.size > MOST_RUNS) settledAt.delete(oldest!)
    },
    clear: () => settledAt.clear(),
    /** How long a 404 for a run may only mean that it is new, in ms; 0 for a run that others have triggered. */
    unsettledFor: (id: string): number => Math.max(0, (settledAt.get(id) ?? -Infinity) - time.now()),
  }
}
