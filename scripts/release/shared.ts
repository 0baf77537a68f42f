import { toPointer, valueAt } from '../../src/runtime/json-pointer.js'
import type { Json } from '../contract/index.js'

/** A part of a document that several operations refer to. */
export interface SharedPart {
  /** Where the part is written, below `components`. */
  pointer: string
  /** The operations that it is a part of, such as `GET /playbooks, GET /providers`; undefined for a single one. */
  operations: string | undefined
}

/** The component that a path of a document leads into, if it leads through a reference. */
export function sharedPart(document: Json, path: string[], old: Json): SharedPart | undefined {
  const found = componentAt(document, path)
  if (!found) return undefined
  const { component, rest } = found
  // Of a new operation it says nothing that its own row does not.
  const all = operationsWith(document, component).filter((subject) => isOf(old, subject))
  return { pointer: component + toPointer(rest), operations: all.length > 1 ? all.join(', ') : all[0] }
}

/** The last component that a path enters, and the rest of the path from there. */
function componentAt(document: Json, path: string[]): { component: string; rest: string[] } | undefined {
  if (path[0] === 'components')
    return path[1] === 'securitySchemes' ? undefined : { component: toPointer(path.slice(0, 3)), rest: path.slice(3) }
  let node = document
  let entered: { component: string; rest: string[] } | undefined
  const enter = (reference: string) => {
    entered = { component: reference.slice(1), rest: [] }
    node = valueAt(document, entered.component)
  }
  for (const key of path) {
    if (typeof node?.$ref === 'string') enter(node.$ref)
    entered?.rest.push(key)
    node = node?.[key]
  }
  if (typeof node?.$ref === 'string') enter(node.$ref)
  return entered
}

const isOf = ({ paths }: Json, subject: string): boolean => {
  const [method = '', path = ''] = subject.split(' ')
  return paths[path]?.[method.toLowerCase()] !== undefined
}

/** The operations that refer to a component, also through others. */
function operationsWith(document: Json, component: string): string[] {
  return Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([, operation]) => operation.responses)
      .filter(([, operation]) => refersTo(document, operation, component, new Set()))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
}

function refersTo(document: Json, node: Json, component: string, seen: Set<string>): boolean {
  if (typeof node !== 'object' || node === null) return false
  if (typeof node.$ref !== 'string')
    return Object.values(node).some((each) => refersTo(document, each, component, seen))
  const target = node.$ref.slice(1)
  if (target === component) return true
  if (seen.has(target)) return false
  seen.add(target)
  return refersTo(document, valueAt(document, target), component, seen)
}
