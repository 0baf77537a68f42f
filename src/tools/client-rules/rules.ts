import { type OperationId, operations, versionPattern } from '../../../generated/contract.js'
import { isTrigger } from '../../internal/contract/operations.js'
import { STATUS } from '../../internal/contract/status.js'
import { outcomeOfResponse, type TriggerResponse } from '../../internal/contract/trigger-outcome.js'
import { parseJson } from '../../internal/http/json.js'
import { lifetimeOf } from '../../internal/http/lifetime.js'
import { secondsText } from '../../internal/time/time.js'
import { validateRequest } from '../../validators/index.js'
import { createOpenRequests, isOverlapped, isOverlappedByEqual } from './open-requests.js'
import { Recent } from './recent.js'
import type { ClientCall, ClientRequest, ClientResponse, ClientRule, Judgement, Limited } from './types.js'

/** What is remembered of the requests of clients. */
export type Memory = ReturnType<typeof createMemory>

export const createMemory = () => ({
  open: createOpenRequests(),
  /** The responses with 429 after which the request was not sent again yet, by identity. */
  limited: new Recent<Limited[]>(),
  /** How many early repetitions in a row no other caller of the client explains, by client. */
  earlyInARow: new Recent<number>(),
  /** When the list was received, and for how long it may be kept, in ms, by identity and page. */
  lists: new Recent<{ at: number; lifetime: number }>(),
  /** The last trigger, and the last one that was lost, by identity. */
  triggers: new Recent<{ number: number; sentAt: number }>(),
  lost: new Recent<{ at: number; isKnown: boolean; what: string }>(),
})

/** One rule. Each function judges what it sees, if the rule applies to it. */
export interface Rule {
  /** Why nothing is known of a client to which it never applied. */
  notSeen: string
  /** A request alone. */
  request?(request: ClientRequest): Judgement | undefined
  /** A request when it is sent, by what was before. */
  sent?(call: ClientCall, memory: Memory): Judgement | undefined
  /** A request that has ended at a time, and what later ones are judged by. */
  ended?(call: ClientCall, response: ClientResponse, at: number, memory: Memory): Judgement | undefined
}

/** Each entry of the register that binds a client, by its `rule`. */
export const RULES: Record<ClientRule, Rule> = {
  bearer: {
    notSeen: 'There was no request.',
    request({ operation, authorization }) {
      if (authorization === undefined) return undefined
      if (authorization === null) return broken(`sent ${operation} without the header Authorization`)
      if (/^bearer +\S/i.test(authorization)) return kept('sent the header Authorization')
      const [scheme] = OTHER_SCHEMES.exec(authorization) ?? []
      const what = scheme ? `with ${scheme} instead of Bearer` : 'without "Bearer" before the key'
      return broken(`sent ${operation} ${what} in the header Authorization`)
    },
  },
  runInputs: {
    notSeen: 'There was no trigger.',
    request({ operation, body, isCut }) {
      if (!isTrigger(operation) || body === undefined || isCut) return undefined
      const parsed = parseJson(body)
      const problem = validateRequest(operation, { body: parsed }).find((each) => each.in === 'body')
      if (!problem) return kept('sent triggers with a body that the contract allows')
      const why = parsed === undefined && body !== '' ? 'it is not JSON' : problem.message
      return broken(`sent ${operation} with a body that the contract refuses: ${why}`)
    },
  },
  pinning: {
    notSeen: 'No request was pinned to a release.',
    request({ operation, pin }) {
      if (pin === null) return undefined
      if (RELEASE.test(pin)) return kept('pinned requests to a date YYYY-MM-DD')
      return broken(`pinned ${operation} to ${JSON.stringify(pin.slice(0, 100))}, which is not a date YYYY-MM-DD`)
    },
  },
  waitSuffices: {
    notSeen: 'No request that got a 429 was sent again.',
    sent(call, memory) {
      const { operation, sentAt } = call
      const limited = memory.limited.get(call.identity) ?? []
      const last = limited.at(-1)
      // One that began earlier does not follow it.
      if (!last || sentAt < last.respondedAt) return undefined
      const over = limited.findIndex(({ respondedAt, wait = AT_ONCE }) => sentAt - respondedAt + TOLERANCE >= wait)
      if (over !== -1) {
        limited.splice(over, 1)
        memory.earlyInARow.delete(call.client)
        return kept('waited after a 429 before it sent the request again')
      }
      const passed = sentAt - last.respondedAt
      const sent = `sent ${operation} again`
      if (last.wait !== undefined) {
        const message = `${sent} ${secondsText(passed)} after a 429 that asked for ${secondsText(last.wait)}`
        if (!memory.open.mayBeOfAnother(call, last.call, passed)) {
          limited.pop()
          return broken(message)
        }
        call.early = { message, after: last }
        return undefined
      }
      limited.pop()
      return advice(`${sent} at once after a 429 without Retry-After`, 'Wait a few seconds in that case')
    },
    ended(call, { status, respondedAt, wait }, at, { limited, earlyInARow }) {
      const { identity, client, connection, page, early, sentAt } = call
      const earlier = limited.get(identity) ?? []
      if (status === STATUS.rateLimited && !Number.isNaN(respondedAt)) {
        const own = { respondedAt, completeAt: at, wait, call: { connection, page }, isOverlapped: isOverlapped(call) }
        // Without an equal request at the same time, or a repetition that came too early, the client gave up on the earlier one.
        limited.set(identity, isOverlappedByEqual(call) || early ? [...earlier.slice(-MOST_LIMITED), own] : [own])
      } else if (earlier.length > 0)
        limited.set(
          identity,
          earlier.filter(({ completeAt }) => completeAt > sentAt),
        )
      if (!early) return undefined
      const { after, message } = early
      const isAlone = !isOverlapped(call) && !after.isOverlapped && sentAt >= after.completeAt
      const inARow = isAlone ? (earlyInARow.get(client) ?? 0) + 1 : 0
      earlyInARow.set(client, inARow)
      return inARow >= EXPLAINED_NO_MORE ? broken(message) : advice(message, SEVERAL)
    },
  },
  caching: {
    notSeen: 'No list was requested twice.',
    sent(call, { lists }) {
      const keep = cacheSecondsOf(call.operation)
      const last = lists.get(listOf(call))
      if (keep === undefined || last === undefined) return undefined
      if (call.sentAt - last.at + TOLERANCE >= last.lifetime) return kept('kept lists as long as it should')
      return broken(
        `requested ${call.operation} again within ${keep} s`,
        'Several workers, each with a cache, would explain it',
      )
    },
    ended(call, response, at, { lists }) {
      const keep = cacheSecondsOf(call.operation)
      const { status, respondedAt } = response
      if (keep === undefined || status === undefined || status < 200 || status > 299) return undefined
      // What is not JSON is no list, and a response may ask for a shorter time.
      const lifetime = response.isJsonOrEmpty ? lifetimeOf(keep, response.headers, respondedAt) : 0
      if (lifetime > 0 && !Number.isNaN(respondedAt)) lists.set(listOf(call), { at, lifetime })
      return undefined
    },
  },
  lostTrigger: {
    notSeen: 'No response of a trigger was lost.',
    sent(call, memory) {
      const { operation, identity, number, sentAt } = call
      if (!isTrigger(operation)) return undefined
      memory.triggers.set(identity, { number, sentAt })
      return memory.lost.get(identity) && repeatedTrigger(call, sentAt, memory)
    },
    ended(call, response, at, memory) {
      if (!isTrigger(call.operation) || !mayHaveStarted(response)) return undefined
      memory.lost.set(call.identity, { at, isKnown: !Number.isNaN(response.respondedAt), what: lossOf(response) })
      if (isSentAgain(call, response, at, memory)) return repeatedTrigger(call, at, memory)
      return kept('sent no trigger again whose response was lost')
    },
  },
  planLimits: {
    notSeen: 'The rate of the plan was never used up.',
    ended({ operation }, { refused, tokens }) {
      const message = `sent ${operation} when the rate of the plan was used up, and got a 429`
      if (refused) return broken(message, 'Several workers that share the rate would explain it')
      return tokens !== undefined && tokens < 1 ? kept('used the whole rate of the plan, and no more') : undefined
    },
  },
}

/** What stands before a key in other services. Anything else may be a part of the key. */
const OTHER_SCHEMES = /^(basic|digest|token|api-?key|negotiate|hmac|aws4-hmac-sha256)(?= )/i

const kept = (message: string): Judgement => ({ outcome: 'kept', message })
const broken = (message: string, note?: string): Judgement => ({ outcome: 'broken', message, note })
const advice = (message: string, note: string): Judgement => ({ outcome: 'advice', message, note })

const SEVERAL = 'Several workers or calls at once that send the same request would explain it'

/** Whether a client that left before the response has sent its trigger again, shortly before its leaving was noticed. */
export function isSentAgain(
  { identity, number }: ClientCall,
  { clientLeft }: ClientResponse,
  at: number,
  { triggers }: Memory,
): boolean {
  const last = triggers.get(identity)
  return clientLeft && last !== undefined && last.number > number && at - last.sentAt <= NOTICED
}

/** What a trigger shows that was sent again at a time, after one that was lost. */
function repeatedTrigger(call: ClientCall, at: number, { lost, open }: Memory): Judgement | undefined {
  const last = lost.get(call.identity)
  if (!last || !(at - last.at <= REPEATED_WITHIN)) return undefined
  const message = `sent the same trigger again ${secondsText(at - last.at)} after one that ${last.what}`
  // Of a loss whose time is not known, the same trigger may have been sent before it.
  const mayBeSeveral = open.isRepeated(call) || !last.isKnown || call.isCut
  return mayBeSeveral ? advice(message, SEVERAL) : broken(message, twoRuns(call.operation))
}

const twoRuns = (trigger: OperationId): string =>
  [
    'The first one may have started a run, so two may run now',
    `Repeat a trigger after ${operations[trigger].retryable.join(' and ')} alone`,
    'If two runs are meant, give each an input that differs, such as the id of its job',
  ].join('. ')

/** Whether a run may exist although its client knows of none. */
const mayHaveStarted = (response: ClientResponse): boolean =>
  response.status === undefined || outcomeOfResponse(response as TriggerResponse) === 'unknown'

const lossOf = ({ status, clientLeft }: ClientResponse): string =>
  status !== undefined ? `got ${status}` : clientLeft ? 'it gave up waiting for' : 'got no response'

/** How long a client should keep a list, in s; undefined for any other operation. */
export const cacheSecondsOf = (operation: OperationId): number | undefined =>
  (operations[operation] as { cacheSeconds?: number }).cacheSeconds

const listOf = ({ identity, page }: ClientCall): string => (page === undefined ? identity : `${identity}\n${page}`)

const RELEASE = new RegExp(versionPattern, 'u')

/** Clocks and timers may be so much off, in ms. */
export const TOLERANCE = 50
/** A shorter wait, in ms, is one that no program chose. */
const AT_ONCE = 3 * TOLERANCE
/** So many early repetitions in a row are not those of another caller. */
const EXPLAINED_NO_MORE = 2
/** How many of the equal requests that got a 429 at the same time are remembered. */
const MOST_LIMITED = 100
/** How long after a loss an equal trigger counts as a repetition, in ms. */
const REPEATED_WITHIN = 60_000
/** How long it may take to notice that a client has left, in ms. */
const NOTICED = 250
