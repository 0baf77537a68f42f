import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Engine } from '../engine.js'

/** The connections of a server, each with its last request. */
export function createConnections() {
  const connections = new Map<Socket, { engine: Engine; res: ServerResponse } | undefined>()
  return {
    add(socket: Socket): void {
      connections.set(socket, undefined)
      socket.once('close', () => connections.delete(socket))
    },
    use: (socket: Socket, use: { engine: Engine; res: ServerResponse }) => connections.set(socket, use),
    /**
     * Closes idle connections of a sandbox before it drops one: a browser repeats a request when a connection that
     * it has used before is dropped. Connections of other worlds stay open, because their clients could be about to use
     * them. Returns a function that ends this.
     */
    watch(engine: Engine): () => void {
      const { faults } = engine
      const closeIdle = () => {
        if (!faults.dropWaits()) return
        for (const [socket, use] of connections) if (use?.engine === engine && use.res.writableFinished) socket.end()
      }
      return faults.onChange(closeIdle)
    },
  }
}
