import { examples } from '../../generated/examples.js'
import { operations } from '../../generated/operations.js'
import type { Run } from '../../generated/types.js'
import { STATUS } from '../../src/internal/contract/status.js'
import { toPointer } from '../../src/runtime/json-pointer.js'
import { isSuccess } from '../../src/tools/conformance/contract.js'
import { type Exchange, type RequestSpec, sendRequest } from '../../src/tools/conformance/exchange.js'
import { worldFromTraffic } from '../../src/tools/conformance/index.js'
import { isTimestamp } from '../../src/tools/conformance/judge/timestamp.js'
import { settingsOf } from '../../src/tools/conformance/options.js'
import { Collection, isOfRun, type RecordedRun } from '../../src/tools/conformance/recorded/collect.js'
import {
  hasStarted,
  isPassing,
  openRecording,
  type RecordingOptions,
  type SafeExchange,
} from '../../src/tools/conformance/recorded/read.js'
import { DEFAULT_KEY } from '../../src/tools/conformance/recorded/world.js'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/tools/sandbox/index.js'

/** What a sandbox responded to the requests of a recording. */
export interface Replayed {
  sent: number
  equal: number
  /** Requests that a world cannot repeat, by reason. */
  leftOut: Record<string, number>
  /** One line for each value that is different. */
  differences: string[]
}

/** Makes the world of a recording, and sends the recording to a sandbox that has it. */
export async function replayOnItsWorld(recording: RecordingOptions, options: SandboxOptions = {}) {
  const made = await worldFromTraffic(recording)
  const sandbox = createSandbox({ progress: 'clock', world: JSON.parse(JSON.stringify(made.world)), ...options })
  sandbox.pause()
  return { ...made, sandbox, replayed: await replay(recording, sandbox) }
}

/**
 * Sends the requests of a recording to a sandbox in their order, at the recorded times, and compares status and body. Ids
 * and times may be others, and so may the message of an error and what is new in a body. A run may show its recorded states at
 * other polls, in their order; its last poll shows the recorded one.
 */
export async function replay(recording: RecordingOptions, { fetch, baseUrl, advance }: Sandbox): Promise<Replayed> {
  const settings = settingsOf({ baseUrl, apiKey: DEFAULT_KEY, fetch })
  const { exchanges } = await openRecording(recording)
  const collection = new Collection()
  for await (const recorded of exchanges()) collection.add(recorded)
  const comparison = new Comparison(collection, collection.keysOf(recording.workspace).keys)
  const result: Replayed = { sent: 0, equal: 0, leftOut: {}, differences: [] }
  let sentAt = Number.NaN
  for await (const recorded of exchanges()) {
    const reason = comparison.reasonToLeaveOut(recorded)
    if (reason) {
      result.leftOut[reason] = (result.leftOut[reason] ?? 0) + 1
      continue
    }
    advance(Math.max(0, recorded.sentAt - sentAt) || 0)
    sentAt = recorded.sentAt
    const found = comparison.of(recorded, await sendRequest(comparison.requestOf(recorded), settings))
    result.sent++
    if (found.length === 0) result.equal++
    result.differences.push(...found)
  }
  return result
}

/** Remembers which recorded id is which of the sandbox, and how far each run was. */
class Comparison {
  private readonly ids = new Ids()
  /** Runs that were started here, and whose recorded ids are not known, because the responses were not recorded. */
  private readonly unnamed: string[] = []
  private readonly polls = new Map<string, { count: number; state: number }>()

  constructor(
    private readonly collection: Collection,
    private readonly keys: readonly string[],
  ) {}

  reasonToLeaveOut({ exchange, key, contradictions, deviations, number }: SafeExchange): string | undefined {
    if (isPassing(exchange)) return 'limit or outage'
    if (contradictions.length > 0) return 'contradiction'
    if (isSuccess(exchange.status) && deviations.length > 0) return 'other form'
    if (this.collection.keys.has(key) && !this.keys.includes(key)) return 'other workspace'
    return number >= this.collection.end && isOfRun(exchange.operation) ? 'more than a world has' : undefined
  }

  requestOf(recorded: SafeExchange): RequestSpec {
    const { operation, request, status } = recorded.exchange
    const [parameter] = operations[operation].pathParameters as readonly string[]
    const [body] = Object.values(Object(examples[operation]).request ?? {})
    return {
      operation,
      path: parameter === undefined ? {} : { [parameter]: this.idOf(recorded) },
      query: Object.fromEntries(new URL(request.url).searchParams),
      headers: Object.fromEntries(request.headers),
      body: request.body ?? (body && isSuccess(status) ? JSON.stringify(body) : undefined),
      authorization: this.authorizationOf(recorded),
    }
  }

  private idOf({ id, exchange }: SafeExchange): string {
    const isUnnamed = this.ids.of(id) === undefined && exchange.operation === 'getRun' && isSuccess(exchange.status)
    const started = isUnnamed && !this.collection.runs.has(id) ? this.unnamed.shift() : undefined
    if (started !== undefined) this.ids.match(id, started)
    return this.ids.of(id) ?? id
  }

  /** Some recorders keep no key at all: then only what got a 401 was sent without one. */
  private authorizationOf({ key, exchange }: SafeExchange): string | null {
    const hadNone = key === '' && (this.collection.isKeyRecorded || exchange.status === STATUS.unauthorized)
    return hadNone ? null : `Bearer ${key || DEFAULT_KEY}`
  }

  of(recorded: SafeExchange, received: Exchange): string[] {
    const { operation, status, body } = recorded.exchange
    const { id } = Object(received.body) as Partial<Run>
    if (hasStarted(recorded.exchange) && body === undefined && id !== undefined) this.unnamed.push(id)
    if (status !== received.status && !(isSuccess(status) && isSuccess(received.status)))
      return [`${operation} was recorded with ${status}, and got ${received.status || received.failure?.message}`]
    if (body === undefined) return []
    const run = this.collection.runs.get(recorded.id)
    const isPoll = operation === 'getRun' && isSuccess(status) && run
    if (isPoll && this.isShown(recorded.id, run, body as Run, received.body)) return []
    return differences(body, received.body, this.ids)
      .filter(({ pointer }) => isSuccess(status) || pointer !== '/message')
      .map(({ pointer, was, is }) => `${operation} ${status}: ${pointer} was ${was}, and is ${is}`)
  }

  /** Whether a poll that is not the last one shows a recorded state of the run, and none before the last that was seen. */
  private isShown(id: string, { timeline, polls }: RecordedRun, body: Run, received: unknown): boolean {
    const seen = this.polls.get(id) ?? { count: 0, state: 0 }
    const { id: own, playbook_id, started_at } = body
    const state = timeline.findIndex(
      ({ after: _, ...each }, index) =>
        index >= seen.state &&
        differences({ id: own, playbook_id, started_at, ...each }, received, this.ids).length === 0,
    )
    this.polls.set(id, { count: seen.count + 1, state: Math.max(state, seen.state) })
    return state !== -1 && seen.count + 1 < polls
  }
}

/** Which id of the recording is which of the sandbox. Each stands for one other. */
class Ids {
  private readonly replayed = new Map<string, string>()
  private readonly recorded = new Map<string, string>()

  of = (recorded: string): string | undefined => this.replayed.get(recorded)

  match(recorded: string, replayed: string): boolean {
    if (!this.replayed.has(recorded) && !this.recorded.has(replayed)) {
      this.replayed.set(recorded, replayed)
      this.recorded.set(replayed, recorded)
    }
    return this.replayed.get(recorded) === replayed
  }
}

interface Difference {
  pointer: string
  was: string
  is: string | undefined
}

function differences(was: unknown, is: unknown, ids: Ids, tokens: readonly string[] = []): Difference[] {
  const name = tokens.findLast((token) => !/^\d+$/.test(token)) ?? ''
  const different = [{ pointer: toPointer(tokens), was: JSON.stringify(was), is: JSON.stringify(is) }]
  if (typeof was === 'object' && was !== null) {
    if (typeof is !== 'object' || is === null || Array.isArray(was) !== Array.isArray(is)) return different
    if (Array.isArray(was) && was.length !== (is as unknown[]).length) return different
    return Object.entries(was).flatMap(([key, value]) =>
      differences(value, (is as Record<string, unknown>)[key], ids, [...tokens, key]),
    )
  }
  if (was === is) return []
  if (typeof was !== 'string' || typeof is !== 'string') return different
  const isSame = /(^|_)id$/.test(name) ? ids.match(was, is) : isTimestamp(was) && isTimestamp(is)
  return isSame ? [] : different
}
