import type { ServiceRequest } from '../service/request.js'
import { SCHEME } from '../service/respond.js'
import { createBudget } from './budget.js'
import { createWithin, type Sandbox } from './create.js'
import { internalsOf } from './internals.js'
import type { SandboxOptions } from './settings.js'

/** How a world differs from the options of its server. */
export type WorldOptions = Pick<SandboxOptions, 'seed' | 'plan' | 'progress' | 'speed' | 'world'>

export interface WorldLimits {
  /** How many worlds there are at most. */
  maxWorlds: number
  /** How many bytes their runs and requests take at most, together. */
  maxWorldBytes: number
}

/** A world that was deleted or evicted. */
export class GoneWorldError extends Error {
  override name = 'GoneWorldError'
}

/** Many sandboxes by name, made on first use with the options of one. When there are too many, the least recently used goes. */
export interface Worlds {
  /** The world, made on first use. @throws GoneWorldError @throws TypeError for a name that cannot be */
  open(name: string): Sandbox
  /** The world when there is one. @throws GoneWorldError */
  find(name: string): Sandbox | undefined
  /** Makes a world, in the place of the one that has the name. @throws TypeError when the options are wrong */
  put(name: string, options: Record<string, unknown>): Sandbox
  delete(name: string): boolean
  list(): { name: string; bytes: number; requests: number }[]
  /** The world that a key such as `key_valid.<name>` selects, and the request with the key alone. */
  select(request: ServiceRequest): { sandbox: Sandbox; request: ServiceRequest } | undefined
}

export function createWorlds(main: Sandbox, limits: WorldLimits, onCreate: (sandbox: Sandbox) => void): Worlds {
  const { settings, hasKey } = internalsOf(main)
  const total = createBudget(limits.maxWorldBytes)
  // The least recently used first.
  const worlds = new Map<string, Sandbox>()
  const gone = new Map<string, string>()

  const remove = (name: string, why: string): boolean => {
    const sandbox = worlds.get(name)
    if (!sandbox) return false
    worlds.delete(name)
    sandbox.reset()
    total.add(-(internalsOf(sandbox).budget.used + WORLD_BYTES))
    gone.delete(name)
    gone.set(name, why)
    if (gone.size > MAX_GONE) gone.delete(gone.keys().next().value ?? '')
    return true
  }
  const evict = () => {
    while (worlds.size > limits.maxWorlds || (total.exceeded && worlds.size > 1)) {
      const [oldest = ''] = worlds.keys()
      const cause = worlds.size > limits.maxWorlds ? `${limits.maxWorlds} worlds (--max-worlds)` : BYTES_CAUSE
      remove(
        oldest,
        `was evicted, because it was the least recently used of more than ${cause}. Raise the limit, or end worlds with DELETE.`,
      )
    }
  }
  const create = (name: string, options: WorldOptions): Sandbox => {
    const sandbox = createWithin({ ...settings, ...options }, total)
    remove(name, '')
    gone.delete(name)
    total.add(WORLD_BYTES)
    worlds.set(name, sandbox)
    onCreate(sandbox)
    evict()
    return sandbox
  }
  const BYTES_CAUSE = `${limits.maxWorldBytes} bytes (--max-world-bytes)`
  const find = (name: string): Sandbox | undefined => {
    requireName(name)
    const why = gone.get(name)
    if (why !== undefined) throw new GoneWorldError(`The world "${name}" ${why}`)
    const sandbox = worlds.get(name)
    if (!sandbox) return undefined
    worlds.delete(name)
    worlds.set(name, sandbox)
    if (total.exceeded) evict()
    return sandbox
  }
  return {
    find,
    open: (name) => find(name) ?? create(name, {}),
    put(name, options) {
      requireName(name)
      const unknown = Object.keys(options).filter((option) => !WORLD_OPTIONS.includes(option))
      if (unknown.length > 0)
        throw new TypeError(`A world has no option ${unknown.join(', ')}; its options are ${WORLD_OPTIONS.join(', ')}.`)
      return create(name, options)
    },
    delete: (name) => remove(name, 'was deleted. Make it again with PUT.'),
    list: () =>
      [...worlds].map(([name, sandbox]) => {
        const { budget, log } = internalsOf(sandbox)
        return { name, bytes: budget.used, requests: log.last() }
      }),
    select(request) {
      const token = request.header('authorization')?.slice(SCHEME.length) ?? ''
      if (!token.includes('.') || hasKey(token)) return undefined
      for (let dot = token.indexOf('.'); dot !== -1; dot = token.indexOf('.', dot + 1)) {
        const [key, name] = [token.slice(0, dot), token.slice(dot + 1)]
        if (!NAME.test(name)) continue
        const existing = worlds.get(name)
        if (existing ? !internalsOf(existing).hasKey(key) : !hasKey(key)) continue
        return { sandbox: find(name) ?? create(name, {}), request: withKey(request, key) }
      }
      return undefined
    },
  }
}

/** The request as the world sees it: a key may say the name of its world. */
export function withOwnKey(request: ServiceRequest, name: string, sandbox: Sandbox): ServiceRequest {
  const token = request.header('authorization')?.slice(SCHEME.length) ?? ''
  const suffix = `.${name}`
  return token.endsWith(suffix) && !internalsOf(sandbox).hasKey(token)
    ? withKey(request, token.slice(0, -suffix.length))
    : request
}

const withKey = (request: ServiceRequest, key: string): ServiceRequest => ({
  ...request,
  header: (name) => (name === 'authorization' ? SCHEME + key : request.header(name)),
})

const WORLD_OPTIONS = ['seed', 'plan', 'progress', 'speed', 'world']

const NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/

function requireName(name: string): void {
  if (!NAME.test(name))
    throw new TypeError(`The name of a world has 1 to 64 letters, digits, ".", "_" and "-", and "${name}" has not.`)
}

/** A world without runs and requests, about. */
const WORLD_BYTES = 50_000

/** How many names of ended worlds are remembered. */
const MAX_GONE = 10_000
