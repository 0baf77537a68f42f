import { shown } from '../../../internal/options.js'

const NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,64}$/

/** The path below which the commands of a sandbox on a port are. */
export const CONTROL = '/__sandbox'

/** The path below which the worlds of a sandbox on a port are, each with its name. */
export const WORLDS = '/w/'

/** The status of a world that was deleted, replaced or evicted. RFC 9110, section 15.5.11. */
export const WORLD_GONE = 410

/** The status of a wait that ended without a matching request. */
export const TIMED_OUT = 408

/** The most characters that the name of a world on a port has. */
export const MAX_NAME = 64

/** Whether a world on a port may have this name. */
export const isWorldName = (name: unknown): boolean => typeof name === 'string' && NAME.test(name)

/** @throws TypeError for an invalid name of a world */
export function requireWorldName(name: string): void {
  if (!isWorldName(name))
    throw new TypeError(
      `A world's name must have 1 to 64 letters, digits, ".", "_" or "-", must not be "." or "..", and cannot be ${shown(name)}.`,
    )
}

/** The name of a key that the world does not have, in the log. */
export const UNKNOWN_KEY = 'unknown'

/** The problem of the name of a key that the world does not have. */
export const unknownKey = (key: unknown, names: ReadonlySet<string>): string | false =>
  typeof key === 'string' && !names.has(key) && `the world has no key "${key}", only ${[...names].join(', ')}`
