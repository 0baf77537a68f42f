import { onAbort } from '../../internal/time.js'
import { encodeEvent, type SandboxEvents } from '../events.js'
import type { RequestLog } from '../log.js'

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
      write(encodeEvent('request', { request }))
    } else unsubscribe ??= events.subscribe((_, __, sent) => write(sent()), close)
  }
  const start = (own: typeof controller) => {
    controller = own
    heartbeat = setInterval(() => write(HEARTBEAT), HEARTBEAT_INTERVAL)
    write(RETRY)
    write(encodeEvent('open', { event: events.last(), lastRequest: log.last() }, events.last()))
    proceed()
  }
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: READ_AHEAD })
  return new ReadableStream({ start, pull: proceed, cancel: () => end(() => {}) }, strategy)
}

const isNumber = (text: string | null): boolean => /^\d+$/.test(text ?? '')

const RETRY = new TextEncoder().encode('retry: 1000\n')
const HEARTBEAT = new TextEncoder().encode(':\n\n')

/** The interval of heartbeats on an idle stream, in ms: proxies close silent connections. */
const HEARTBEAT_INTERVAL = 15_000

/** How many bytes of missed requests are read ahead, and how many more may wait for a reader. */
const READ_AHEAD = 2 ** 16
const MAX_QUEUE = 2 ** 22
