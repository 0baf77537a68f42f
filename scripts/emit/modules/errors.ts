import { STATUS } from '../../../src/internal/contract/status.js'
import { type Contract, type Json, jsonBody, resolve } from '../../contract/index.js'
import { banner, literal } from '../text.js'

interface Fields {
  /** What a service takes from the example. */
  known: Set<string>
  /** What a service must be given. */
  asked: Set<string>
  requestId?: string
}

/** What the bodies of errors have, for those who make them and for those who read them. */
export function emitErrors({ document, operations }: Contract): string {
  const fields = new Map<number, Fields>()
  for (const { responses } of operations)
    for (const [status, response] of responses)
      if (/^[45]\d\d$/.test(status)) {
        const found = fieldsOf(document, resolve(document, jsonBody(response)?.schema))
        fields.set(Number(status), merged(fields.get(Number(status)), found))
      }
  const all = [...fields].sort(([one], [other]) => one - other)
  const ids = all.flatMap(([status, { requestId }]) => (requestId === undefined ? [] : [[status, requestId]]))
  const ofHandlers = all.filter(([status, { asked }]) => asked.size > 0 && !SENT_BY_SERVICE.has(status))
  return `${banner()}/** The property with the id of the request, by the status of an error. */
export const requestIdFields: Readonly<Record<number, string>> = ${literal(Object.fromEntries(ids))}

/** What an error has besides: the id of the request, where the contract has one. */
export type RequestIdentified = ${ids.length > 0 ? '{ readonly requestId: string | undefined }' : 'object'}

/**
 * The properties of an error, by status: those that a service takes from its example, and required ones that only its
 * author knows.
 */
export const errorFields: Readonly<Record<number, { known: readonly string[]; asked: readonly string[] }>> = ${literal(
    Object.fromEntries(all.map(([status, { known, asked }]) => [status, { known: [...known], asked: [...asked] }])),
  )}

/** Required properties of errors that only handlers respond with, by status. */
export type FieldsOfHandlers = {${ofHandlers.map(([status, { asked }]) => ` ${status}: ${[...asked].map((name) => `'${name}'`).join(' | ')} `).join(';')}}
`
}

/** The errors that a service sends without a handler. */
const SENT_BY_SERVICE = new Set<number>(Object.values(STATUS))

const COMMON = new Set(['error', 'message', 'retry_after'])
const REQUEST_ID = /^(x_)?request_?id$/i

/** The properties of a schema. */
function fieldsOf(document: Json, schema: Json): Fields {
  const fields: Fields = { known: new Set(), asked: new Set() }
  for (const [name, property] of Object.entries<Json>(schema?.properties ?? {})) {
    const { const: constant, enum: values = [] } = resolve(document, property)
    if (REQUEST_ID.test(name)) fields.requestId = name
    else if (COMMON.has(name) || constant !== undefined || values.length === 1) fields.known.add(name)
    else if (schema.required?.includes(name)) fields.asked.add(name)
  }
  return fields
}

/** The properties of the same status at several operations. */
const merged = (one: Fields | undefined, other: Fields): Fields => ({
  known: new Set([...(one?.known ?? []), ...other.known]),
  asked: new Set([...(one?.asked ?? []), ...other.asked]),
  ...(one?.requestId && { requestId: one.requestId }),
  ...(other.requestId && { requestId: other.requestId }),
})
