/** Whether an object of a JSON text has a property twice; false for a long or deeply nested text. RFC 8259, section 4. */
export function hasDuplicateName(json: string, parsed: unknown): boolean {
  if (json.length > 2 ** 20) return false
  try {
    return countWrittenNames(json) > countNames(parsed)
  } catch {
    return false
  }
}

function countNames(value: unknown): number {
  let count = 0
  if (Array.isArray(value)) for (const item of value) count += countNames(item)
  else if (typeof value === 'object')
    for (const name in value) count += 1 + countNames((value as Record<string, unknown>)[name])
  return count
}

const countWrittenNames = (json: string): number =>
  (json.match(/"(?:[^"\\]|\\.)*"(?:\s*:)?/g) ?? []).filter((text) => text.endsWith(':')).length
