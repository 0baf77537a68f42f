import { errorNotFound, playbookList, run, triggeredRun } from '../../generated/examples.js'

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

/** The response to a trigger that the contract allows, with the properties of a test. */
export const triggeredOf = <Fields extends object>(fields: Fields) => ({ ...triggeredRun, ...fields })
