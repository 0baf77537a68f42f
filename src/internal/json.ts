/** Parses a JSON text; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The deepest nesting of a value that is kept, logged or restored: JSON.stringify fails at some thousands. */
export const MAX_DEPTH = 100

/** Whether a value is nested at most `depth` levels deep, so that recursive functions can take it. */
export const isShallow = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((each) => isShallow(each, depth - 1)))
