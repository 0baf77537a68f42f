import { shown } from '../internal/options.js'
import type { ServiceRequest } from '../service/request.js'
import { authorizationOf, keyOf } from '../service/respond.js'
import { Budget, bytesOf } from './budget.js'
import { ControlError } from './control.js'
import { createWithin, internalsOf, type Sandbox } from './create.js'
import type { SandboxOptions } from './settings.js'

/** The options of one world, which override those of the server. */
export type WorldOptions = Pick<SandboxOptions, 'seed' | 'plan' | 'progress' | 'speed' | 'world'>

interface WorldLimits {
  /** The maximum number of worlds. */
  maxWorlds: number
  /** The maximum size of their runs and requests together, in bytes. */
  maxWorldBytes: number
}

export type Worlds = ReturnType<typeof createWorlds>

/** Sandboxes by name, made on first use with the options of the server. */
export function createWorlds(main: Sandbox, limits: WorldLimits, onCreate: (sandbox: Sandbox) => void) {
  const { settings } = internalsOf(main)
  const { worlds, gone, add, remove, use, total } = createStore(limits)
  const create = (name: string, options: WorldOptions): Sandbox => {
    const sandbox = createWithin({ ...settings, ...options }, total)
    add(name, sandbox, WORLD_BYTES + bytesOf(options.world && JSON.stringify(options.world)))
    onCreate(sandbox)
    return sandbox
  }
  /** The world, if it exists. @throws ControlError when it was deleted or evicted @throws TypeError for an invalid name */
  const find = (name: string): Sandbox | undefined => {
    requireWorldName(name)
    const why = gone.get(name)
    if (why !== undefined) throw new ControlError(410, `The world "${name}" ${why}`, 'world_gone')
    return use(name)
  }
  return {
    /** @throws ControlError when the world does not exist */
    get(name: string): Sandbox {
      const sandbox = find(name)
      if (!sandbox) throw new ControlError(404, `There is no world "${name}". PUT /w/${name} makes it.`)
      return sandbox
    },
    /** The world, made on first use. */
    open: (name: string): Sandbox => find(name) ?? create(name, {}),
    /** Creates a world, and replaces the one with the same name. @throws TypeError when an option is invalid */
    put(name: string, options: Record<string, unknown>): Sandbox {
      requireWorldName(name)
      requireWorldOptions(options)
      return create(name, options)
    },
    delete: (name: string) => remove(name, 'was deleted. Make it again with PUT.'),
    list: () =>
      [...worlds].map(([name, { sandbox, bytes }]) => {
        const { budget, log } = internalsOf(sandbox)
        return { name, bytes: bytes + budget.used, requests: log.last() }
      }),
    /** The name of the world that a key such as `key_valid.<name>` selects. */
    select(token: string): string | undefined {
      if (hasKey(main, token)) return undefined
      return suffixes(token).find(
        (name) => NAME.test(name) && hasKey(worlds.get(name)?.sandbox ?? main, token.slice(0, -name.length - 1)),
      )
    },
  }
}

/** Keeps worlds within the limits: beyond them the least recently used is evicted. */
function createStore({ maxWorlds, maxWorldBytes }: WorldLimits) {
  const total = new Budget(maxWorldBytes)
  // The least recently used first.
  const worlds = new Map<string, { sandbox: Sandbox; bytes: number }>()
  const gone = new Map<string, string>()
  const remove = (name: string, why: string): void => {
    const world = worlds.get(name)
    if (!world) return
    worlds.delete(name)
    internalsOf(world.sandbox).end()
    total.add(-(internalsOf(world.sandbox).budget.used + world.bytes))
    gone.set(name, why)
    if (gone.size > MAX_GONE) gone.delete(gone.keys().next().value ?? '')
  }
  const evict = (): void => {
    while (worlds.size > maxWorlds || (total.exceeded && worlds.size > 1)) {
      const most =
        worlds.size > maxWorlds ? `${maxWorlds} worlds (--max-worlds)` : `${maxWorldBytes} bytes (--max-world-bytes)`
      const why = `was evicted, because it was the least recently used of more than ${most}.`
      remove(worlds.keys().next().value ?? '', `${why} Raise the limit, or delete worlds with DELETE.`)
    }
  }
  const add = (name: string, sandbox: Sandbox, bytes: number): void => {
    remove(name, '')
    gone.delete(name)
    total.add(bytes)
    worlds.set(name, { sandbox, bytes })
    evict()
  }
  const use = (name: string): Sandbox | undefined => {
    const world = worlds.get(name)
    if (!world) return undefined
    worlds.delete(name)
    worlds.set(name, world)
    evict()
    return world.sandbox
  }
  return { total, worlds, gone, add, remove, use }
}

/** The possible world names at the end of a key, the longest first. */
const suffixes = (token: string): string[] => {
  const parts = token.slice(-MAX_NAME - 1).split('.')
  return parts.slice(1).map((_, index) => parts.slice(index + 1).join('.'))
}

const hasKey = (sandbox: Sandbox, key: string): boolean => internalsOf(sandbox).keys.has(key)

export const tokenOf = (request: ServiceRequest): string => keyOf(request.header('authorization') ?? '') ?? ''

/** The request without the name of the world in its key. */
export function withOwnKey(request: ServiceRequest, name: string, sandbox: Sandbox): ServiceRequest {
  const token = tokenOf(request)
  if (!token.endsWith(`.${name}`) || hasKey(sandbox, token)) return request
  const authorization = authorizationOf(token.slice(0, -name.length - 1))
  return { ...request, header: (each) => (each === 'authorization' ? authorization : request.header(each)) }
}

const WORLD_OPTIONS = ['seed', 'plan', 'progress', 'speed', 'world']

function requireWorldOptions(options: object): void {
  const unknown = Object.keys(options).filter((option) => !WORLD_OPTIONS.includes(option))
  if (unknown.length > 0)
    throw new TypeError(`A world has no option ${unknown.join(', ')}; its options are ${WORLD_OPTIONS.join(', ')}.`)
}

const MAX_NAME = 64

const NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/

/** @throws TypeError for an invalid name of a world */
export function requireWorldName(name: string): void {
  if (typeof name !== 'string' || !NAME.test(name))
    throw new TypeError(
      `The name of a world has 1 to 64 letters, digits, ".", "_" and "-", is not "." or "..", and cannot be ${shown(name)}.`,
    )
}

/** The estimated size of a world without runs and requests, in bytes. */
const WORLD_BYTES = 50_000

/** How many names of deleted and evicted worlds are remembered. */
const MAX_GONE = 10_000
