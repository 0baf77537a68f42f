import { hasId, isSafe, isServerError, isSuccess, probedOperations } from '../contract.js'
import { successResults } from '../judge/status.js'
import type { ConformanceSettings } from '../options.js'
import { type Results, type Session, type Step, send } from '../session.js'
import { USUAL } from './probe.js'
import { consistent } from './reading.js'
import { type Change, shapesOf, titleOf } from './shapes.js'

/** What nothing is said of changes nothing: a service may refuse it, or respond as it does without it. Basis: S03, S17. */
export const unrelatedSteps = (settings: ConformanceSettings): Step[] =>
  probedOperations(settings)
    .filter(isSafe)
    .flatMap((operation) => {
      const [shape] = shapesOf(operation, settings)
      if (!shape) return []
      return Object.entries(VARIATIONS).map(([variation, changeOf]) => ({
        ...{ relation: 'unrelated', variation, weight: USUAL, tier: 2, requests: 1, maxRequests: 4 },
        async *run(session: Session): Results {
          const [own, more] = [shape.change(session), changeOf(session)]
          if (!own || !more || !(hasId(operation) || session.facts.seen.has(titleOf(shape)))) return
          const exchange = await send(session, operation, { ...own, ...more, relation: `unrelated ${variation}` })
          if (exchange.isOutage || !(isSuccess(exchange.status) || isServerError(exchange.status))) return
          yield successResults(exchange, `${operation} ${variation}`)
          if (exchange.isValid) yield* consistent(session, exchange, more.query !== undefined)
        },
      }))
    })

const VARIATIONS: Record<string, (session: Session) => Change | undefined> = {
  'with headers of another client': () => ({
    headers: {
      accept: 'text/html',
      'accept-encoding': 'identity',
      'accept-language': 'de',
      'cache-control': 'no-cache',
      cookie: 'conformance=check',
      'idempotency-key': 'conformance-check',
      origin: 'https://conformance.example',
      referer: 'https://conformance.example/',
      timezone: 'Asia/Tokyo',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0',
      'x-forwarded-for': '203.0.113.7',
      'x-request-id': 'conformance-check',
      'x-timezone': 'Asia/Tokyo',
    },
  }),
  'with headers that name another workspace': ({ facts }) => named(HEADERS, facts.theirWorkspace, 'headers'),
  'with parameters that name another workspace': ({ facts }) => named(PARAMETERS, facts.theirWorkspace, 'query'),
}

const named = (names: readonly string[], id: unknown, where: 'headers' | 'query'): Change | undefined =>
  typeof id === 'string' && /^[\x21-\x7e]+$/.test(id)
    ? { [where]: Object.fromEntries(names.map((name) => [name, id])) }
    : undefined

const KINDS = ['workspace', 'tenant', 'account', 'organization', 'org', 'project', 'team']
const HEADERS = KINDS.flatMap((kind) => [`x-${kind}`, `x-${kind}-id`, `${kind}-id`])
const PARAMETERS = KINDS.flatMap((kind) => [kind, `${kind}_id`, `${kind}Id`])
