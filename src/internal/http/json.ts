/** Parses a JSON text; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The encoding of a body that is no UTF-8, by the zeros at its start; undefined if it has none. RFC 8259, section 8.1. */
export const wideEncoding = (text: string): string | undefined =>
  text.slice(0, 4).includes('\0') ? 'UTF-16 or UTF-32' : undefined

/** The deepest nesting of a value that is handled, kept, logged or restored: JSON.stringify fails at some thousands. */
export const MAX_DEPTH = 100

/** Whether a value is nested at most `depth` levels deep, so that recursive functions can take it. */
export function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return false
  for (const each of Object.values(value)) if (!isShallow(each, depth - 1)) return false
  return true
}

/** Whether an object of a JSON text has a property twice; false for a long text. RFC 8259, section 4. */
export function hasDuplicateName(json: string, parsed: unknown): boolean {
  return json.length <= LONGEST_SEARCHED && countWrittenNames(json) > countNames(parsed)
}

/** In characters: a service reads no larger body by default, and the search keeps a copy of every string. */
const LONGEST_SEARCHED = 2 ** 20

/** Without recursion, because a body may be nested deeper than the stack. */
function countNames(parsed: unknown): number {
  let count = 0
  const left = [parsed]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value !== 'object' || value === null) continue
    const inside = Object.values(value)
    if (!Array.isArray(value)) count += inside.length
    for (const each of inside) left.push(each)
  }
  return count
}

const countWrittenNames = (json: string): number =>
  (json.match(/"(?:[^"\\]|\\.)*"(?:\s*:)?/g) ?? []).filter((text) => text.endsWith(':')).length
