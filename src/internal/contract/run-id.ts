import { operations } from '../../../generated/contract.js'
import { percentDecoded } from '../http/url.js'

/** The id of a run that a trigger has started. */
export interface FoundId {
  id: string
  /** Where it was: a path in the body, or `Location`. */
  source: string
  /** Another id in the same response, which is not taken for the run's. */
  other?: FoundId
}

/**
 * Finds the id of the run that a trigger has started, in the response to it. What names a run explicitly comes first:
 * `run_id`, `run.id`, then a `Location` below the path of a run; then `id`, which is where it is expected, and `data.id`. An
 * address is read and never requested. Basis: A14, A31.
 */
export function findRunId(headers: Pick<Headers, 'get'>, body: unknown): FoundId | undefined {
  const { id, run, run_id, data } = Object(body) as Record<string, unknown>
  const candidates: [source: string, value: unknown][] = [
    ['run_id', run_id],
    ['run.id', Object(run).id],
    ['Location', runIdInLocation(headers)],
    ['id', id],
    ['data.id', Object(data).id],
  ]
  const [found, ...others] = candidates.flatMap(([source, value]) =>
    (typeof value === 'string' && value !== '') || Number.isSafeInteger(value) ? [{ source, id: String(value) }] : [],
  )
  // Where a service repeats the id, it is where it is expected.
  const expected = others.find((each) => each.source === 'id' && each.id === found?.id) ?? found
  const other = others.find((each) => each.id !== found?.id)
  return expected && { ...expected, ...(other && { other }) }
}

/** Where `findRunId` looks in a body besides the `id` of a run: itself, or an object with an `id`. */
export const ID_ELSEWHERE: readonly string[] = ['run_id', 'run', 'data']

const RUN_ADDRESS = new RegExp(`${operations.getRun.path.replace('{id}', '([^/?#]+)')}/?(?:[?#].*)?$`)

/** The id of the run that the `Location` of a response leads to. */
export const runIdInLocation = (headers: Pick<Headers, 'get'>): string | undefined =>
  percentDecoded(RUN_ADDRESS.exec(`/${headers.get('location') ?? ''}`)?.[1] ?? '') || undefined
