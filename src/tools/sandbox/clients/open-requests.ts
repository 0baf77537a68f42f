import { getOrCreate } from '../../../internal/maps.js'
import { Recent } from './recent.js'
import type { ClientCall } from './types.js'

/** The open requests of clients, and whether several workers, each with its own waits and cache, may have sent them. */
export function createOpenRequests() {
  const byIdentity = new Map<string, Set<ClientCall>>()
  const byClient = new Map<string, Set<ClientCall>>()
  /** The requests that came several times at once, by identity. */
  const repeated = new Recent<true>()
  /** The clients that had open requests on several connections. */
  const concurrent = new Recent<true>()
  const isRepeated = ({ identity }: ClientCall): boolean => repeated.get(identity) === true
  return {
    arrive(call: ClientCall): void {
      const { identity, client, connection } = call
      const same = getOrCreate(byIdentity, identity, () => new Set<ClientCall>())
      for (const other of same) other.overlapped.push(call)
      same.add(call)
      const open = getOrCreate(byClient, client, () => new Set<ClientCall>())
      for (const other of open) {
        if (other.connection === connection) continue
        concurrent.set(client, true)
        break
      }
      open.add(call)
    },
    /** Returns the repetitions that the client may have sent after giving up on this request. */
    end(call: ClientCall, clientLeft: boolean, at: number): ClientCall[] {
      const { identity, client, overlapped } = call
      remove(byIdentity, identity, call)
      remove(byClient, client, call)
      const again = clientLeft ? overlapped.filter(({ sentAt }) => at - sentAt <= NOTICED) : []
      if (overlapped.length > again.length) repeated.set(identity, true)
      // Otherwise each call would keep those that came after it in memory.
      call.overlapped = []
      return again
    },
    isRepeated,
    /**
     * Whether an equal request may come from another worker than the one whose response came on `connection`, `passed` ms ago,
     * or was under way by then. A client that sends one request after another would use that connection again.
     */
    mayBeOfAnother(call: ClientCall, connection: object | undefined, passed: number): boolean {
      if (call.connection === connection) return connection === undefined && isRepeated(call)
      return isRepeated(call) || concurrent.get(call.client) === true || (passed <= UNDER_WAY && isOpen(connection))
    },
    clear(): void {
      for (const each of [byIdentity, byClient, repeated, concurrent]) each.clear()
    },
  }
}

/** Removes a call, and its set when that is empty. */
function remove(sets: Map<string, Set<ClientCall>>, key: string, call: ClientCall): void {
  const set = sets.get(key)
  set?.delete(call)
  if (set?.size === 0) sets.delete(key)
}

/** The longest time that a request is assumed to be under way, also from a busy process, in ms. */
const UNDER_WAY = 250

const isOpen = (connection: { destroyed?: boolean } | undefined): boolean => connection?.destroyed === false

/** How long it may take to notice that a client has left, in ms. */
const NOTICED = 250
