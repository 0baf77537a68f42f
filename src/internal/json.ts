/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue }

/** Parses a JSON text; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether an object of a JSON text has a property twice; false for a long or deeply nested text. */
export function hasDuplicateName(json: string, parsed: unknown): boolean {
  if (json.length > 2 ** 20) return false
  try {
    const rewritten = JSON.stringify(parsed)
    return rewritten !== json && countNames(rewritten) < countNames(json)
  } catch {
    return false
  }
}

const countNames = (json: string): number =>
  [...json.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon).length
