import { errorFields, requestIdFields } from '../../generated/errors.js'
import { errorNotFound, playbookList, run } from '../../generated/examples.js'
import { protocol } from '../../generated/operations.js'

/** The version in the path of every request, such as `/v2`. */
export const VERSION = protocol.versionSegment

/** A list that the contract allows, with the items of a test; it is its only page unless `meta` says otherwise. */
export const listOf = <Item>(data: Item[], meta: object = {}) => ({
  ...playbookList,
  data,
  meta: { ...playbookList.meta, total: data.length, page: 1, per_page: 20, ...meta },
})

/** The body of an error that the contract allows, with the properties of a test. */
export const errorOf = <Body extends object>(body: Body) => ({ ...errorNotFound, ...body })

/** A run that the contract allows, with the properties of a test. */
export const runOf = <Fields extends object>(fields: Fields) => ({ ...run, ...fields })

/** Statuses that no contract will have. */
export const UNKNOWN_STATUS = 'unheard_of'
export const OTHER_UNKNOWN_STATUS = 'never_heard_of'

/** The body of an example as a service sends it: with what is true of every such error, and without the id of a request. */
export const sentError = <Body extends object>(example: Body): Body => {
  const names = new Set(Object.values(errorFields).flatMap(({ known, asked }) => [...known, ...asked]))
  return Object.fromEntries(Object.entries(example).filter(([name]) => names.has(name))) as Body
}

/**
 * The body of a response without the id of its request. An error has it where the contract says so, and it is that of the
 * header, which the sandbox does not send.
 *
 * @throws Error when an error has another one, or none
 */
export function withoutRequestId<Body>(body: Body, { status, headers }: Pick<Response, 'status' | 'headers'>): Body {
  const field = status < 400 ? undefined : requestIdFields[status in errorFields ? status : 500]
  if (field === undefined || typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const { [field]: id, ...others } = body as Record<string, unknown>
  const sent = headers.get('x-request-id') ?? id
  if (typeof id !== 'string' || id === '' || id !== sent)
    throw new Error(`The ${field} of a ${status} is ${id}, and its header ${sent}.`)
  return others as Body
}
