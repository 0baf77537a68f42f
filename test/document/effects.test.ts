import { describe, expect, it } from 'vitest'
import type { OperationId } from '../../generated/contract.js'
import {
  isDecided,
  isUndecidedItem,
  type Json,
  jsonBody,
  jsonTypeOf,
  type Operation,
  resolve,
} from '../../scripts/contract/index.js'
import { loadContract } from '../../scripts/contract/load.js'
import { isTrigger } from '../../src/internal/contract/operations.js'
import { STATUS } from '../../src/internal/contract/status.js'
import { exchangeOf } from '../../src/tools/conformance/judge/exchange.js'
import { judge } from '../../src/tools/conformance/judge/judge.js'
import { createService } from '../../src/tools/service/index.js'
import { validateRequest, validateResponse } from '../../src/validators/index.js'
import { repository } from '../support/project.js'

// Breaks each node that an entry with `schema: true` rests on, one at a time: what nobody notices is not enforced.

const contract = await loadContract(repository)
const { document, operations, register } = contract
const entries = register.filter(({ schema }) => schema)

/** The entries of plans and known values, of which other ones may come. */
const named = [
  document['x-plans'],
  ...Object.values<Json>(document.components.schemas).map((each) => each['x-known-values']),
]
  .flatMap((each) => Object.values<Json>(each ?? {}))
  .flatMap((each) => each['x-basis'])

/** A message with one node broken. */
interface Broken {
  operation: OperationId
  what: string
  ids: string[]
}
interface BrokenResponse extends Broken {
  status: number
  headers: Record<string, string>
  body: unknown
}
interface BrokenRequest extends Broken {
  path: Record<string, string>
  query: Record<string, string>
  headers: Record<string, string>
  body: unknown
}

/** A value with another type, or one that a pattern, a constant, a complete list or a bound does not allow. */
function wrongValues(schema: Json): [what: string, value: unknown][] {
  const wrong: [string, unknown][] = []
  if (schema.type) wrong.push(['has another type', [schema.type].flat().includes('string') ? 7 : 'no such value'])
  if (schema.pattern || schema.const || schema.enum) wrong.push(['has a value that is not allowed', 'no such value'])
  if (schema.minimum !== undefined) wrong.push(['is too small', schema.minimum - 1])
  if (schema.maximum !== undefined) wrong.push(['is too large', schema.maximum + 1])
  return wrong
}

/** Every way to break one node of a value, and the entries that the node names. */
function* broken(node: Json, value: Json, around: string[], path: string): Generator<[string, string[], unknown]> {
  const schema = resolve(document, node) ?? {}
  const ids: string[] = schema['x-basis'] ?? around
  // Below what is only assumed, nothing is stated.
  if (!isDecided(register, ids)) return
  for (const [what, wrong] of wrongValues(schema)) yield [`${path} ${what}`, ids, wrong]
  if (Array.isArray(value) && value.length > 0)
    // Only an assumption excludes that such an item is an id (A03).
    for (const [what, own, item] of broken(schema.items, value[0], ids, `${path}/0`))
      if (typeof item === 'object' || !isUndecidedItem(contract, schema.items))
        yield [what, own, [item, ...value.slice(1)]]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  for (const [name, each] of Object.entries<Json>(value)) {
    const property = schema.properties?.[name] ?? schema.additionalProperties
    if (typeof property !== 'object') continue
    const { [name]: _, ...rest } = value
    const own = resolve(document, property)['x-basis'] ?? ids
    if (schema.required?.includes(name)) yield [`${path}/${name} is missing`, own, rest]
    for (const [what, inner, changed] of broken(property, each, ids, `${path}/${name}`))
      yield [what, inner, { ...value, [name]: changed }]
  }
}

const examplesOf = (node: Json): Json[] =>
  Object.values<Json>(jsonBody(node)?.examples ?? {}).map((each) => resolve(document, each).value)

/** The headers of a response as their examples are. */
const headersOf = (response: Json): [name: string, header: Json][] =>
  Object.entries<Json>(response.headers ?? {}).map(([name, header]) => [name, resolve(document, header)])

function responsesOf({ id, responses }: Operation): BrokenResponse[] {
  const operation = id as OperationId
  return responses
    .filter(([status]) => /^\d+$/.test(status))
    .flatMap(([text, response]) => {
      const status = Number(text)
      const all = headersOf(response)
      const headers = Object.fromEntries(all.map(([name, { example }]) => [name, String(example)]))
      const bodies = examplesOf(response).flatMap((body) =>
        [...broken(jsonBody(response).schema, body, response['x-basis'], 'the body')].map(([what, ids, changed]) => ({
          operation,
          status,
          headers,
          body: changed,
          what: `${id} ${status}: ${what}`,
          ids,
        })),
      )
      const [body] = examplesOf(response)
      const withoutHeader = all
        .filter(([, { required }]) => required)
        .map(([name, { 'x-basis': ids }]) => {
          const { [name]: _, ...rest } = headers
          return { operation, status, headers: rest, body, what: `${id} ${status}: ${name} is missing`, ids }
        })
      return [...bodies, ...withoutHeader]
    })
}

function requestsOf({ id, parameters, requestBody }: Operation): BrokenRequest[] {
  const operation = id as OperationId
  const path = Object.fromEntries(
    parameters.filter((each) => each.in === 'path').map((each) => [each.name, each.example]),
  )
  const request = { operation, path, query: {}, headers: {}, body: examplesOf(requestBody)[0] }
  const bodies = request.body
    ? [...broken(jsonBody(requestBody).schema, request.body, requestBody['x-basis'], 'the body')]
    : []
  const headers = parameters.filter((each) => each.in === 'header' && each.schema.pattern)
  const queries = parameters
    .filter((each) => each.in === 'query' && isDecided(register, each['x-basis']))
    .flatMap(({ name, schema, 'x-basis': ids }) => wrongValues(schema).map((wrong) => ({ name, ids, wrong })))
  return [
    ...queries.map(({ name, ids, wrong: [what, value] }) => ({
      ...request,
      query: { [name]: String(value) },
      what: `${id}: ${name} ${what}`,
      ids,
    })),
    ...bodies.map(([what, ids, body]) => ({ ...request, body, what: `${id}: ${what}`, ids })),
    ...headers.map(({ name, 'x-basis': ids }) => ({
      ...request,
      headers: { [name]: 'no such value' },
      what: `${id}: ${name} has a value that is not allowed`,
      ids,
    })),
  ]
}

/** A kit whose handlers return one response, and the errors that it has reported. */
function kitOf(response?: Pick<BrokenResponse, 'status' | 'headers' | 'body'>) {
  const errors: unknown[] = []
  const handler = () => response
  const service = createService({
    authenticate: () => ({ context: {} }),
    onError: (error: unknown) => errors.push(error),
    operations: Object.fromEntries(operations.map(({ id }) => [id, handler])),
  } as never)
  return { errors, send: (request: Request) => service.fetch(request) }
}

function requestFor(
  { method, path }: Operation,
  { path: values, query, headers, body }: Omit<BrokenRequest, keyof Broken>,
) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')
  const base = `https://service.test${new URL(document.servers[0].url).pathname}`
  return new Request(`${base}${filled}?${new URLSearchParams(query)}`, {
    method,
    headers: { authorization: 'Bearer key_valid', 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
}

const operationOf = (id: OperationId): Operation => operations.find((each) => each.id === id)!
const firstRequest = (operation: Operation) => {
  const path = Object.fromEntries(
    operation.parameters.filter((each) => each.in === 'path').map((each) => [each.name, each.example]),
  )
  return requestFor(operation, { path, query: {}, headers: {}, body: examplesOf(operation.requestBody)[0] })
}

// A trigger's 429 may be of the run quota, of which nothing is known (S36, A57).
const responses = operations
  .flatMap(responsesOf)
  .filter(({ operation, status }) => !(isTrigger(operation) && status === STATUS.rateLimited))
const requests = operations.flatMap(requestsOf)

const jsonType = (operation: OperationId, status: number): string =>
  jsonTypeOf(operationOf(operation).responses.find(([each]) => each === String(status))?.[1]) ?? ''

/** Who notices a response, and the entries that it fails in `verify`. */
async function noticedBy({ operation, status, headers, body }: Omit<BrokenResponse, 'what' | 'ids'>) {
  const isValid = (sent: { headers: Record<string, string>; body: unknown }) =>
    validateResponse(operation, { status, ...sent }).every(({ assumed }) => assumed)
  const kit = kitOf({ status, headers, body })
  const sent = await kit.send(firstRequest(operationOf(operation)))
  const mended = { headers: Object.fromEntries(sent.headers), body: await sent.json() }
  const request = { method: 'GET', url: 'https://service.test/', headers: new Headers(), body: undefined }
  const received = {
    status,
    headers: new Headers({ 'content-type': jsonType(operation, status), ...headers }),
    text: JSON.stringify(body),
    duration: 1,
  }
  const { results } = judge(exchangeOf(operation, request as never, received))
  return {
    validators: !isValid({ headers, body }),
    // What is known of an error, the kit completes.
    kit: sent.status !== status || kit.errors.length > 0 || (!isValid({ headers, body }) && isValid(mended)),
    verify: results.filter(({ outcome }) => outcome === 'failed').map(({ basis }) => basis as string),
  }
}

it.each(operations.map(({ id }) => id))('nobody notices the examples of %s', async (id) => {
  for (const [status, response] of operationOf(id as OperationId).responses.filter(([each]) => /^\d+$/.test(each)))
    for (const body of examplesOf(response)) {
      const headers = Object.fromEntries(headersOf(response).map(([name, { example }]) => [name, String(example)]))
      const noticed = await noticedBy({ operation: id as OperationId, status: Number(status), headers, body })
      expect([status, noticed]).toEqual([status, { validators: false, kit: false, verify: [] }])
    }
})

const ofMediaType = register.filter(({ kind, keywords }) => kind === 'assumed' && keywords?.includes('mediaType'))

it.each(operations.map(({ id }) => id))(
  'another media type of a response of %s contradicts an assumption alone where the response names one',
  (id) => {
    for (const [status, response] of operationOf(id as OperationId).responses.filter(([, each]) => jsonBody(each))) {
      const headers = { 'content-type': 'text/plain' }
      const sent = { status: Number(status.replace('XX', '99')), headers, body: {} }
      const [found] = validateResponse(id as OperationId, sent).filter(({ name }) => name === 'Content-Type')
      const isAssumed = ofMediaType.some((entry) => response['x-basis'].includes(entry.id))
      expect([status, found?.assumed]).toEqual([status, isAssumed])
    }
  },
)

describe.each(entries.map(({ id }) => id))('%s', (id) => {
  const ofResponses = responses.filter(({ ids }) => ids.includes(id))
  const ofRequests = requests.filter(({ ids }) => ids.includes(id))

  it(`${id} has a node that can be broken, or is a plan or a value of an open list`, () => {
    const advice = `no test breaks a node that names ${id}: name it where the document says it, or give it a "rule" instead of "schema: true"`
    expect(ofResponses.length + ofRequests.length > 0 || named.includes(id), advice).toBe(true)
  })

  it(`the validators, the kit and verify notice each response that breaks ${id}`, async () => {
    const unnoticed: string[] = []
    for (const { operation, status, headers, body, what, ids } of ofResponses) {
      const noticed = await noticedBy({ operation, status, headers, body })
      if (!noticed.validators) unnoticed.push(`validators: ${what}`)
      if (!noticed.kit) unnoticed.push(`kit: ${what}`)
      if (!noticed.verify.some((basis) => ids.includes(basis))) unnoticed.push(`verify: ${what}`)
    }
    expect(unnoticed).toEqual([])
  })

  it(`the validators and the kit notice each request that breaks ${id}`, async () => {
    const unnoticed: string[] = []
    for (const { operation, path, query, headers, body, what } of ofRequests) {
      if (validateRequest(operation, { path, query, headers, body }).every(({ assumed }) => assumed))
        unnoticed.push(`validators: ${what}`)
      const { status } = await kitOf().send(requestFor(operationOf(operation), { path, query, headers, body }))
      if (status !== 400) unnoticed.push(`kit: ${what}`)
    }
    expect(unnoticed).toEqual([])
  })
})
