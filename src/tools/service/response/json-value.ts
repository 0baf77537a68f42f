/**
 * A copy of a value as a client will read it from JSON. Getters are called only here, so the copy that is validated is the one
 * that is sent.
 *
 * @throws TypeError for a value that JSON does not have, such as a BigInt, a promise, or an object that contains itself
 */
export function jsonValue(value: unknown): unknown {
  const promises: string[] = []
  const copy = copied(value, '', 0, promises)
  if (promises.length > 0) throw new TypeError(`The body contains a promise at "${promises[0]}": await it.`)
  return copy
}

/** Whether a value can be awaited. Some database libraries return queries that are sent when they are awaited. */
export const isPromise = (value: unknown): boolean =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function'

/** Handles the rejection of a promise that was returned by mistake, which would end the process. */
export function silence(value: unknown): void {
  if (Object.prototype.toString.call(value) === '[object Promise]') (value as Promise<unknown>).catch(() => {})
}

/** Far deeper than any response: only an object that contains itself gets there. */
const MAX_BODY_DEPTH = 1_000

/** Adds the names of promises to `promises`, so that each of them is silenced. */
function copied(value: unknown, name: string, depth: number, promises: string[]): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      return Number.isFinite(value) ? value : null
    case 'bigint':
      throw new TypeError(`The body contains the BigInt ${value}n, which JSON cannot represent.`)
    case 'object':
      return value === null ? null : copiedObject(value, name, depth, promises)
    default:
      return undefined
  }
}

function copiedObject(value: object, name: string, depth: number, promises: string[]): unknown {
  if (depth > MAX_BODY_DEPTH) throw new TypeError('The body is circular or nested too deep.')
  if (isPromise(value)) {
    silence(value)
    promises.push(name)
    return undefined
  }
  const { toJSON } = value as { toJSON?: unknown }
  if (typeof toJSON === 'function') return copied(toJSON.call(value, name), name, depth + 1, promises)
  if (Array.isArray(value)) {
    const list: unknown[] = []
    for (const item of value) list.push(copied(item, name, depth + 1, promises) ?? null)
    return list
  }
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return value.valueOf()
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const each = copied((value as Record<string, unknown>)[key], key, depth + 1, promises)
    if (key === '__proto__') Object.defineProperty(copy, key, { ...FIELD, value: each })
    else copy[key] = each
  }
  return copy
}

/** The attributes of an ordinary property. Assigning to `__proto__` would change the prototype instead. */
const FIELD = { enumerable: true, configurable: true, writable: true }
