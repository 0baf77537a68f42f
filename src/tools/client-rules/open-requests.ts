import { getOrCreate } from '../../internal/maps.js'
import { Recent } from './recent.js'

/** Requests that are open at one time: those of a client, or equal ones. */
interface Group {
  open: number
  /** How many came since the last time that none was open. */
  arrived: number
  /** That of the first one. */
  connection: object | undefined
}

/** What tells who sent a request. */
export interface Sender {
  /** The same object for all requests of one connection; undefined where connections are not visible. */
  connection: object | undefined
  /** The page of a browser that sent it: another one starts without a cache. */
  page?: unknown
}

/** What matters here of a request. */
export interface OpenCall extends Sender {
  client: string
  identity: string
  isRecorded?: boolean
  /** Undefined until it has come. */
  ticket: Ticket | undefined
}

/** Where a request stands in its groups. */
export interface Ticket {
  same: Place
  ofClient: Place
}

interface Place {
  group: Group
  /** How many were open when it came, and how many had come, with it. */
  before: number
  nth: number
}

/** The open requests of clients, and whether several workers, each with its own waits and cache, may have sent them. */
export function createOpenRequests() {
  const byIdentity = new Map<string, Group>()
  const byClient = new Map<string, Group>()
  /** The requests that came several times at once, by identity. */
  const repeated = new Recent<true>()
  /** The clients that had open requests on several connections. */
  const concurrent = new Recent<true>()
  const isRepeated = ({ identity }: OpenCall): boolean => repeated.get(identity) === true
  return {
    arrive(call: OpenCall): void {
      const { identity, client, connection } = call
      call.ticket = { same: enter(byIdentity, identity, connection), ofClient: enter(byClient, client, connection) }
      if (call.ticket.ofClient.group.connection !== connection) concurrent.set(client, true)
    },
    /** `isExplained`: the client gave up on it and has sent it once more, so one equal request is not another caller's. */
    end({ identity, client, ticket }: OpenCall, isExplained: boolean): void {
      if (!ticket) return
      if (laterIn(ticket.same) > Number(isExplained)) repeated.set(identity, true)
      leave(byIdentity, identity, ticket.same.group)
      leave(byClient, client, ticket.ofClient.group)
    },
    isRepeated,
    /**
     * Whether an equal request may come from another worker than the one whose response came on `connection`, `passed` ms ago,
     * or was under way by then. A client that sends one request after another would use that connection again.
     */
    mayBeOfAnother(call: OpenCall, { connection, page }: Sender, passed: number): boolean {
      if (call.isRecorded) return isRepeated(call) || !isKnownAs(call, { connection, page })
      if (call.connection === connection) return connection === undefined && isRepeated(call)
      return isRepeated(call) || concurrent.get(call.client) === true || (passed <= UNDER_WAY && isOpen(connection))
    },
  }
}

/** Whether a recording shows that a request has the sender of another one: the tabs of a browser share its connections. */
const isKnownAs = (one: Sender, other: Sender): boolean =>
  (one.page ?? other.page) === undefined
    ? one.connection !== undefined && one.connection === other.connection
    : one.page === other.page

/** Whether another request of the client was open at the same time, until now. */
export const isOverlapped = ({ ticket }: OpenCall): boolean =>
  ticket !== undefined && (ticket.ofClient.before > 0 || laterIn(ticket.ofClient) > 0)

/** Whether an equal request was. */
export const isOverlappedByEqual = ({ ticket }: OpenCall): boolean =>
  ticket !== undefined && (ticket.same.before > 0 || laterIn(ticket.same) > 0)

const laterIn = ({ group, nth }: Place): number => group.arrived - nth

function enter(groups: Map<string, Group>, key: string, connection: object | undefined): Place {
  const group = getOrCreate(groups, key, () => ({ open: 0, arrived: 0, connection }))
  return { group, before: group.open++, nth: ++group.arrived }
}

function leave(groups: Map<string, Group>, key: string, group: Group): void {
  if (--group.open === 0 && groups.get(key) === group) groups.delete(key)
}

/** The longest time that a request is assumed to be under way, also from a busy process, in ms. */
const UNDER_WAY = 250

const isOpen = (connection: { destroyed?: boolean } | undefined): boolean => connection?.destroyed === false
