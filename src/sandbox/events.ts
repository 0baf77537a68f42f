import type { Run } from '../../generated/types.js'
import type { WaitingFault } from './faults.js'
import type { RequestLog, RequestRecord } from './log.js'
import type { RunView } from './runs.js'

/** An event of a sandbox. */
export type SandboxEvent =
  | { type: 'request'; request: RequestRecord | undefined }
  | ({ type: 'run'; workspace: string; run: Run } & Partial<RunView>)
  /** Time was advanced or paused: everything that depends on it may have changed. */
  | { type: 'clock'; paused: boolean }
  | { type: 'limit'; workspace: string; tokens: number }
  | { type: 'faults'; faults: WaitingFault[] }
  | { type: 'reset' }

/** Receives an event and its number; numbers increase by one. */
type EventListener = (event: SandboxEvent, number: number) => void

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
      if (requests.length > MAX_QUEUE) requests.shift()
      for (const listener of listeners.keys()) listener(event, last)
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

/** A stream of server-sent events. */
export interface EventStream {
  body: ReadableStream<Uint8Array>
  close(): void
}

/**
 * Streams the events of a sandbox until the reader disconnects or `close` is called. It begins with the requests after a
 * number, or those that a reconnecting reader missed.
 */
export function openEventStream(
  { events, log }: { events: SandboxEvents; log: RequestLog },
  from: number | null,
  lastEventId: string | null,
): EventStream {
  const resumed = isNumber(lastEventId) ? events.requestAt(Number(lastEventId)) : undefined
  const after = resumed ?? from
  let end = () => {}
  const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const encoder = new TextEncoder()
    const write = (text: string) => {
      // A reader that stops reading is disconnected: its events would fill the memory.
      if ((controller.desiredSize ?? 0) < -MAX_QUEUE) end()
      else controller.enqueue(encoder.encode(text))
    }
    const send = (type: string, data: object, id?: number) =>
      write(`event: ${type}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`)
    write('retry: 1000\n')
    send('open', { event: events.last(), lastRequest: log.last() }, events.last())
    if (after !== null) for (const request of log.records(after)) send('request', { request })
    const unsubscribe = events.subscribe(
      ({ type, ...data }, number) => send(type, data, number),
      () => end(),
    )
    const heartbeat = setInterval(write, HEARTBEAT, ':\n\n')
    end = () => {
      end = () => {}
      unsubscribe()
      clearInterval(heartbeat)
      try {
        controller.close()
      } catch {
        // The reader has already disconnected.
      }
    }
  }
  return { body: new ReadableStream({ start, cancel: () => end() }), close: () => end() }
}

const isNumber = (text: string | null): boolean => /^\d+$/.test(text ?? '')

/** The interval of heartbeats on an idle stream, in ms: proxies close silent connections. */
const HEARTBEAT = 15_000

/** How many events are queued for a slow reader. */
const MAX_QUEUE = 10_000
