import { expect, it } from 'vitest'
import { entries, schemaNodes } from '../../generated/conformance.js'
import { type BasisId, basis } from '../../generated/operations.js'
import { isBinding, propertyNode } from '../../src/conformance/contract.js'
import { bodyResults } from '../../src/conformance/judge/body.js'
import type { Result } from '../../src/conformance/judge/result.js'

const counts = (id: BasisId) => entries[id].presence !== false
const assumed = (ids: readonly BasisId[]) => ids.filter((id) => basis[id].kind === 'assumed' && counts(id))
const bound = (ids: readonly BasisId[]) => ids.filter((id) => isBinding(id) && counts(id))

/** What is said of one place of the contract, apart from the form of a value. */
const said = (results: Result[], location: string) =>
  results
    .filter((each) => each.location === location && ['required', undefined].includes(each.keyword))
    .map(({ outcome, basis, keyword, message }) => [outcome, basis, keyword, message])
const isAsStated = (ids: readonly BasisId[], what: string) =>
  bound(ids).map((id) => ['passed', id, undefined, `${what} is as the contract says`])

const properties = Object.entries(schemaNodes).flatMap(([schema, { properties = {} }]) =>
  Object.entries(properties).map(([name, property]) => {
    const { basis: ids, location } = propertyNode(schema, name, property)
    return { schema, name, ids, location, what: `${schema}.${name}`, isBound: ids.some(isBinding) }
  }),
)

it.each(properties)('$what counts when it is there and valid', ({ schema, name, ids, location, what, isBound }) => {
  const there = [...assumed(ids).map((id) => ['passed', id, 'required', `${what} is there`]), ...isAsStated(ids, what)]
  const missing = isBound ? [] : assumed(ids).map((id) => ['failed', id, 'required', `${what} is missing`])
  const judged = (body: object, ...wrong: string[]) => said(bodyResults(schema, body, new Set(wrong)), location)
  expect(judged({ [name]: 'x' }).sort()).toEqual(there.sort())
  expect(judged({})).toEqual(missing)
  expect(judged({ [name]: 'x' }, `/${name}`)).toEqual(missing)
})

it.each(Object.entries(schemaNodes))('%s counts unless it is wrong', (schema, { basis: ids, location }) => {
  for (const body of [{}, null, []])
    expect(said(bodyResults(schema, body, new Set()), location)).toEqual(isAsStated(ids, schema))
  expect(bodyResults(schema, {}, new Set(['']))).toEqual([])
})

/** Properties that something assumes, and nothing else says, of the items of another property. */
const ofItems = properties.flatMap(({ schema, name, what }) => {
  const item = schemaNodes[schema]?.properties?.[name]?.items
  return properties
    .filter((each) => each.schema === item && !each.isBound && assumed(each.ids).length > 0)
    .map((each) => ({
      ...each,
      list: schema,
      field: name,
      of: what,
      isPaged: 'meta' in (schemaNodes[schema]?.properties ?? {}),
    }))
})

it.each(ofItems)('one of several items of $of shows $what', ({ list, field, name, ids, location, isPaged }) => {
  const outcomes = (items: object[], total?: number) => {
    const meta = total === undefined ? {} : { meta: { total, page: 1, per_page: 20 } }
    return said(bodyResults(list, { [field]: items, ...meta }, new Set()), location).map(([outcome]) => outcome)
  }
  const each = (outcome: string) => assumed(ids).map(() => outcome)
  const has = { [name]: 'x' }
  expect(outcomes([{}, has, {}], 3)).toEqual(each('passed'))
  expect(outcomes([has, {}], 2)).toEqual(each('passed'))
  expect(outcomes([{}, {}], 2)).toEqual(each('failed'))
  expect(outcomes([{}])).toEqual(each('failed'))
  if (!isPaged) return
  // Other pages, or the items that are still to come, may have it.
  expect(outcomes([{}, {}], 3)).toEqual([])
  expect(outcomes([{}], 1)).toEqual([])
  expect(outcomes([has, {}], 3)).toEqual(each('passed'))
})

it('a name that the contract does not have is no finding where any name may be', () => {
  for (const [schema, { valueType, location }] of Object.entries(schemaNodes)) {
    const found = bodyResults(schema, { unheard: 'x' }, new Set()).filter(
      ({ location: at }) => at === `${location}/properties`,
    )
    expect(found.map(({ outcome, discovery }) => [outcome, discovery?.kind])).toEqual(
      valueType ? [] : [['discovered', 'field']],
    )
  }
})

it('the value of an enumeration is a text', () => {
  for (const [schema, { values, location }] of Object.entries(schemaNodes)) {
    if (!values) continue
    const found = (value: unknown) =>
      bodyResults(schema, value, new Set()).filter(({ keyword, discovery }) => keyword === 'enum' || discovery)
    expect(found(5)).toEqual([])
    expect(found('unheard').map(({ outcome, location }) => [outcome, location])).toEqual([
      ['failed', location],
      ['discovered', `${location}/x-known-values`],
    ])
  }
})
