import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Diagnostic } from '../diagnostics.js'
import type { BasisEntry, Json } from './index.js'

const TEXT = { type: 'string', minLength: 1 }

const VERIFY = {
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: {
    needs: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { enum: ['run', 'trigger', 'rateLimit', 'readOnlyKey', 'secondKey', 'otherWorkspaceKey', 'hobbyKey'] },
    },
    unobservable: TEXT,
    presence: { const: false },
  },
}

/** The fields of an entry of `openapi/basis.yaml`. */
const SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    required: ['id', 'kind', 'section', 'text'],
    additionalProperties: false,
    properties: {
      id: { type: 'string', pattern: '^[SODA][0-9]{2,}$' },
      kind: { enum: ['stated', 'observed', 'derived', 'assumed'] },
      section: { type: 'integer' },
      text: TEXT,
      question: TEXT,
      choice: TEXT,
      because: TEXT,
      ifWrong: TEXT,
      enforcedBy: TEXT,
      rule: { type: 'string', pattern: '^[a-z][A-Za-z0-9]*$' },
      value: { type: ['integer', 'array'], minItems: 1, uniqueItems: true, items: { type: 'integer' } },
      pattern: TEXT,
      verify: VERIFY,
      client: { enum: ['must', 'should'] },
      keywords: { type: 'array', minItems: 1, uniqueItems: true, items: TEXT },
      replacedBy: { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'string' } },
    },
    dependentRequired: { client: ['rule'] },
  },
}

const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(SCHEMA)

/** What is wrong with the entries of the register, each with its location. */
export function registerProblems(
  register: Json,
  locate: (path: readonly (string | number)[]) => Omit<Diagnostic, 'rule' | 'message'>,
): Diagnostic[] {
  if (validate(register)) return []
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const path = instancePath.split('/').slice(1)
    const id = register[path[0] ?? '']?.id ?? 'The register'
    const what = [path.slice(1).join('/'), message, params.additionalProperty ?? ''].filter(Boolean).join(' ')
    const advice = 'The head of openapi/basis.yaml describes the fields.'
    return { ...locate(path), rule: 'register', message: `${id}: ${what}. ${advice}` }
  })
}

/** An entry as the document publishes it: without the fields that only code needs. */
export const published = (entry: BasisEntry): Json =>
  Object.fromEntries(Object.entries(entry).filter(([field]) => !INTERNAL.has(field)))

const INTERNAL = new Set(['rule', 'verify', 'value'])
