import { schemaNodes } from '../../generated/conformance.js'
import { type BasisId, basis } from '../../generated/operations.js'
import { propertyNode, valuesBasis } from './contract.js'
import type { Exchange } from './exchange.js'
import { isFirm, type Ledger } from './ledger.js'
import { quote } from './text.js'

/**
 * Goes through a body along its schema: what is there as the contract says is noted, and so is what the contract does
 * not name. `broken` are the paths that the validators found wrong.
 */
export function walk(schema: string, body: unknown, exchange: Exchange, ledger: Ledger, broken: Set<string>): void {
  /** By property of a schema: whether any of several items has it. */
  const inItems = new Map<string, { id: BasisId; there: boolean; place: string }>()

  const visit = (name: string, value: unknown, path: string[], many: boolean): void => {
    const node = schemaNodes[name]
    if (!node || broken.has(path.join('.'))) return
    if (node.values && typeof value === 'string') {
      visitValue(name, value)
      return
    }
    hold(node.basis, name, node.place)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    const own = value as Record<string, unknown>
    for (const [key, property] of Object.entries(node.properties ?? {})) {
      const { basis: ids, place } = propertyNode(name, key, property)
      const at = [...path, key]
      const there = Object.hasOwn(own, key)
      note(ids, `${name}.${key}`, there && !broken.has(at.join('.')), place, many)
      if (!there || broken.has(at.join('.'))) continue
      if (property.schema) visit(property.schema, own[key], at, many)
      const items = own[key]
      if (property.items && Array.isArray(items))
        for (const [index, item] of items.entries()) visit(property.items, item, [...at, String(index)], true)
    }
    if (node.valueType) return
    for (const [key, field] of Object.entries(own)) {
      if (Object.hasOwn(node.properties ?? {}, key)) continue
      const message = `${name} has a field that the contract does not name: ${quote(key)}, ${article(field)}`
      const discovery = { kind: 'field', schema: name, name: key, type: typeOf(field) } as const
      ledger.discovers(UNKNOWN_FIELDS, message, discovery, exchange, `${node.place}#/properties`)
      ledger.holds(UNKNOWN_FIELDS, message, exchange, node.place)
    }
  }

  const visitValue = (name: string, value: string): void => {
    const node = schemaNodes[name]
    if (!node?.values) return
    const ids = Object.hasOwn(node.values, value) ? node.values[value] : undefined
    hold(node.basis, name, node.place)
    const enumeration = valuesBasis(node)
    if (ids) {
      for (const id of ids)
        if (basis[id].kind === 'observed' || id === enumeration)
          ledger.holds(id, `${name} ${quote(value)} was seen`, exchange, node.place)
      return
    }
    const message = `${name} has a value that the contract does not name: ${quote(value)}`
    ledger.breaks(enumeration, message, exchange, node.place)
    const place = `${node.place}#/x-known-values`
    ledger.discovers(enumeration, message, { kind: 'value', schema: name, value }, exchange, place)
  }

  const hold = (ids: readonly BasisId[], what: string, place: string): void => {
    for (const id of ids)
      if (isFirm(id) && !JUDGED_ELSEWHERE.has(id)) ledger.holds(id, `${what} is as the contract says`, exchange, place)
  }

  /** What is only assumed is confirmed when it is there. One of many items may lack it, an answer of its own may not. */
  const note = (ids: readonly BasisId[], what: string, there: boolean, place: string, many: boolean): void => {
    if (there) hold(ids, what, place)
    if (ids.some(isFirm)) return
    for (const id of ids) {
      if (basis[id].kind !== 'assumed' || JUDGED_ELSEWHERE.has(id)) continue
      if (many)
        inItems.set(`${id} ${what}`, { id, place, there: there || inItems.get(`${id} ${what}`)?.there === true })
      else tell(id, what, there, place)
    }
  }

  const tell = (id: BasisId, what: string, there: boolean, place: string): void => {
    if (there) ledger.holds(id, `${what} is there`, exchange, place)
    else ledger.breaks(id, `${what} is missing`, exchange, place)
  }

  visit(schema, body, [], false)
  for (const [key, { id, there, place }] of inItems) tell(id, key.slice(key.indexOf(' ') + 1), there, place)
}

const UNKNOWN_FIELDS: BasisId = 'A27'

/** What the presence of a field does not show; the checks look at it on their own. */
const JUDGED_ELSEWHERE = new Set<BasisId>(['S02', 'S03', 'S32', 'A04', 'A11', 'A24', 'A28'])

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
