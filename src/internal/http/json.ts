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

/** The path of the first property that an object of a JSON text has twice; undefined for a long text. RFC 8259, section 4. */
export function duplicateName(json: string): string | undefined {
  if (json.length > LONGEST_SEARCHED) return undefined
  // Without recursion, because a body may be nested deeper than the stack.
  const open: { names: Set<string>; at: string | number }[] = []
  const tokens = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\],]/g
  for (let found = tokens.exec(json); found; found = tokens.exec(json)) {
    const [token, text, colon] = found
    const inner = open.at(-1)
    if (token === '{' || token === '[') open.push({ names: new Set(), at: 0 })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',' && typeof inner?.at === 'number') inner.at++
    else if (inner && text && colon) {
      const name: string = JSON.parse(text)
      inner.at = name
      if (inner.names.has(name)) return open.map(({ at }) => at).join('.')
      inner.names.add(name)
    }
  }
  return undefined
}

/** In characters: a service reads no larger body by default, and the search keeps a copy of every string. */
const LONGEST_SEARCHED = 2 ** 20
