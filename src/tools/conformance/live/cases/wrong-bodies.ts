import type { BasisId, OperationId } from '../../../../../generated/contract.js'
import { operationNodes, schemaNodes } from '../../../../../generated/contract.js'
import { OTHER_STATUS } from '../../judge/contract.js'
import type { ConformanceSettings, Depth } from '../../options.js'
import { requestBody, type TestRequest } from '../request.js'

interface WrongBody {
  what: string
  body: TestRequest['body']
  headers?: Record<string, string>
  basis?: BasisId | undefined
  /** Statuses that are as good as 400. */
  orElse?: readonly number[]
  /** Whether a service may accept it, so that only an internal error shows something. */
  isOptional?: boolean
  /** The least depth that has it; default `normal`. */
  depth?: Depth
}

/** What is wrong with a body, those first that show most; none for an operation without a body. */
export function wrongBodies(operation: OperationId, settings: ConformanceSettings): WrongBody[] {
  const node = schemaNodes[operationNodes[operation].requestBody?.schema ?? '']
  if (!node) return []
  const valid = requestBody(operation, settings.inputs)
  const json = (value: unknown) => JSON.stringify(value)
  const right = json(valid)
  const properties = Object.entries(node.properties ?? {})
  const objects = properties.filter(([, { schema = '' }]) => !schemaNodes[schema]?.values)
  const ofProperties = (values: readonly (readonly [string, unknown])[]) =>
    objects.flatMap(([name]) =>
      values.map(([what, value]) =>
        wrongBody(`with a body whose ${name} are ${what}`, json({ ...valid, [name]: value })),
      ),
    )
  return [
    wrongBody('with a body that is not JSON', right.slice(0, -1)),
    ...(node.required ?? []).map((name) =>
      wrongBody(`with a body without ${name}`, json({ ...valid, [name]: undefined })),
    ),
    ...(node.required ?? []).map((name) =>
      wrongBody(`with a body with ${capital(name)} instead of ${name}`, json({ [capital(name)]: Object(valid)[name] })),
    ),
    ...NO_OBJECTS.map(([what, value]) =>
      wrongBody(`with a body that is ${what}`, json(Array.isArray(value) ? [valid] : value)),
    ),
    ...ofProperties(NO_OBJECTS),
    ...objects.map(([name]) =>
      wrongBody(`with a body whose ${name} are JSON in a text`, json({ ...valid, [name]: json(Object(valid)[name]) })),
    ),
    wrongBody('with a body that is JSON in a text', json(right)),
    ...properties.flatMap(([name, { schema = '' }]) => valuesOf(name, schema, valid)),
    ...SCALARS.map(([what, value]) => wrongBody(`with a body that is ${what}`, json(value))),
    ...ofProperties(SCALARS),
    ...wrongTexts(right),
  ]
}

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

const wrongBody = (what: string, body: TestRequest['body'], more: Partial<WrongBody> = {}): WrongBody => ({
  what,
  body,
  ...more,
})

/** Bodies that are not the JSON text of an object, by the right one. */
function wrongTexts(right: string): WrongBody[] {
  return [
    wrongBody('without a body', undefined, { orElse: [411, ...UNSUPPORTED] }),
    wrongBody('with an empty body', ''),
    wrongBody('with a body and text after it', `${right}x`),
    wrongBody('with two bodies', right + right, { depth: 'thorough' }),
    wrongBody('with a body in single quotes', right.replaceAll('"', "'")),
    wrongBody('with a body with a comment', `/* conformance */ ${right}`, { depth: 'thorough' }),
    wrongBody('with a body that ends in a comma', `${right.slice(0, -1)},}`, { depth: 'thorough' }),
    wrongBody('with a body with NaN', right.replace(/\}$/, `${right === '{}' ? '' : ','}"conformance_check":NaN}`)),
    wrongBody(
      'with a body that is not UTF-8',
      Uint8Array.from(`${right.slice(0, -1)},"\xff\xfe":""}`, (character) => character.charCodeAt(0)),
      // Many readers of JSON take such bytes for U+FFFD, and whether another property is refused is not stated.
      { isOptional: true },
    ),
    wrongBody('with a form', 'inputs=conformance', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      orElse: UNSUPPORTED,
    }),
    wrongBody('with XML', '<inputs/>', { headers: { 'content-type': 'application/xml' }, orElse: UNSUPPORTED }),
    wrongBody('with a body of another content type', right, {
      headers: { 'content-type': 'text/plain' },
      orElse: UNSUPPORTED,
      isOptional: true,
    }),
    wrongBody('with a body without a content type', right, {
      headers: { 'content-type': '' },
      orElse: UNSUPPORTED,
      isOptional: true,
    }),
  ]
}

/** Of the values of an object with any names only their type is stated, not how they are checked. */
function valuesOf(name: string, schema: string, valid: object): WrongBody[] {
  const types = schemaNodes[schema]?.valueTypes ?? []
  if (types.length === 0) return []
  const of = (what: string, value: unknown): WrongBody => ({
    what: `with a body whose ${name} have ${what}`,
    body: JSON.stringify({ ...valid, [name]: value }),
    basis: schemaNodes[schema]?.basis[0],
    orElse: [413],
    isOptional: true,
  })
  const member = { conformance: 'conformance_deep' }
  return [
    ...OTHER_TYPES.filter(([, , ...own]) => !own.some((type) => types.includes(type))).map(([what, value]) =>
      of(what, { conformance: value }),
    ),
    of('names and texts of all kinds', Object.fromEntries(ODD_INPUTS.flatMap(([, value]) => Object.entries(value)))),
    ...ODD_INPUTS.map(([what, value]) => ({ ...of(what, value), depth: 'thorough' as const })),
    of('100 kB', LONG),
    of('1,000 names', MANY_NAMES),
    {
      ...of('a deep list', member),
      body: JSON.stringify({ ...valid, [name]: member }).replace('"conformance_deep"', DEEP),
    },
  ]
}

/** Values by their JSON types, for those that are not allowed. */
const OTHER_TYPES: readonly (readonly [what: string, value: unknown, ...types: string[]])[] = [
  ['a text', 'check', 'string'],
  ['a number', 42, 'number', 'integer'],
  ['null', null, 'null'],
  ['a list', ['check'], 'array'],
  ['an object', {}, 'object'],
]

const LONG = { conformance: 'x'.repeat(100_000) }
const MANY_NAMES = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`conformance_${index}`, 'check']))
const DEEP = '['.repeat(5_000) + ']'.repeat(5_000)

/** Names and texts that some services fail at. */
const ODD_INPUTS: readonly (readonly [what: string, value: object])[] = [
  ['an empty name', { '': 'check' }],
  ['a name of 1,000 characters', { ['x'.repeat(1_000)]: 'check' }],
  ['a name that objects have', JSON.parse('{"__proto__":"check","constructor":"check"}')],
  ['control characters and emoji', { conformance: '\u0000\u001b👩‍💻' }],
  ['half of a surrogate pair', { half: '\ud83d' }],
]

const UNSUPPORTED = [OTHER_STATUS.unsupportedMediaType]

/** Values that are easily accepted instead of an object or a list. */
const NO_OBJECTS: readonly (readonly [what: string, value: unknown])[] = [
  ['a text', 'conformance check'],
  ['a list', []],
  ['null', null],
]

const SCALARS: readonly (readonly [what: string, value: unknown])[] = [
  ['a number', 42],
  ['true', true],
]
