import type { EventListener } from './events.js'
import type { Internals } from './internals.js'

/** The events of a sandbox as server-sent events, until the reader leaves or `close` is called. */
export function openEventStream({ events, log }: Internals, after: number | undefined): EventStream {
  const encoder = new TextEncoder()
  let end = () => {}
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => {
        // A reader that does not read is disconnected: its events would fill the memory.
        if ((controller.desiredSize ?? 0) < -MAX_QUEUE) end()
        else controller.enqueue(encoder.encode(text))
      }
      const send: EventListener = ({ type, ...data }, number) =>
        write(`event: ${type}\nid: ${number}\ndata: ${JSON.stringify(data)}\n\n`)
      const lastRequest = log.last()
      write(
        `retry: 1000\nevent: open\nid: ${events.last}\ndata: ${JSON.stringify({ event: events.last, lastRequest })}\n\n`,
      )
      if (after !== undefined)
        for (const request of log.records(after)) write(`event: request\ndata: ${JSON.stringify({ request })}\n\n`)
      const unsubscribe = events.subscribe(send)
      const heartbeat = setInterval(write, HEARTBEAT, ':\n\n')
      end = () => {
        end = () => {}
        unsubscribe()
        clearInterval(heartbeat)
        try {
          controller.close()
        } catch {
          // The reader has left already.
        }
      }
    },
    cancel: () => end(),
  })
  return { body, close: () => end() }
}

export interface EventStream {
  body: ReadableStream<Uint8Array>
  close(): void
}

/** How often an idle stream shows that it lives, in ms: proxies close silent ones. */
const HEARTBEAT = 15_000

/** How many events wait for a slow reader. */
const MAX_QUEUE = 10_000
