import { getOrCreate } from '../../internal/get-or-create.js'
import { Recent } from './recent.js'
import type { JudgedCall } from './types.js'

/** The open requests of clients, and whether several workers may have sent them, each with waits and lists of its own. */
export function createOpenRequests() {
  const byIdentity = new Map<string, JudgedCall[]>()
  const byClient = new Map<string, Set<JudgedCall>>()
  /** The requests that came several times at once, by identity. */
  const repeated = new Recent<true>()
  /** The clients that had several connections at once. */
  const concurrent = new Recent<true>()
  /** The connection of the last request of a client. */
  const connections = new Recent<object>()
  const isRepeated = ({ identity }: JudgedCall): boolean => repeated.get(identity) === true
  return {
    arrive(call: JudgedCall): void {
      const { identity, client, connection } = call
      const same = byIdentity.get(identity) ?? []
      for (const other of same) other.overlapped.push(call)
      byIdentity.set(identity, [...same, call])
      const open = getOrCreate(byClient, client, () => new Set<JudgedCall>())
      const before = connections.get(client)
      // One that sends one request after another uses an open connection again.
      if (before && before !== connection && isOpen(before)) concurrent.set(client, true)
      if (connection) connections.set(client, connection)
      open.add(call)
    },
    /** Returns those of the same requests that its client may have sent after it had given this one up. */
    end(call: JudgedCall, clientLeft: boolean, at: number): JudgedCall[] {
      const { identity, client, overlapped } = call
      const same = (byIdentity.get(identity) ?? []).filter((each) => each !== call)
      if (same.length > 0) byIdentity.set(identity, same)
      else byIdentity.delete(identity)
      const open = byClient.get(client)
      open?.delete(call)
      if (open?.size === 0) byClient.delete(client)
      const again = clientLeft ? overlapped.filter(({ sentAt }) => at - sentAt <= NOTICED) : []
      if (overlapped.length > again.length) repeated.set(identity, true)
      return again
    },
    isRepeated,
    /** Whether another worker may have sent it than the one whose request came on `connection`, or a call that was under way. */
    mayBeOfAnother(call: JudgedCall, connection: object | undefined): boolean {
      if (call.connection === connection) return connection === undefined && isRepeated(call)
      return isRepeated(call) || concurrent.get(call.client) === true
    },
    clear(): void {
      for (const each of [byIdentity, byClient, repeated, concurrent, connections]) each.clear()
    },
  }
}

const isOpen = (connection: { destroyed?: boolean }): boolean => connection.destroyed !== true

/** In ms: it takes so long until it is noticed that a client has left. */
const NOTICED = 250
