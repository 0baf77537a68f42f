import { basis, clientRules, operations, protocol } from '../../../../generated/contract.js'
import { STATUS } from '../../../internal/contract/status.js'
import { requestedWait } from '../../../internal/http/retry-after.js'
import { getOrCreate } from '../../../internal/maps.js'
import { basisOf } from '../../client-rules/entries.js'
import { ClientJudge } from '../../client-rules/judge.js'
import type { ClientCall } from '../../client-rules/types.js'
import type { Exchange } from '../judge/exchange.js'
import { bare, type Result, text } from '../judge/result.js'
import { statedRate } from '../judge/semantics.js'
import type { RecordedExchange } from './har.js'

/** Whether the clients of a recording keep their rules: requests are judged in the order in which they were sent and ended. */
export class RecordedClients {
  private readonly judge = new ClientJudge<Exchange>()
  /** The positions of the requests whose times are known, in the order in which they ended. */
  private readonly ends: readonly number[]
  private readonly open = new Map<number, Open>()
  private readonly connections = new Map<unknown, object>()
  private added = 0
  private ended = 0
  /** When each key sent requests that count against the rate; those from `first` on in the last minute. */
  private readonly sent = new Map<string, { times: number[]; first: number }>()

  /** When the responses were complete, in the order in which the requests were sent. */
  constructor(private readonly receivedAt: readonly number[]) {
    const timed = [...receivedAt.keys()].filter((index) => !Number.isNaN(receivedAt[index]))
    this.ends = timed.sort((one, other) => this.endOf(one) - this.endOf(other) || one - other)
  }

  /** The exchanges come in the order in which they were sent. */
  add(recorded: RecordedExchange): void {
    const { exchange, sentAt, authorization, page, connection } = recorded
    const { operation, request } = exchange
    const { method, url, headers, body, isCut = false } = request
    this.endUntil(sentAt)
    const call = this.judge.arrive(
      {
        body: typeof body === 'string' ? body : undefined,
        pin: headers.get(protocol.versionHeader),
        userAgent: headers.get('user-agent'),
        ...{ operation, method, path: url, isCut, authorization, page, isRecorded: true },
        connection: connection === undefined ? undefined : getOrCreate(this.connections, connection, () => ({})),
      },
      sentAt,
    )
    const index = this.added++
    const open = { call, recorded, refused: this.hasUsedUpRate(recorded) }
    if (Number.isNaN(this.endOf(index))) this.end(open, sentAt)
    else this.open.set(index, open)
  }

  /** An entry that the service shows as well passes only by what the service does. */
  results(): Result[] {
    this.endUntil(Number.POSITIVE_INFINITY)
    const all = this.judge.results()
    const wrong = new Set(all.filter(({ outcome }) => outcome !== 'kept').map(({ rule }) => rule))
    return all.flatMap(({ rule, outcome, operation, message, note, times, exchange }): Result[] => {
      const id = basisOf(rule, operation)
      const details = { basis: id, times, keyword: 'client', exchange }
      if (outcome === 'kept') {
        const isOfClients = basis[id].unobservable !== undefined && !wrong.has(rule)
        return isOfClients ? [{ ...details, outcome: 'passed', message: `the client ${message}` }] : []
      }
      const isAdvice = outcome === 'advice'
      const whole = note === undefined || clientRules[rule].client === 'should' ? message : `${message}. ${note}`
      return [{ ...details, outcome: 'client', isAdvice, message: text`the client ${bare(whole)}` }]
    })
  }

  private endOf(index: number): number {
    return this.receivedAt[index] ?? Number.NaN
  }

  private endUntil(time: number): void {
    for (let index = this.ends[this.ended]; index !== undefined; index = this.ends[++this.ended]) {
      const each = this.open.get(index)
      if (!each || this.endOf(index) > time) return
      this.open.delete(index)
      this.end(each, this.endOf(index))
    }
  }

  private end({ call, recorded, refused }: Open, at: number): void {
    const { exchange, respondedAt, isWhole } = recorded
    const { status, headers, body, text: raw, bodyState } = exchange
    const response = {
      status: isWhole ? status : undefined,
      headers,
      isJsonOrEmpty: bodyState !== 'complete' || raw === '' || body !== undefined,
      respondedAt,
      clientLeft: false,
      wait: status === STATUS.rateLimited ? requestedWait(headers, body) : undefined,
      refused,
      tokens: undefined,
    }
    this.judge.end(call, response, at, () => exchange)
  }

  /** Whether a 429 came after the key alone had sent, in a minute, as many requests as the service says that it may. */
  private hasUsedUpRate({ exchange, sentAt, authorization }: RecordedExchange): boolean {
    if (operations[exchange.operation].quota !== 'requests' || Number.isNaN(sentAt)) return false
    const sent = getOrCreate(this.sent, authorization ?? '', () => ({ times: [] as number[], first: 0 }))
    while ((sent.times[sent.first] ?? sentAt) <= sentAt - 60_000) sent.first++
    if (exchange.status !== STATUS.rateLimited) sent.times.push(sentAt)
    const limit = exchange.status === STATUS.rateLimited ? statedRate(exchange.body) : undefined
    return limit !== undefined && sent.times.length - sent.first >= limit
  }
}

interface Open {
  call: ClientCall
  recorded: RecordedExchange
  refused: boolean
}
