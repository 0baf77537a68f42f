import { valueAt } from '../../src/runtime/json-pointer.js'
import { isJsonType } from '../../src/runtime/validate.js'
import type { BasisEntry } from './register.js'

export type { BasisEntry } from './register.js'

// biome-ignore lint/suspicious/noExplicitAny: the document is checked by the lint, not by the compiler
export type Json = any

/** The contract in one piece, and what the generators ask of it. */
export interface Contract {
  /** The bundled document, as it is published. */
  document: Json
  operations: Operation[]
  /** The entries that the parts rest on. Retired entries are not among them. */
  register: BasisEntry[]
  /** Entries that nothing rests on any more; reports and baselines of earlier versions name them. */
  retired: BasisEntry[]
}

export interface Operation {
  id: string
  method: string
  path: string
  node: Json
  /** Of the path and of the operation, references resolved. */
  parameters: Json[]
  /** By status, references resolved. */
  responses: [status: string, response: Json][]
  /** References resolved; undefined when the operation has no body. */
  requestBody: Json | undefined
}

/** Whether all ids are those of assumptions. */
export const isAssumed = (register: BasisEntry[], ids: string[]): boolean =>
  ids.every((id) => register.find((entry) => entry.id === id)?.kind === 'assumed')

/** Whether one of the ids is that of a stated or derived entry; what nobody has said, and what was only observed, decides nothing. */
export const isDecided = (register: BasisEntry[], ids: string[]): boolean =>
  register.some(({ id, kind }) => ids.includes(id) && (kind === 'stated' || kind === 'derived'))

/** Whether nothing that the items of a list have is decided, so that it is not decided that they are objects. */
export function isUndecidedItem({ document, register }: Contract, node: Json): boolean {
  const { properties = {}, required = [] } = resolve(document, node)
  const named = Object.values<Json>(properties)
  const ofEach = named.map((each) => each['x-basis'] ?? resolve(document, each)['x-basis'])
  return named.length > 0 && required.length === 0 && ofEach.every((ids) => ids && !isDecided(register, ids))
}

/** The header that pins a request to a release; the lint requires it of every operation. */
export const VERSION_HEADER = 'Service-Version'

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

/** The index of a bundled document. */
export function indexContract(document: Json): Contract {
  const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => {
      const node = item[method]
      return {
        id: node.operationId,
        method: method.toUpperCase(),
        path,
        node,
        parameters: [...(item.parameters ?? []), ...(node.parameters ?? [])].map((each) => resolve(document, each)),
        responses: Object.entries(node.responses).map(([status, each]): [string, Json] => [
          status,
          resolve(document, each),
        ]),
        requestBody: node.requestBody && resolve(document, node.requestBody),
      }
    }),
  )
  const entries: BasisEntry[] = document['x-basis-register'] ?? []
  return {
    document,
    operations,
    register: entries.filter(({ replacedBy }) => !replacedBy),
    retired: entries.filter(({ replacedBy }) => replacedBy),
  }
}

/** The node itself, or the one that its reference leads to. */
export function resolve(document: Json, node: Json): Json {
  let current = node
  while (typeof current?.$ref === 'string') current = valueAt(document, current.$ref.slice(1))
  return current
}

/** The name of the component that a reference leads to, undefined for anything else. */
export const componentOf = (node: Json): string | undefined => node?.$ref?.split('/').at(-1)

/** The values that a string schema names: the known ones of an open list, or a complete list. */
export const valuesOf = (schema: Json): string[] | undefined =>
  (schema?.['x-known-values'] && Object.keys(schema['x-known-values'])) ??
  (schema?.type === 'string' ? schema.enum : undefined)

/** The JSON body of a response or a request, undefined when there is none. */
export const jsonBody = (node: Json): Json => node?.content?.[jsonTypeOf(node) ?? '']

/** The media type of the JSON body of a response or a request. */
export const jsonTypeOf = (node: Json): string | undefined => Object.keys(node?.content ?? {}).find(isJsonType)

/** The media type of a JSON body where it is not `application/json`. */
export const otherJsonType = (node: Json): string | undefined => {
  const type = jsonTypeOf(node)
  return type === 'application/json' ? undefined : type
}

/** Whether a call of the operation starts a run. */
export const startsRun = (node: Json): boolean => node['x-quota'] === 'runs'
