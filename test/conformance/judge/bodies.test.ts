import { expect, it } from 'vitest'
import {
  type BasisId,
  basis,
  type OperationId,
  operationNodes,
  operations,
  rules,
  schemaNodes,
} from '../../../generated/contract.js'
import { isTrigger, operationIds } from '../../../src/internal/contract/operations.js'
import { bodyResults } from '../../../src/tools/conformance/judge/body.js'
import { isBinding, isSuccess, propertyNode, successSchema } from '../../../src/tools/conformance/judge/contract.js'
import { judge } from '../../../src/tools/conformance/judge/judge.js'
import type { Result } from '../../../src/tools/conformance/judge/result.js'
import { listOf } from '../../support/fixtures.js'
import { exchange, printed } from './exchange.js'

const counts = (id: BasisId) => basis[id].presence !== false
const assumed = (ids: readonly BasisId[]) => ids.filter((id) => basis[id].kind === 'assumed' && counts(id))
const bound = (ids: readonly BasisId[]) => ids.filter((id) => isBinding(id) && counts(id))

/** What is said of one location of the contract, apart from the form of a value. */
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
  const lacks = (how: string) =>
    isBound ? [] : assumed(ids).map((id) => ['failed', id, 'required', `${what} is ${how}`])
  const shown = (body: object, ...wrong: string[]) => said(bodyResults(schema, body, new Set(wrong)), location)
  expect(shown({ [name]: 'x' }).sort()).toEqual(there.sort())
  expect(shown({})).toEqual(lacks('missing'))
  expect(shown({ [name]: 'x' }, `/${name}`)).toEqual(lacks('wrong'))
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
  const outcomes = (items: object[], total?: number, wrong: string[] = []) => {
    const meta = total === undefined ? {} : { meta: listOf([], { total }).meta }
    return said(bodyResults(list, { [field]: items, ...meta }, new Set(wrong)), location).map(([outcome]) => outcome)
  }
  const each = (outcome: string) => assumed(ids).map(() => outcome)
  const has = { [name]: 'x' }
  expect(outcomes([{}, has, {}], 3)).toEqual(each('passed'))
  expect(outcomes([has, {}], 2)).toEqual(each('passed'))
  expect(outcomes([{}, {}], 2)).toEqual(each('failed'))
  expect(outcomes([{}])).toEqual(each('failed'))
  expect(outcomes([{}, has], undefined, [`/${field}/1/${name}`])).toEqual(each('failed'))
  if (!isPaged) return
  // Other pages, or the items that are still to come, may have it.
  expect(outcomes([{}, {}], 3)).toEqual([])
  expect(outcomes([{}], 1)).toEqual([])
  expect(outcomes([has, {}], 3)).toEqual(each('passed'))
})

it('a name that the contract does not have is no finding where any name may be', () => {
  for (const [schema, { valueTypes, location }] of Object.entries(schemaNodes)) {
    const found = bodyResults(schema, { unheard: 'x' }, new Set()).filter(({ basis }) => basis === rules.unknownFields)
    expect(found.map(({ outcome, discovery, location }) => [outcome, discovery?.kind, location])).toEqual(
      valueTypes
        ? []
        : [
            ['discovered', 'field', `${location}/properties`],
            ['passed', undefined, location],
          ],
    )
  }
})

it('a text has the form that is assumed of it or another, and what is no text has none', () => {
  for (const { schema, name, location, what } of properties) {
    const formsOf = (value: unknown) =>
      bodyResults(schema, { [name]: value }, new Set()).flatMap((each) =>
        each.location === location && each.keyword === 'pattern' ? [[each.outcome, printed(each.message)]] : [],
      )
    const patterns = Object.values(schemaNodes[schema]?.properties?.[name]?.assumedPatterns ?? {})
    for (const value of ['x', '7'])
      expect(formsOf(value)).toEqual(
        patterns.map((pattern) =>
          new RegExp(pattern, 'u').test(value)
            ? ['passed', `${what} has the form that is assumed: "${value}"`]
            : ['failed', `${what} has another form than is assumed: "${value}"`],
        ),
      )
    expect(formsOf(7)).toEqual([])
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

const validated = (...args: Parameters<typeof exchange>) => judge(exchange(...args))
const list = (...data: unknown[]) => listOf(data)
const itemsOf = (operation: OperationId) => schemaNodes[successSchema(operation)]?.properties?.data?.items?.schema
const lists = operationIds.filter(itemsOf)

const responses = operationIds.flatMap((operation) =>
  Object.entries(operationNodes[operation].responses).map(([status, response]) => ({
    operation,
    status: Number(status),
    ...response,
  })),
)

it.each(responses)('the headers of $operation $status count where they were recorded', (response) => {
  const { operation, status, headers = {}, location } = response
  const ids = Object.values(headers).map(({ basis: [id] }) => id)
  const sent = Object.fromEntries(Object.keys(headers).map((name) => [name, '1']))
  const found = (hasHeaders: boolean) =>
    validated(operation, status, '', { headers: sent, hasHeaders }).results.filter(
      ({ outcome, basis }) => outcome === 'passed' && ids.includes(basis),
    )
  expect(found(true).filter((each) => each.location !== location)).toEqual([])
  expect(found(false)).toEqual([])
})

it.each(responses)('a wrong value in $operation $status fails an entry of its property', (response) => {
  const { operation, status, body: documented } = response
  const isNewRun = isTrigger(operation) && isSuccess(status)
  const failing = (body: object, pointer: string) =>
    validated(operation, status, body).results.flatMap((each) =>
      each.keyword === 'type' && each.pointer === pointer ? [each.basis] : [],
    )
  for (const { name, ids, ...property } of properties)
    for (const value of name === 'id' ? [] : [5, 'x', [], {}, true]) {
      if (property.schema === documented?.schema)
        expect(isNewRun ? [rules.triggerBody] : ids).toEqual(
          expect.arrayContaining(failing({ id: 'a_1', [name]: value }, `/${name}`)),
        )
      if (isSuccess(status) && property.schema === itemsOf(operation))
        expect(ids).toEqual(expect.arrayContaining(failing(list({ id: 'a_1', [name]: value }), `/data/0/${name}`)))
    }
})

it.each(lists)('what is no item of %s fails the same entry wherever it is', (operation) => {
  for (const item of ['a_1', 'a', 5, {}, { key: 'x' }, { id: 5 }]) {
    const failing = (before: number) =>
      validated(
        operation,
        operations[operation].success[0],
        list(...Array.from({ length: before }, () => ({ id: 'a' })), item),
      ).results.flatMap(({ pointer = '', basis }) => (pointer.startsWith(`/data/${before}`) ? [basis] : []))
    expect(failing(10)).toEqual(failing(0))
  }
})

it.each(lists)('a list of %s counts only where every reader reads the same', (operation) => {
  const says = (body: string) =>
    validated(operation, operations[operation].success[0], body).results.some(
      ({ basis }) => basis === rules.metaMeaning,
    )
  expect([says(JSON.stringify(list())), says(`\ufeff${JSON.stringify(list())}`)]).toEqual([true, false])
})

it.each(operationIds)('%s discovers statuses and headers where the contract would have them', (operation) => {
  const { location, responses } = operationNodes[operation]
  const discovered = (status: number) =>
    validated(operation, status, {}, { headers: { 'x-unheard': 'a' } }).results.flatMap((each) =>
      each.discovery?.kind === 'header' || each.discovery?.kind === 'status' ? [each.location] : [],
    )
  expect(discovered(599)).toEqual([`${location}/headers`, `${location}/responses`])
  for (const [status, response] of Object.entries(responses).filter(([status]) => /^\d+$/.test(status)))
    expect(discovered(Number(status))).toEqual([`${response.location}/headers`])
})

it('an error with a single property of a success is no success', () => {
  for (const operation of operationIds) {
    const { required = [] } = schemaNodes[successSchema(operation)] ?? {}
    const body = Object.fromEntries(required.map((name) => [name, 'run_1']))
    if (required.length < 2) expect(validated(operation, 500, body).looksLikeSuccess, operation).toBe(false)
  }
})

it('a workspace has one of its properties, whatever else it has', () => {
  for (const operation of operationIds.filter((each) => successSchema(each) === 'Workspace'))
    for (const { schema, name } of properties) {
      const { results } = validated(operation, operations[operation].success[0], { ...list(), [name]: 'x' })
      if (schema === 'Workspace') expect(results.map(({ keyword }) => keyword)).not.toContain('single-object')
    }
})
