import { createMask, type Mask } from '../../internal/mask.js'
import { copyHeaders } from './headers.js'

/** The key, or a function that returns it. */
export type ApiKey = string | (() => string | Promise<string>)

/** Keys, which are shown nowhere. More can be added, and none is taken out before there are many. */
export interface Keys {
  add(key: string): void
  all(): string[]
  /** The text without the keys, should the service or the runtime repeat them, also in escapes. */
  redact(text: string): string
  redactHeaders(headers: Headers): Headers
}

/** Notes keys, beginning with one that stays the same. */
export function createKeys(apiKey: ApiKey): Keys {
  const keys = new Set<string>()
  let mask: Mask | undefined
  const add = (key: string) => {
    if (keys.has(key)) return
    keys.add(key)
    for (const oldest of [...keys].slice(0, -MAX_KEYS)) keys.delete(oldest)
    mask = undefined
  }
  const redact = (text: string): string => {
    mask ??= createMask(
      [...keys].filter(({ length }) => length >= SHORTEST_SECRET),
      '[key]',
      SHORTEST_SECRET,
    )
    return mask(text)
  }
  if (typeof apiKey === 'string') add(apiKey)
  return {
    add,
    all: () => [...keys],
    redact,
    redactHeaders: (headers) => copyHeaders(headers, redact),
  }
}

/** How many keys are remembered: a watcher may be given a new one for each poll. */
const MAX_KEYS = 20

/** Shorter keys would match ordinary text. */
const SHORTEST_SECRET = 4

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
