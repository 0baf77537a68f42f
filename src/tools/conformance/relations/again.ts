import { rules } from '../../../../generated/conformance/nodes.js'
import { STATUS } from '../../../internal/contract/status.js'
import { hasId, isSafe, isServerError, isSuccess, operationIds, probedOperations, readsByIdFirst } from '../contract.js'
import { failed } from '../judge/result.js'
import { successResults } from '../judge/status.js'
import { bearer, type ConformanceSettings } from '../options.js'
import { send, sendTogether } from '../requests/send.js'
import { type Shape, shapesOf, titleOf } from '../requests/shapes.js'
import type { Change } from '../requests/valid-request.js'
import { type Session, type Step, step } from '../step.js'
import { consistent, mayBeMissing } from './reading.js'

/** A request that was seen to succeed, sent again with something that changes nothing, or several times. */
interface Again extends Pick<Step, 'relation' | 'variation' | 'weight' | 'priority' | 'phase'> {
  shape: Shape
  what: string
  /** Undefined while what it needs is not known. */
  change(session: Session): Change | undefined
  /** The statuses that are as good as a success. */
  mayGet(status: number): boolean
  times?: number
  isTogether?: boolean
}

/** What worked works again, with the same contents. Basis: S03, S17. */
export const againSteps = (settings: ConformanceSettings): Step[] =>
  readsByIdFirst(probedOperations(settings).filter(isSafe))
    .flatMap((operation) => shapesOf(operation, settings))
    .flatMap((shape) => [...withReadOnlyKey(shape, settings), ...withMore(shape), ...repeated(shape)])
    .map((again) => {
      const { shape, relation, what, priority, times = 1, variation, weight, phase } = again
      return step(relation, `${titleOf(shape)} ${what}`, priority, (session) => readAgain(session, again), {
        ...{ variation, weight, phase, requests: times, maxRequests: times + 3 },
      })
    })

/** A key that may only read reads the same workspace; what it may read is not shown. */
function withReadOnlyKey(shape: Shape, { readOnlyKey }: ConformanceSettings): Again[] {
  if (readOnlyKey === undefined) return []
  const again = {
    shape,
    relation: 'permission' as const,
    what: 'with the key that may only read',
    priority: shape.name === '' ? 0 : shape.isFull ? 2 : 4,
    ...(shape.isFull && { variation: 'with the key that may only read', weight: 2 }),
    change: () => ({ authorization: bearer(readOnlyKey) }),
    mayGet: (status: number) => status === STATUS.forbidden,
  }
  return [{ ...again, phase: hasId(shape.operation) && shape.name === '' ? 'while running' : undefined }]
}

/** What nothing is said of changes nothing: a service may refuse it, or respond as it does without it. */
const withMore = (shape: Shape): Again[] =>
  shape.name === ''
    ? Object.entries(UNRELATED).map(([variation, change]) => ({
        shape,
        relation: 'unrelated',
        what: variation,
        variation,
        weight: 2 * operationIds.length,
        priority: 2,
        change,
        mayGet: (status) => !isSuccess(status) && !isServerError(status),
      }))
    : []

/** The same several times in a row, and several times at once. */
const repeated = (shape: Shape): Again[] =>
  [true, false].map((isTogether) => ({
    shape,
    relation: 'repetition',
    what: isTogether ? 'several times at once' : 'once more',
    priority: 4,
    times: TIMES,
    isTogether,
    change: () => ({}),
    mayGet: () => false,
  }))

const TIMES = 8

async function readAgain(session: Session, again: Again): Promise<void> {
  const { shape, relation, what: variation, times = 1, isTogether } = again
  const { operation } = shape
  const own = shape.change(session)
  const more = again.change(session)
  const isSeen = session.facts.seen.has(titleOf(shape))
  if (!own || !more || !(isSeen || hasId(operation))) return
  const change = { ...own, ...more, relation: `${relation} ${variation}` }
  const together = isTogether ? await sendTogether(session, operation, Array<Change>(times).fill(change)) : []
  const what = `${titleOf(shape)} ${variation}`
  for (let time = 0; time < times; time++) {
    const exchange = together[time] ?? (await send(session, operation, change))
    const { status } = exchange
    if (exchange.isOutage || again.mayGet(status) || mayBeMissing(session, exchange)) return
    if (status === STATUS.unauthorized && more.authorization !== undefined) {
      const message = `${what}: got 401, although the key is valid`
      return session.add(failed(rules.invalidKey, message, { exchange, relation, variation }))
    }
    if (isSeen) session.add(successResults(exchange, what))
    if (exchange.isValid) await consistent(session, exchange)
  }
}

const UNRELATED: Record<string, (session: Session) => Change | undefined> = {
  'with headers of another client': () => ({
    headers: {
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
