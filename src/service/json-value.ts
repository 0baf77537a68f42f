/**
 * What a client reads of a value: plain data as a copy, in a quarter of the time of a parser; anything else, such as an
 * instance of a class or what has `toJSON`, as JSON has it. Getters are called once, so what is validated is what is sent.
 *
 * @throws TypeError for what JSON does not have, such as a BigInt, a promise, or an object that contains itself
 */
export function jsonValue(value: unknown): unknown {
  const copy = plainCopy(value, 0)
  if (copy !== NOT_PLAIN) return copy
  const pending: string[] = []
  const text = JSON.stringify(value, (name, each) => {
    if (!isPromise(each)) return each
    silence(each)
    pending.push(name)
  })
  if (pending.length > 0) throw new TypeError(`The body contains a promise at "${pending[0]}": await it.`)
  return text === undefined ? undefined : JSON.parse(text)
}

/** Also the query of a database library that is sent when it is awaited. */
export const isPromise = (value: unknown): boolean => typeof Object(value).then === 'function'

/** Handles the rejection of a promise that was returned by mistake, which would end the process. */
export function silence(value: unknown): void {
  if (Object.prototype.toString.call(value) === '[object Promise]') (value as Promise<unknown>).catch(() => {})
}

const NOT_PLAIN = Symbol()

/** Deeper than any response; an object that contains itself is deeper than that. */
const MAX_DEPTH = 100

function plainCopy(value: unknown, depth: number): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'object' || depth > MAX_DEPTH || 'toJSON' in value) return NOT_PLAIN
  if (Array.isArray(value)) return copyOfArray(value, depth + 1)
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null ? copyOfObject(value, depth + 1) : NOT_PLAIN
}

function copyOfArray(array: readonly unknown[], depth: number): unknown {
  const copy: unknown[] = []
  for (const item of array) {
    const copied = plainCopy(item, depth)
    if (copied === NOT_PLAIN) return NOT_PLAIN
    copy.push(copied)
  }
  return copy
}

/** A spread keeps the shape of an object, which adding properties one by one would build anew. */
function copyOfObject(object: object, depth: number): unknown {
  const copy: Record<string, unknown> = { ...object }
  for (const name in copy) {
    const member = copy[name]
    if (typeof member === 'string' || member === undefined) continue
    const copied = plainCopy(member, depth)
    if (copied === NOT_PLAIN) return NOT_PLAIN
    if (copied !== member) copy[name] = copied
  }
  return copy
}
