import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { sleep } from '../../../internal/time/system.js'
import type { Engine } from '../engine.js'

/** The last request of a connection. */
interface Use {
  res?: ServerResponse
  /** The sandbox of the last request of the API; control requests do not change it. */
  engine?: Engine
  /** Set once it is being closed: resolves when the client has closed it too. */
  closed?: Promise<unknown>
}

/** The connections of a server, each with its last request. */
export function createConnections() {
  const connections = new Map<Socket, Use>()
  return {
    add(socket: Socket): void {
      connections.set(socket, {})
      socket.once('close', () => connections.delete(socket))
    },
    /** Notes a request as soon as it arrives: until its response is finished, its connection is not idle. */
    use(socket: Socket, use: Use): void {
      const known = connections.get(socket)
      if (known) Object.assign(known, use)
    },
    /**
     * Closes idle connections of a sandbox before it drops one: a browser repeats a request when a connection that
     * it has used before is dropped. Connections of other worlds stay open, because their clients could be about to use
     * them. Returns a function that ends this.
     */
    watch(engine: Engine): () => void {
      const { faults } = engine
      const closeIdle = () => {
        if (!faults.dropWaits()) return
        for (const [socket, use] of connections) {
          if (use.closed || use.engine !== engine || !use.res?.writableFinished) continue
          const closed = new Promise((resolve) => socket.once('close', resolve))
          use.closed = Promise.race([closed, sleep(CLOSES_WITHIN, undefined)])
          socket.end()
        }
      }
      return faults.onChange(closeIdle)
    },
    /** Resolves when no client can send on a connection that was closed meanwhile: until then one may not know of it. */
    allClosed: (): Promise<unknown> => Promise.all([...connections.values()].map(({ closed }) => closed)),
  }
}

/** How long a client may take to notice that its connection was closed, in ms; some look only before they send. */
const CLOSES_WITHIN = 100
