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

const REQUEST_IDS = new Set(Object.values(requestIdFields))

/** The body of an example as a service sends it: with what is true of every such error, and without the id of a request. */
export const sentError = <Body extends object>(example: Body): Body => {
  const names = new Set(Object.values(errorFields).flatMap(({ known, asked }) => [...known, ...asked]))
  return Object.fromEntries(Object.entries(example).filter(([name]) => names.has(name))) as Body
}

/** The body of an error without the id of its request, where the contract has one there and it is this. */
export const withoutRequestId = <Body>(body: Body, id: string | null): Body => {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  return Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !(REQUEST_IDS.has(name) && value === id)),
  ) as Body
}
