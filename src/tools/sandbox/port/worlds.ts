import { optionProblems, rule, throwIfProblems } from '../../../internal/options.js'
import { now } from '../../../internal/time/system.js'
import { secondsText } from '../../../internal/time/time.js'
import { authorizationOf, keyOf } from '../../service/request/authorization.js'
import type { ServiceRequest } from '../../service/request/index.js'
import { everSeenClients, mergedClients } from '../clients/index.js'
import type { ClockSource } from '../clock.js'
import { ControlError } from '../control/commands.js'
import { createEngine } from '../create.js'
import type { Engine } from '../engine.js'
import { type Sandbox, sandboxOf } from '../sandbox.js'
import { WORLD_OPTIONS, type WorldOptions } from '../settings.js'
import { isWorldName, MAX_NAME, requireWorldName, WORLD_GONE, WORLDS } from '../world/name.js'

export type Worlds = ReturnType<typeof createWorlds>

/** How many worlds are kept, and after how long without a request one is dropped, in ms. */
interface WorldLimits {
  maxWorlds: number
  worldTimeout: number
}

/** Sandboxes by name, with the options of the server. */
export function createWorlds(main: Engine, limits: WorldLimits, onCreate: (engine: Engine) => void) {
  const { find, peek, list, makeSpace, add, remove, seen, dropWaits } = createKeptWorlds(limits)
  const settings = { ...main.settings, clock: withoutAdvance(main.settings.clock) }
  const create = (name: string, options: WorldOptions, isOfGuest: boolean): KeptWorld => {
    const engine = createEngine({ ...settings, ...options })
    const world = { engine, sandbox: sandboxOf(engine), isOfGuest, usedAt: now() }
    makeSpace(name, isOfGuest)
    add(name, world)
    onCreate(engine)
    return world
  }
  return {
    /** @throws ControlError when the world does not exist */
    get(name: string): KeptWorld {
      const world = find(name)
      if (!world)
        throw new ControlError(
          404,
          `There is no world "${name}". Create it with PUT ${WORLDS}${name}.`,
          'world_not_found',
        )
      return world
    },
    find,
    /**
     * Creates a world with the options of the server. One of a guest evicts only those of guests.
     *
     * @throws ControlError when there is no space
     */
    make: (name: string, isOfGuest: boolean): KeptWorld => create(name, {}, isOfGuest),
    /** Creates a world, and replaces the one with the same name. @throws TypeError when an option is invalid */
    put(name: string, options: Record<string, unknown>): KeptWorld {
      requireWorldName(name)
      requireWorldOptions(options)
      return create(name, options, false)
    },
    delete: (name: string) => remove(name, 'was deleted. Make it again with PUT.'),
    /** What all worlds have seen of their clients, including worlds that are gone. */
    seen,
    list,
    dropWaits,
    /** The name of the world that a key such as `key_valid.<name>` selects. */
    select(key: string): string | undefined {
      if (main.keys.has(key)) return undefined
      return suffixes(key).find(
        (name) => isWorldName(name) && (peek(name)?.engine ?? main).keys.has(key.slice(0, -name.length - 1)),
      )
    },
  }
}

/** The clock of the server, which all worlds share: a world that moves its time moves no other's. It may be of a class. */
const withoutAdvance = (clock: ClockSource | undefined): ClockSource | undefined =>
  clock && {
    now: () => clock.now(),
    ...(clock.wallTime && { wallTime: () => clock.wallTime!() }),
    ...(clock.setTimeout && { setTimeout: (run: () => void, ms: number) => clock.setTimeout!(run, ms) }),
    ...(clock.clearTimeout && { clearTimeout: (timer: unknown) => clock.clearTimeout!(timer) }),
  }

/** A separate sandbox for one test. */
interface KeptWorld {
  engine: Engine
  sandbox: Sandbox
  /** A page whose origin is not allowed created it. */
  isOfGuest: boolean
  /** When it last had a request; monotonic, in ms. */
  usedAt: number
}

/** Keeps worlds: beyond `maxWorlds` the least recently used is evicted. */
function createKeptWorlds({ maxWorlds, worldTimeout }: WorldLimits) {
  // The least recently used first.
  const worlds = new Map<string, KeptWorld>()
  const gone = new Map<string, string>()
  let clientsOfGone = mergedClients([])
  const remove = (name: string, why?: string): void => {
    const world = worlds.get(name)
    if (!world) return
    worlds.delete(name)
    clientsOfGone = mergedClients([clientsOfGone, everSeenClients(world.engine, name)])
    world.engine.end()
    if (why !== undefined) gone.set(name, why)
    if (gone.size > MAX_GONE) gone.delete(gone.keys().next().value ?? '')
  }
  const add = (name: string, world: KeptWorld): void => {
    remove(name)
    gone.delete(name)
    worlds.set(name, world)
  }
  /** Drops worlds that had no request for too long, and whose events nobody has read for as long. */
  const expire = (): void => {
    for (const [name, { engine, usedAt }] of worlds) {
      if (now() - usedAt <= worldTimeout) return
      if (now() - engine.events.observedUntil() <= worldTimeout) continue
      remove(name, `had no request for ${secondsText(worldTimeout)} (--world-timeout). Make it again with PUT.`)
    }
  }
  const makeSpace = (name: string, isOfGuest: boolean): void => {
    expire()
    if (worlds.size < maxWorlds || worlds.has(name)) return
    const [evicted] = [...worlds].find(([, world]) => world.isOfGuest) ?? (isOfGuest ? [] : [...worlds.keys()])
    if (evicted === undefined)
      throw new ControlError(
        503,
        `There are ${maxWorlds} worlds, and a page whose origin is not allowed evicts none of them. Allow it with --allowed-origin, or raise --max-worlds.`,
      )
    const why = `was evicted, because it was the least recently used of more than ${maxWorlds} worlds (--max-worlds).`
    remove(evicted, `${why} Raise the limit, or delete worlds with DELETE.`)
  }
  return {
    makeSpace,
    /** The world, if it exists. @throws ControlError when it was deleted or evicted @throws TypeError for an invalid name */
    find(name: string): KeptWorld | undefined {
      requireWorldName(name)
      expire()
      const why = gone.get(name)
      if (why !== undefined) throw new ControlError(WORLD_GONE, `The world "${name}" ${why}`)
      const world = worlds.get(name)
      if (!world) return undefined
      world.usedAt = now()
      worlds.delete(name)
      worlds.set(name, world)
      return world
    },
    /** The world, if it exists, without counting as a use of it. */
    peek: (name: string): KeptWorld | undefined => worlds.get(name),
    list() {
      expire()
      return [...worlds].map(([name, { engine }]) => ({ name, requests: engine.log.last() }))
    },
    /** Whether a fault that drops a connection is waiting in a world. */
    dropWaits: (): boolean => [...worlds.values()].some(({ engine }) => engine.faults.dropWaits()),
    add,
    remove,
    seen: () =>
      mergedClients([clientsOfGone, ...[...worlds].map(([name, { engine }]) => everSeenClients(engine, name))]),
  }
}

/** The possible world names at the end of a key, the longest first. */
const suffixes = (key: string): string[] => {
  const parts = key.slice(-MAX_NAME - 1).split('.')
  return parts.slice(1).map((_, index) => parts.slice(index + 1).join('.'))
}

export const sentKeyOf = (request: ServiceRequest): string => keyOf(request.header('authorization') ?? '') ?? ''

/** The key of a request, without the name of the world if it ends in that. */
export function keyIn(request: ServiceRequest, name: string, { keys }: Engine): string {
  const key = sentKeyOf(request)
  return keys.has(key) || !key.endsWith(`.${name}`) ? key : key.slice(0, -name.length - 1)
}

/** The request with another key. */
export function withKey(request: ServiceRequest, key: string): ServiceRequest {
  if (key === sentKeyOf(request)) return request
  return { ...request, header: (each) => (each === 'authorization' ? authorizationOf(key) : request.header(each)) }
}

/** The values are validated when the world is made. */
const requireWorldOptions = (options: object): void =>
  throwIfProblems('The world', optionProblems(options, WORLD_RULES))

const WORLD_RULES = Object.fromEntries(WORLD_OPTIONS.map((name) => [name, rule(() => true, 'any value')]))

/** How many names of deleted and evicted worlds are remembered. */
const MAX_GONE = 10_000
