import type { ServerResponse } from 'node:http'
import { onAbort } from '../../../internal/time/abort.js'
import type { Engine } from '../engine.js'

/** Streams the events of a sandbox until the reader disconnects or falls behind, or the signal is aborted. */
export function streamEvents({ events, log }: Engine, res: ServerResponse, closing: AbortSignal): void {
  res.setHeader('content-type', 'text/event-stream')
  const end = () => res.end()
  if (res.req.method === 'HEAD') return void end()
  const write = (text: string) => {
    if (res.writableEnded) return
    res.write(text)
    // Destroyed, not ended: a reader that does not read would never see the end.
    if (res.writableLength > MAX_QUEUE) res.destroy()
  }
  const unsubscribe = events.subscribe(({ type, ...data }, number) => write(encoded(type, number, data)), end)
  const heartbeat = setInterval(() => write(':\n\n'), HEARTBEAT_INTERVAL)
  const ignore = onAbort(closing, end)
  res.once('close', () => {
    unsubscribe()
    clearInterval(heartbeat)
    ignore()
  })
  write('retry: 1000\n')
  write(encoded('open', events.last(), { event: events.last(), lastRequest: log.last() }))
}

/** A server-sent event. */
const encoded = (type: string, id: number, data: object): string =>
  `event: ${type}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`

/** The interval of heartbeats on an idle stream, in ms: proxies close silent connections. */
const HEARTBEAT_INTERVAL = 15_000

/** How many bytes may wait for a reader. */
const MAX_QUEUE = 2 ** 22
