import { type BasisId, basis, rules, schemaNodes } from '../../../../generated/contract.js'
import { getOrCreate } from '../../../internal/maps.js'
import type { SchemaNode } from '../../../runtime/contract-nodes.js'
import { toPointer } from '../../../runtime/json-pointer.js'
import { isBinding, propertyNode } from './contract.js'
import { type Details, failed, passed, quote, type Result, resultOf, text } from './result.js'
import { isListEnvelope } from './semantics.js'

/**
 * Walks a body along its schema and records conforming values, assumed values and unknown fields and values. `wrong`
 * are the pointers of values that the validators refused.
 */
export function bodyResults(schema: string, body: unknown, wrong: ReadonlySet<string>): Result[] {
  const walk: Walk = { results: [], inItems: new Map(), wrong }
  visit(walk, schema, body, [], false)
  // A single item, or one of another page, may lack what others have.
  const isPage = isListEnvelope(body) && body.data.length < Math.max(2, body.meta.total)
  return [...walk.results, ...[...walk.inItems.values()].filter(({ outcome }) => !isPage || outcome === 'passed')]
}

/** The properties that are ids or statuses. Basis: A35. */
const IDENTIFIES = /^(id|status|.*_id)$/

interface Walk {
  results: Result[]
  /** By property of a schema: whether any of several items has it. */
  inItems: Map<string, Result>
  wrong: ReadonlySet<string>
}

// A pointer for every node of a long list would take most of the time.
const isWrong = ({ wrong }: Walk, path: readonly string[]) => wrong.size > 0 && wrong.has(toPointer(path))

function visit(walk: Walk, name: string, value: unknown, path: readonly string[], isItem: boolean): void {
  const { results } = walk
  const node = schemaNodes[name]
  if (!node || isWrong(walk, path)) return
  results.push(...bindingResults(node.basis, name, node.location))
  if (node.values && typeof value === 'string') results.push(...valueResults(name, node, value))
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  const own = value as Record<string, unknown>
  for (const [key, property] of Object.entries(node.properties ?? {})) {
    const { basis: ids, location } = propertyNode(name, key, property)
    const at = [...path, key]
    const what = `${name}.${key}`
    if (IDENTIFIES.test(key) && typeof own[key] === 'string')
      results.push(
        resultOf(rules.notEmpty, own[key] !== '', `${what} is ${own[key] === '' ? 'empty' : 'not empty'}`, {
          location,
          keyword: 'empty',
        }),
      )
    const state = !Object.hasOwn(own, key) ? 'missing' : isWrong(walk, at) ? 'wrong' : 'there'
    const isThere = state === 'there'
    for (const id of ids) {
      if (!isAssumed(id)) continue
      noteAssumed(
        walk,
        resultOf(id, isThere, `${what} is ${state}`, { location, keyword: 'required' }),
        ids.some(isBinding),
        isItem,
      )
    }
    if (!isThere) continue
    const field = own[key]
    results.push(...bindingResults(ids, what, location))
    if (property.assumedPatterns && typeof field === 'string')
      results.push(...patternResults(property.assumedPatterns, what, field, { location, pointer: toPointer(at) }))
    if (property.schema) visit(walk, property.schema, field, at, isItem)
    if (property.items?.schema && Array.isArray(field))
      for (const [index, item] of field.entries())
        visit(walk, property.items.schema, item, [...at, String(index)], true)
  }
  if (!node.valueTypes) for (const result of unnamedFields(name, node, own)) results.push(result)
}

/** An assumed property is confirmed by its presence. One of many items may lack it, a response may not. */
function noteAssumed({ results, inItems }: Walk, presence: Result, isBound: boolean, isItem: boolean): void {
  const key = `${presence.basis} ${presence.location}`
  const isThere = presence.outcome === 'passed'
  if (isBound ? isThere : !isItem) results.push(presence)
  else if (!isBound && (isThere || !inItems.has(key))) inItems.set(key, presence)
}

const isAssumed = (id: BasisId): boolean => basis[id].kind === 'assumed' && basis[id].presence !== false

/** Cached: a long recording repeats the same results, and caching them makes checking a quarter faster. */
const once = (what: string, make: () => Result[]): readonly Result[] => getOrCreate(made, what, make)

const made = new Map<string, readonly Result[]>()

const bindingResults = (ids: readonly BasisId[], what: string, location: string): readonly Result[] =>
  once(what, () =>
    ids
      .filter((id) => isBinding(id) && basis[id].presence !== false)
      .map((id) => passed(id, `${what} is as the contract says`, { location })),
  )

function patternResults(
  patterns: Readonly<Partial<Record<BasisId, string>>>,
  what: string,
  value: string,
  details: Details,
): Result[] {
  const fact = text`${what} was ${quote(value)}`
  return Object.entries(patterns).map(([id, pattern]) => {
    const isSo = new RegExp(pattern, 'u').test(value)
    const message = text`${what} has ${isSo ? 'the form that is assumed' : 'another form than is assumed'}: ${quote(value)}`
    return resultOf(id as BasisId, isSo, message, { keyword: 'pattern', fact, ...details })
  })
}

/** A value of an enumeration; one that a complete list does not have is a problem of the validators. */
function valueResults(name: string, node: SchemaNode<BasisId>, value: string): readonly Result[] {
  const { location, values = {}, enumeratedBy } = node
  if (Object.hasOwn(values, value))
    return once(`${name} ${value}`, () => {
      const ids = (values[value] ?? []).filter(
        (id) => basis[id].kind === 'observed' || isBinding(id) || id === enumeratedBy,
      )
      // An observed entry names several values, of which this is one.
      const keyword = (id: BasisId) => (basis[id].kind === 'observed' ? 'enum' : undefined)
      return ids.map((id) => passed(id, text`${name} ${quote(value)} was seen`, { location, keyword: keyword(id) }))
    })
  const message = text`${name} has a value that the contract does not name: ${quote(value)}`
  const discovery = { kind: 'value', schema: name, value } as const
  const basisOfList = enumeratedBy ?? rules.unknownFields
  return [
    ...(enumeratedBy ? [failed(enumeratedBy, message, { location, keyword: 'enum' })] : []),
    { basis: basisOfList, outcome: 'discovered', message, discovery, location: `${location}/x-known-values` },
  ]
}

function unnamedFields(schema: string, { location, properties = {} }: SchemaNode<BasisId>, value: object): Result[] {
  const unnamed = Object.entries(value).filter(([name]) => !Object.hasOwn(properties, name))
  return unnamed.flatMap(([name, field]): Result[] => {
    const type = typeOf(field)
    const article = type === 'null' ? '' : /^[aio]/.test(type) ? 'an ' : 'a '
    const message = text`${schema} has a field that the contract does not name: ${quote(name)}, ${article}${type}`
    const discovery = { kind: 'field', schema, name, type } as const
    return [
      { basis: UNKNOWN_FIELDS, outcome: 'discovered', message, discovery, location: `${location}/properties` },
      passed(UNKNOWN_FIELDS, message, { location }),
    ]
  })
}

const UNKNOWN_FIELDS: BasisId = rules.unknownFields

const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value
}
