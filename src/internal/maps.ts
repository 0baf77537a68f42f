/** The value of a key, created if missing. */
export function getOrCreate<Key, Value>(
  map: { get(key: Key): Value | undefined; set(key: Key, value: Value): unknown },
  key: Key,
  create: () => Value,
): Value {
  const found = map.get(key)
  if (found !== undefined) return found
  const created = create()
  map.set(key, created)
  return created
}

/** Counts one more of a name. */
export const increment = <Name>(counts: Map<Name, number>, name: Name): Map<Name, number> =>
  counts.set(name, (counts.get(name) ?? 0) + 1)
