import { createMask } from '../../../internal/mask.js'
import type { Report } from '../../../shared/report.js'
import { mergedResults } from '../../client-rules/judge.js'
import { clientReport, type SeenExchange } from '../../client-rules/report.js'
import type { RuleResult } from '../../client-rules/types.js'
import type { Engine, EngineParts, SeenClients } from '../engine.js'
import { WORLDS } from '../world/name.js'

/** What a sandbox has seen of its clients since its start or the last reset. */
export function seenClients({ clients, exercise, keys }: EngineParts): SeenClients {
  const mask = createMask([...keys.keys()])
  const results = clients.results().map((each) => ({ ...each, message: mask(each.message) }))
  return { results, requests: clients.requests, remarks: exercise.remarks() }
}

/** What a sandbox has seen of its clients, including what it saw before resets. For a world of a port, paths start with that of the world. */
export function everSeenClients(engine: Engine, world?: string): SeenClients {
  const seen = mergedClients([engine.seenBefore(), seenClients(engine)])
  return world === undefined ? seen : { ...seen, results: seen.results.map((each) => withWorldPath(each, world)) }
}

const withWorldPath = (result: RuleResult<SeenExchange>, world: string): RuleResult<SeenExchange> => {
  const { exchange } = result
  if (!exchange) return result
  return {
    ...result,
    exchange: { ...exchange, request: { ...exchange.request, url: `${WORLDS}${world}${exchange.request.url}` } },
  }
}

/** Merges what several sandboxes have seen, or one at several times. */
export const mergedClients = (all: readonly SeenClients[]): SeenClients => ({
  results: mergedResults(all.flatMap(({ results }) => results)),
  requests: all.reduce((sum, { requests }) => sum + requests, 0),
  remarks: all.flatMap(({ remarks }) => remarks).slice(-MOST_REMARKS),
})

/** There may be thousands of worlds; only the last remarks are kept. */
const MOST_REMARKS = 100

/** The report on whether clients have followed the rules of the service. The first and the last request arrived at these times, in ms. */
export function clientRulesOf(
  seen: SeenClients,
  { first = Date.now(), last = first }: { first: number | undefined; last: number | undefined },
  baseUrl: string,
): Report {
  const { results, ...rest } = seen
  return clientReport(results, {
    baseUrl,
    startedAt: new Date(first).toISOString(),
    duration: last - first,
    ...rest,
  })
}
