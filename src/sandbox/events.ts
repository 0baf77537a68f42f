import type { Run } from '../../generated/types.js'
import { onAbort } from '../internal/time.js'
import type { WaitingFault } from './faults.js'
import type { BriefRecord, RequestLog } from './log.js'
import type { BriefRun } from './runs.js'

/** An event of a sandbox. Every listener receives it at once, so it has no long texts. */
export type SandboxEvent =
  | { type: 'request'; request: BriefRecord | undefined }
  | ({ type: 'run'; workspace: string; run: Run } & Partial<BriefRun>)
  /** Time was advanced or paused: everything that depends on it may have changed. */
  | { type: 'clock'; paused: boolean }
  | { type: 'limit'; workspace: string; tokens: number }
  | { type: 'faults'; faults: WaitingFault[] }
  | { type: 'reset' }

/** Receives an event, its number (numbers increase by one), and its text as a server-sent event, which is made once for all. */
type EventListener = (event: SandboxEvent, number: number, sent: () => Uint8Array) => void

export type SandboxEvents = ReturnType<typeof createEvents>

/** `watch` starts with the first subscription, for events that no request causes; the function that it returns stops it after the last. */
export function createEvents(watch: () => () => void) {
  const listeners = new Map<EventListener, () => void>()
  const requests: { event: number; request: number }[] = []
  let last = 0
  let stop = () => {}
  return {
    /** The number of the last request that was logged before an event, by the number of the event. */
    requestAt: (event: number): number => requests.findLast((each) => each.event <= event)?.request ?? 0,
    /** Whether there are subscriptions. */
    observed: () => listeners.size > 0,
    /** The number of the last event. */
    last: () => last,
    /** Calls `make` only if there are subscriptions. */
    emit(make: () => SandboxEvent | undefined): void {
      const event = listeners.size > 0 ? make() : undefined
      if (!event) return
      last++
      if (event.type === 'request') requests.push({ event: last, request: event.request?.number ?? 0 })
      if (requests.length > MAX_REMEMBERED) requests.shift()
      const { type, ...data } = event
      const number = last
      let bytes: Uint8Array | undefined
      const sent = () => {
        bytes ??= encode(type, data, number)
        return bytes
      }
      for (const listener of listeners.keys()) listener(event, number, sent)
    },
    /** Ends every subscription, because the sandbox was deleted or replaced. */
    end(): void {
      for (const ended of [...listeners.values()]) ended()
    },
    /** Calls `ended` when the sandbox is deleted or replaced. Returns a function that ends the subscription. */
    subscribe(listener: EventListener, ended: () => void): () => void {
      if (listeners.size === 0) stop = watch()
      listeners.set(listener, ended)
      return () => {
        if (listeners.delete(listener) && listeners.size === 0) stop()
      }
    },
  }
}

/** Calls `changed` with each run that progresses with time. Returns a function that ends it. */
export function watchRuns(
  list: () => { workspace: string; run: Run }[],
  changed: (event: { workspace: string; run: Run }) => void,
): () => void {
  const seen = new Map<string, string>()
  const look = (report: boolean) => {
    for (const each of list()) {
      const shown = JSON.stringify(each.run)
      if (report && seen.get(each.run.id) !== shown) changed(each)
      seen.set(each.run.id, shown)
    }
  }
  look(false)
  const timer = setInterval(look, LOOK_INTERVAL, true)
  return () => clearInterval(timer)
}

/** How often runs are checked for progress with time while there are subscriptions, in ms. */
const LOOK_INTERVAL = 250

/** How many requests are remembered by the number of their event. */
const MAX_REMEMBERED = 10_000

const encoder = new TextEncoder()

/** A server-sent event. */
const encode = (type: string, data: object, number?: number): Uint8Array =>
  encoder.encode(`event: ${type}\n${number === undefined ? '' : `id: ${number}\n`}data: ${JSON.stringify(data)}\n\n`)

/**
 * Streams the events of a sandbox until the reader disconnects or falls behind, or the signal is aborted. It begins with
 * the requests after a number, or those that a reconnecting reader missed.
 */
export function openEventStream(
  { events, log }: { events: SandboxEvents; log: RequestLog },
  from: number | null,
  lastEventId: string | null,
  closing: AbortSignal,
): ReadableStream<Uint8Array> {
  let after = (isNumber(lastEventId) ? events.requestAt(Number(lastEventId)) : undefined) ?? from
  let controller: ReadableStreamDefaultController<Uint8Array>
  let heartbeat: ReturnType<typeof setInterval>
  let unsubscribe: (() => void) | undefined
  let open = true
  const end = (finish: () => void) => {
    if (!open) return
    open = false
    ignore()
    unsubscribe?.()
    clearInterval(heartbeat)
    finish()
  }
  const close = () => end(() => controller.close())
  const ignore = onAbort(closing, close)
  const write = (bytes: Uint8Array) => {
    if ((controller.desiredSize ?? 0) >= -MAX_QUEUE) return controller.enqueue(bytes)
    // An error throws away what waits and ends the connection, while a reader that does not read never sees the end.
    end(() => controller.error(new Error('The reader fell behind.')))
  }
  /** Sends a request that the reader has missed; after the last one it follows what happens. */
  const proceed = () => {
    const request = after === null ? undefined : log.brief(after)
    if (request) {
      after = request.number
      write(encode('request', { request }))
    } else unsubscribe ??= events.subscribe((_, __, sent) => write(sent()), close)
  }
  const start = (own: typeof controller) => {
    controller = own
    heartbeat = setInterval(() => write(HEARTBEAT), HEARTBEAT_INTERVAL)
    write(encoder.encode('retry: 1000\n'))
    write(encode('open', { event: events.last(), lastRequest: log.last() }, events.last()))
    proceed()
  }
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD })
  return new ReadableStream({ start, pull: proceed, cancel: () => end(() => {}) }, strategy)
}

const isNumber = (text: string | null): boolean => /^\d+$/.test(text ?? '')

const HEARTBEAT = encoder.encode(':\n\n')

/** The interval of heartbeats on an idle stream, in ms: proxies close silent connections. */
const HEARTBEAT_INTERVAL = 15_000

/** How many bytes of missed requests are read ahead, and how many more may wait for a reader. */
const READ_AHEAD = 2 ** 16
const MAX_QUEUE = 2 ** 22
