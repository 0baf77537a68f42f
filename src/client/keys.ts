import { createMask, type Mask } from '../internal/mask.js'

/** The key, or a function that returns it. */
export type ApiKey = string | (() => string | Promise<string>)

/** The keys that a call was sent with, which are shown nowhere. */
export interface Keys {
  add(key: string): void
  /** The text without the keys, should the service or the runtime repeat them, also in escapes. */
  redact(text: string): string
  redactHeaders(headers: Headers): Headers
}

export function createKeys(first?: string): Keys {
  const keys = new Set<string>()
  let mask: Mask | undefined
  const add = (key: string) => {
    if (keys.has(key)) return
    keys.add(key)
    for (const oldest of [...keys].slice(0, -MAX_KEYS)) keys.delete(oldest)
    mask = undefined
  }
  const redact = (text: string): string => {
    mask ??= createMask([...keys].filter(isSecret), '[key]', SHORTEST_SECRET)
    return mask(text)
  }
  if (first) add(first)
  return {
    add,
    redact,
    redactHeaders: (headers) =>
      new Headers([...headers].map(([name, value]): [string, string] => [name, redact(value)])),
  }
}

/** How many keys are remembered: a watcher may be given a new one for each poll. */
const MAX_KEYS = 20

/** A shorter key is a letter or a word of every text, and no secret. */
const SHORTEST_SECRET = 4

const isSecret = ({ length }: string): boolean => length >= SHORTEST_SECRET

/**
 * The key, if it can be sent. A runtime's own error would print it.
 *
 * @throws TypeError that does not show it
 */
export function validKey(key: unknown): string {
  if (!key) throw new TypeError('apiKey is missing: set it to the key of your workspace.')
  if (typeof key !== 'string' || !/^[!#-[\]-~]+$/.test(key))
    throw new TypeError('apiKey must be ASCII without whitespace, quotes or "Bearer".')
  return key
}
