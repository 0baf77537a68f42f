import { schemaNodes } from '../../generated/conformance.js'
import { type BasisId, basis } from '../../generated/operations.js'
import { toPointer } from '../internal/json-pointer.js'
import { propertyNode, valuesBasis } from './contract.js'
import { quote, text } from './message.js'
import { type Details, failed, isBinding, passed, type Result } from './result.js'

/**
 * Goes through a body along its schema: what is there as the contract says, what is only assumed, and what the contract
 * does not name. `wrong` are the pointers of what the validators found wrong.
 */
export function bodyResults(schema: string, body: unknown, wrong: ReadonlySet<string>): Result[] {
  const results: Result[] = []
  /** By property of a schema: whether any of several items has it. */
  const inItems = new Map<string, { id: BasisId; what: string; isThere: boolean; location: string }>()

  // A pointer for every node of a long list would take most of the time.
  const isWrong = (path: readonly string[]) => wrong.size > 0 && wrong.has(toPointer(path))

  const visit = (name: string, value: unknown, path: readonly string[], isItem: boolean): void => {
    const node = schemaNodes[name]
    if (!node || isWrong(path)) return
    if (node.values && typeof value === 'string') {
      results.push(...valueResults(name, value))
      return
    }
    results.push(...bindingResults(node.basis, name, node.location))
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const own = value as Record<string, unknown>
    for (const [key, property] of Object.entries(node.properties ?? {})) {
      const { basis: ids, location } = propertyNode(name, key, property)
      const at = [...path, key]
      const isThere = Object.hasOwn(own, key) && !isWrong(at)
      if (isThere) results.push(...bindingResults(ids, `${name}.${key}`, location))
      assumed(ids, `${name}.${key}`, isThere, location, isItem)
      if (!isThere) continue
      if (property.assumedPatterns)
        results.push(...patternResults(property.assumedPatterns, `${name}.${key}`, own[key], toPointer(at), location))
      if (property.schema) visit(property.schema, own[key], at, isItem)
      const items = own[key]
      if (property.items && Array.isArray(items))
        for (const [index, item] of items.entries()) visit(property.items, item, [...at, String(index)], true)
    }
    if (!node.valueType) results.push(...unnamedFields(name, own))
  }

  /** What is only assumed is confirmed when it is there. One of many items may lack it, a response of its own may not. */
  const assumed = (
    ids: readonly BasisId[],
    what: string,
    isThere: boolean,
    location: string,
    isItem: boolean,
  ): void => {
    for (const id of ids) {
      if (basis[id].kind !== 'assumed' || CHECKED_ELSEWHERE.has(id)) continue
      if (ids.some(isBinding)) {
        if (isThere) results.push(passed(id, `${what} is there`, { location }))
      } else if (isItem) {
        const key = `${id} ${what}`
        inItems.set(key, { id, what, location, isThere: isThere || inItems.get(key)?.isThere === true })
      } else results.push(presence(id, what, isThere, { location }))
    }
  }

  visit(schema, body, [], false)
  for (const { id, what, isThere, location } of inItems.values())
    results.push(presence(id, what, isThere, { location }))
  return results
}

const presence = (id: BasisId, what: string, isThere: boolean, details: Details): Result =>
  isThere
    ? passed(id, `${what} is there`, details)
    : failed(id, `${what} is missing`, { ...details, keyword: 'required' })

/** A long recording shows the same of the contract over and over: made once, checking it takes a quarter less time. */
function once(results: Map<string, readonly Result[]>, what: string, make: () => Result[]): readonly Result[] {
  const made = results.get(what) ?? make()
  results.set(what, made)
  return made
}

const bound = new Map<string, readonly Result[]>()
const bindingResults = (ids: readonly BasisId[], what: string, location: string): readonly Result[] =>
  once(bound, what, () =>
    ids
      .filter((id) => isBinding(id) && !CHECKED_ELSEWHERE.has(id))
      .map((id) => passed(id, `${what} is as the contract says`, { location })),
  )

function patternResults(
  patterns: Readonly<Partial<Record<BasisId, string>>> | undefined,
  what: string,
  value: unknown,
  pointer: string,
  location: string,
): Result[] {
  if (typeof value !== 'string') return []
  return Object.entries(patterns ?? {}).map(([id, pattern]) =>
    new RegExp(pattern, 'u').test(value)
      ? passed(id as BasisId, text`${what} has the form that is assumed: ${quote(value)}`, { location })
      : failed(id as BasisId, text`${what} has another form than is assumed: ${quote(value)}`, {
          location,
          pointer,
          keyword: 'pattern',
          fact: text`${what} was ${quote(value)}`,
        }),
  )
}

const seenValues = new Map<string, readonly Result[]>()

/** A value of an open enumeration. */
function valueResults(name: string, value: string): readonly Result[] {
  const node = schemaNodes[name]
  if (!node?.values) return []
  const { location, values } = node
  const own = bindingResults(node.basis, name, location)
  const enumeration = valuesBasis(node)
  if (Object.hasOwn(values, value))
    return once(seenValues, `${name} ${value}`, () => {
      const ids = (values[value] ?? []).filter((id) => basis[id].kind === 'observed' || id === enumeration)
      return [
        ...own,
        ...ids.map((id) => {
          // What was observed names several values, of which this is one.
          const keyword = basis[id].kind === 'observed' ? 'enum' : undefined
          return passed(id, text`${name} ${quote(value)} was seen`, { location, keyword })
        }),
      ]
    })
  const message = text`${name} has a value that the contract does not name: ${quote(value)}`
  const discovery = { kind: 'value', schema: name, value } as const
  return [
    ...own,
    failed(enumeration, message, { location, keyword: 'enum' }),
    { basis: enumeration, outcome: 'discovered', message, discovery, location: `${location}/x-known-values` },
  ]
}

function unnamedFields(name: string, value: Record<string, unknown>): Result[] {
  const node = schemaNodes[name]
  const unnamed = Object.keys(value).filter((key) => !Object.hasOwn(node?.properties ?? {}, key))
  return unnamed.flatMap((key): Result[] => {
    const field = value[key]
    const message = text`${name} has a field that the contract does not name: ${quote(key)}, ${article(field)}`
    const discovery = { kind: 'field', schema: name, name: key, type: typeOf(field) } as const
    return [
      { basis: UNKNOWN_FIELDS, outcome: 'discovered', message, discovery, location: `${node?.location}/properties` },
      passed(UNKNOWN_FIELDS, message, { location: node?.location }),
    ]
  })
}

const UNKNOWN_FIELDS: BasisId = 'A27'

/** What the presence of a field does not show; other checks look at it. */
const CHECKED_ELSEWHERE = new Set<BasisId>(['S02', 'S03', 'S32', 'A04', 'A11', 'A24', 'A28', 'A32', 'A33'])

const typeOf = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'array'
      : Number.isInteger(value)
        ? 'integer'
        : (typeof value as string)

const article = (value: unknown): string => {
  const type = typeOf(value)
  return type === 'null' ? 'null' : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`
}
