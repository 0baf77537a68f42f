import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import type { ValidateFunction } from '../../src/runtime/problems.js'
import { standardSchema } from '../../src/runtime/standard-schema.js'
import { createValidators } from '../../src/runtime/validate.js'

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strictRequired: false })
const check = (schema: object): ValidateFunction => ajv.compile(schema) as ValidateFunction

interface ParameterSchema {
  type?: string | string[]
  [keyword: string]: unknown
}

const parameter = (name: string, schema: ParameterSchema, required = false) => ({
  name,
  required,
  types: [schema.type ?? []].flat(),
  default: schema.default,
  isValid: check(schema),
})

/** A contract with what the service does not have, such as fractions and booleans in a query. */
const { validate, validateRequest, validateResponse, parametersOf } = createValidators(
  { Order: check({ type: 'object', required: ['id'], properties: { id: { type: 'string' } } }) },
  {
    search: {
      path: [parameter('id', { type: 'integer' }, true)],
      query: [
        parameter('count', { type: 'integer' }),
        parameter('ratio', { type: 'number' }),
        parameter('exact', { type: 'boolean' }),
        parameter('word', { type: 'string' }),
        parameter('either', { type: ['integer', 'string'] }),
        parameter('limit', { type: ['integer', 'boolean'] }),
        parameter('anything', {}),
        parameter('filter', { type: 'object' }),
        parameter('order', { enum: ['up', 'down'] }),
        parameter('version', { const: 1 }),
      ],
      header: [parameter('X-Depth', { type: 'integer' }), parameter('X-Trace', { type: 'string' }, true)],
      body: { required: false, isValid: check({ type: 'object', additionalProperties: false }) },
      responses: {
        200: { header: [parameter('Retry-After', { type: 'integer' }, true)] },
        201: { header: [], body: { required: true, isValid: check({ type: ['array', 'null'] }) } },
      },
    },
    change: {
      path: [],
      query: [],
      header: [],
      body: { required: true, isValid: check({ type: 'object', required: ['name'], maxProperties: 2 }) },
      responses: {},
    },
  },
)

const VALID = { path: { id: '7' }, headers: { 'X-Trace': 'a' } }

describe('a parameter of a request', () => {
  it.each<[name: string, text: unknown, value: unknown]>([
    ['count', '3', 3],
    ['count', '-3', -3],
    ['count', 3, 3],
    ['ratio', '0.25', 0.25],
    ['ratio', '-12.50', -12.5],
    ['exact', 'true', true],
    ['exact', 'false', false],
    ['exact', true, true],
    ['word', '3', '3'],
    ['word', 'true', 'true'],
    ['either', '3', '3'],
    ['limit', '3', 3],
    ['limit', 'true', true],
    ['anything', '3', '3'],
    ['filter', { a: '1' }, { a: '1' }],
  ])('%s: %j is the value %j', (name, text, value) => {
    const request = { ...VALID, query: { [name]: text } }
    expect(validateRequest('search', request)).toEqual([])
    expect(parametersOf('search', request).query).toStrictEqual({ [name]: value })
  })

  it.each<[name: string, text: unknown, expected: string, pointer?: string]>([
    ['count', '3.5', 'must be an integer'],
    ['count', 'three', 'must be an integer'],
    ['count', '3x', 'must be an integer'],
    ['count', 'x3', 'must be an integer'],
    ['count', '3.', 'must be an integer'],
    ['count', '.3', 'must be an integer'],
    ['count', '', 'must be an integer'],
    ['count', ['3', '4'], 'must be sent once'],
    ['count', ['3'], 'must be sent once'],
    ['ratio', '1e3', 'must be a number'],
    ['exact', 'True', 'must be a boolean'],
    ['exact', '1', 'must be a boolean'],
    ['word', 3, 'must be a string'],
    ['limit', 'x', 'must be an integer or boolean'],
    ['filter', 'x', 'must be an object'],
  ])('%s: %j is refused: it %s', (name, text, expected, pointer = '') => {
    expect(validateRequest('search', { ...VALID, query: { [name]: text } })).toEqual([
      expect.objectContaining({
        in: 'query',
        name,
        pointer,
        keyword: 'type',
        message: `the query parameter "${name}" ${expected}`,
      }),
    ])
  })

  it.each([
    ['order', 'left', 'must be one of "up", "down"'],
    ['version', '2', 'must be 1'],
  ])('%s: %j is refused with the values that are allowed: it %s', (name, text, expected) => {
    const [problem] = validateRequest('search', { ...VALID, query: { [name]: text } })
    expect(problem?.message).toBe(`the query parameter "${name}" ${expected}`)
  })

  it('parameters may come as URLSearchParams and Headers', () => {
    const request = {
      path: { id: '7' },
      query: new URLSearchParams('count=1&word=a&exact=true'),
      headers: new Headers({ 'x-trace': 'a', 'x-depth': '3' }),
    }
    expect(validateRequest('search', request)).toEqual([])
    expect(parametersOf('search', request)).toEqual({
      path: { id: 7 },
      query: { count: 1, word: 'a', exact: true },
      headers: { 'X-Depth': 3, 'X-Trace': 'a' },
    })
  })

  it('the case of a name counts in a path and a query, but not in a header', () => {
    expect(parametersOf('search', { path: { ID: '7' }, query: { Word: 'a' }, headers: { 'x-trace': 'b' } })).toEqual({
      path: {},
      query: {},
      headers: { 'X-Trace': 'b' },
    })
  })

  it('a property that every object has is not read as a parameter', () => {
    const { validateRequest: validateOdd } = createValidators(
      {},
      {
        odd: {
          path: [],
          query: [parameter('toString', {}, true)],
          header: [parameter('valueOf', {}, true)],
          responses: {},
        },
      },
    )
    expect(validateOdd('odd', { query: {}, headers: {} }).map(({ name }) => name)).toEqual(['toString', 'valueOf'])
  })

  it.each([undefined, null])('a parameter that is %s is missing', (missing) => {
    const request = { path: { id: missing }, query: { word: missing }, headers: { 'X-Trace': missing } }
    expect(validateRequest('search', request)).toEqual([
      {
        in: 'path',
        name: 'id',
        pointer: '',
        keyword: 'required',
        params: {},
        message: 'the path parameter "id" is missing',
        assumed: false,
      },
      {
        in: 'header',
        name: 'X-Trace',
        pointer: '',
        keyword: 'required',
        params: {},
        message: 'the header parameter "X-Trace" is missing',
        assumed: false,
      },
    ])
    expect(validateRequest('search', {})).toHaveLength(2)
  })
})

describe('a body', () => {
  it('an optional body may be missing', () => {
    expect(validateRequest('search', VALID)).toEqual([])
    expect(validateRequest('change', {})).toEqual([
      {
        in: 'body',
        name: '',
        pointer: '',
        keyword: 'required',
        params: {},
        message: 'the body is missing',
        assumed: false,
      },
    ])
  })

  it.each([
    undefined,
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    ' application/json ;',
  ])('a body with the content type %j is accepted', (type) => {
    expect(validateRequest('change', { headers: { 'content-type': type }, body: { name: 'a' } })).toEqual([])
  })

  it.each(['text/plain', 'application/jsonl', 'text/json; application/json', ''])(
    'a body with the content type %j is refused',
    (type) => {
      expect(validateRequest('change', { headers: new Headers({ 'content-type': type }), body: 7 })).toEqual([
        {
          in: 'header',
          name: 'Content-Type',
          pointer: '',
          keyword: 'const',
          params: { allowedValue: 'application/json' },
          message: 'the content type must be application/json',
          assumed: false,
        },
      ])
    },
  )

  it.each<[body: unknown, name: string, pointer: string, keyword: string, message: string]>([
    [{}, 'name', '/name', 'required', 'the body must have the property "name"'],
    [7, '', '', 'type', 'the body must be an object'],
    [{ name: 1, a: 2, b: 3 }, '', '', 'maxProperties', 'the body must NOT have more than 2 properties'],
  ])('the body %j is refused', (body, name, pointer, keyword, message) => {
    expect(validateRequest('change', { body })).toEqual([
      { in: 'body', name, pointer, keyword, params: expect.any(Object), message, assumed: false },
    ])
  })

  it('a closed body refuses additional properties, and lists as many problems as requested', () => {
    const request = { ...VALID, body: { 'a/b': 1, c: 2, d: 3 } }
    expect(validateRequest('search', request)[0]).toMatchObject({
      name: 'a/b',
      pointer: '/a~1b',
      keyword: 'additionalProperties',
      message: 'the body must not have the property "a/b"',
    })
    expect(validateRequest('search', request)).toHaveLength(3)
    expect(validateRequest('search', request, 2)).toHaveLength(2)
  })
})

describe('a response', () => {
  it('a response is validated by its status, the headers of that status, and its body', () => {
    expect(validateResponse('search', { status: 200, headers: { 'retry-after': '3' }, body: 'ignored' })).toEqual([])
    expect(validateResponse('search', { status: 201, body: [] })).toEqual([])
    expect(validateResponse('search', { status: 200 })).toMatchObject([
      { in: 'header', name: 'Retry-After', message: 'the header parameter "Retry-After" is missing' },
    ])
    expect(validateResponse('search', { status: 201, body: 7 })).toMatchObject([
      { in: 'body', name: '', message: 'the body must be an array or null' },
    ])
    expect(validateResponse('search', { status: 404 })).toEqual([
      {
        in: 'status',
        name: '404',
        pointer: '',
        keyword: 'enum',
        params: { allowedValues: [200, 201] },
        message: 'the status 404 is not one of those that the contract has for search: 200, 201',
        assumed: true,
      },
    ])
  })
})

describe('a name', () => {
  it.each(['searching', 'toString'])('%s is refused as the name of an operation', (id) => {
    const call = () => validateRequest(id as 'search', {})
    expect(call).toThrow(TypeError)
    expect(call).toThrow(`"${id}" is not an operation of the contract; expected one of: search, change.`)
  })

  it('the name of a schema finds its check', () => {
    expect(validate('Order', { id: 'a' })).toEqual([])
    expect(validate('Order', { id: 1 })).toMatchObject([{ name: 'id', pointer: '/id' }])
    for (const name of ['Orders', 'constructor'])
      expect(() => validate(name as 'Order', {})).toThrow(`"${name}" is not a schema of the contract.`)
  })
})

describe('a Standard Schema', () => {
  const list = check({ type: 'array', items: { type: 'object', properties: { at: { type: 'string' } } } })

  it('a Standard Schema accepts undefined where the value is optional', () => {
    expect(standardSchema(list, false)['~standard'].validate(undefined)).toEqual({ value: undefined })
    expect(standardSchema(list)['~standard'].validate(undefined)).toMatchObject({ issues: [{ path: [] }] })
    expect(standardSchema(list, false)['~standard'].validate(null)).toMatchObject({ issues: [{ path: [] }] })
  })

  it('the paths of a Standard Schema have indices as numbers', () => {
    expect(standardSchema(list)['~standard'].validate([{}, { at: 1 }])).toMatchObject({ issues: [{ path: [1, 'at'] }] })
  })
})
