import { createMask } from '../../../internal/mask.js'
import type { Report } from '../../../shared/report.js'
import { mergedResults } from '../../client-rules/judge.js'
import { clientReport, type SeenExchange } from '../../client-rules/report.js'
import type { RuleResult } from '../../client-rules/types.js'
import type { EngineParts } from '../engine.js'
import { WORLDS } from '../world/name.js'

/** What a sandbox has seen of its clients. */
export interface SeenClients {
  results: RuleResult<SeenExchange>[]
  requests: number
  /** When the first and the last request arrived, in ms. */
  first: number | undefined
  last: number | undefined
  /** What an exercise has tried, as sentences. */
  remarks: string[]
}

/** What a sandbox has seen of its clients. For a world of a port, paths start with that of the world. */
export function seenClients({ clients, exercise, keys }: EngineParts, world?: string): SeenClients {
  const { requests, first, last } = clients
  const mask = createMask([...keys.keys()])
  const masked = clients.results().map((each) => ({ ...each, message: mask(each.message) }))
  const results = masked.map((each) => (world === undefined ? each : withWorldPath(each, world)))
  return { results, requests, first, last, remarks: exercise.remarks() }
}

const withWorldPath = (result: RuleResult<SeenExchange>, world: string): RuleResult<SeenExchange> => {
  const { exchange } = result
  if (!exchange) return result
  return {
    ...result,
    exchange: { ...exchange, request: { ...exchange.request, url: `${WORLDS}${world}${exchange.request.url}` } },
  }
}

/** Merges what several sandboxes have seen. */
export function mergedClients(all: readonly SeenClients[]): SeenClients {
  const times = (name: 'first' | 'last') => all.flatMap((each) => each[name] ?? [])
  return {
    results: mergedResults(all.flatMap(({ results }) => results)),
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
    first: times('first').length > 0 ? Math.min(...times('first')) : undefined,
    last: times('last').length > 0 ? Math.max(...times('last')) : undefined,
    remarks: all.flatMap(({ remarks }) => remarks).slice(-MOST_REMARKS),
  }
}

/** There may be thousands of worlds; only the last remarks are kept. */
const MOST_REMARKS = 100

/** The report on whether clients have followed the rules of the service. */
export function clientRulesOf({ results, requests, first, last, remarks }: SeenClients, baseUrl: string): Report {
  const startedAt = new Date(first ?? Date.now()).toISOString()
  return clientReport(results, { baseUrl, startedAt, duration: (last ?? 0) - (first ?? 0), requests, remarks })
}
