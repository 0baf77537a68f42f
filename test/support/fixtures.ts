import { protocol } from '../../generated/contract.js'
import { errorNotFound, playbookList, run } from '../../generated/examples.js'

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
