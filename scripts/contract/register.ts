import { Ajv2020 } from 'ajv/dist/2020.js'
import { NEEDS } from '../../src/runtime/contract-nodes.js'
import type { Diagnostic } from '../support/diagnostics.js'

/** An entry of `openapi/basis.yaml`. */
export interface BasisEntry {
  id: string
  kind: 'stated' | 'observed' | 'derived' | 'assumed'
  section: number
  text: string
  question?: string
  choice?: string
  because?: string
  ifWrong?: string
  enforcedBy?: string
  /** The name by which code refers to the entry. */
  rule?: string
  /** The number that is assumed, or several in their order, where code must know it. */
  value?: number | number[]
  /** The form that is assumed of a text, a regular expression. */
  pattern?: string
  verify?: {
    /** The options that exercise it. */
    needs?: string[]
    /** Why no response showed it although they were given. */
    unobservable?: string
    /** False where the presence of a property does not show it. */
    presence?: false
  }
  /** Whether it binds clients: `must`, or `should` for advice. `src/tools/client-rules/` checks it by its `rule`. */
  client?: 'must' | 'should'
  /** The rule for the client, as reports on clients name it. */
  title?: string
  /** The keywords that it decides for a node that names it: those of JSON Schema, `status`, `mediaType` and `links`. */
  keywords?: string[]
  /** The entries that say it now. An entry with successors is retired: no node names it. */
  replacedBy?: string[]
}

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
      items: { enum: NEEDS },
    },
    unobservable: TEXT,
    presence: { const: false },
  },
}

const PROPERTIES = {
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
  title: TEXT,
  keywords: { type: 'array', minItems: 1, uniqueItems: true, items: TEXT },
  replacedBy: { type: 'array', minItems: 1, uniqueItems: true, items: { type: 'string' } },
} satisfies Record<keyof BasisEntry, object>

const SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    required: ['id', 'kind', 'section', 'text'] satisfies (keyof BasisEntry)[],
    additionalProperties: false,
    properties: PROPERTIES,
    dependentRequired: { title: ['client'] },
    // What is only assumed binds nobody.
    dependentSchemas: {
      client: { required: ['rule', 'title'], properties: { kind: { enum: ['stated', 'derived'] } } },
    },
  },
}

const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(SCHEMA)

/** Invalid entries of the register, each with its location. */
export function registerProblems(
  register: Partial<BasisEntry>[],
  locate: (path: readonly (string | number)[]) => Omit<Diagnostic, 'rule' | 'message'>,
): Diagnostic[] {
  validate(register)
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const path = instancePath.split('/').slice(1)
    const entry = register[Number(path[0])]
    const at = { ...locate(path), rule: 'register' }
    if (entry && !entry.id && params.missingProperty === 'id')
      return { ...at, message: `This entry has no id. The next free one is ${nextId(register, entry.kind)}.` }
    const id = entry?.id ?? 'The register'
    const what = [path.slice(1).join('/'), message, params.additionalProperty ?? ''].filter(Boolean).join(' ')
    const advice = 'The head of openapi/basis.yaml describes the fields.'
    return { ...at, message: `${id}: ${what}. ${advice}` }
  })
}

/** The next free id of a kind of entry, or of each kind. Ids of retired entries are not free. */
function nextId(register: Partial<BasisEntry>[], kind?: string): string {
  const letters = PROPERTIES.kind.enum
    .filter((each) => !kind || each === kind)
    .map((each) => each.charAt(0).toUpperCase())
  const last = (letter: string) =>
    Math.max(0, ...register.map(({ id = '' }) => (id.startsWith(letter) ? Number(id.slice(1)) : 0)))
  return letters.map((letter) => `${letter}${String(last(letter) + 1).padStart(2, '0')}`).join(', ')
}

/** An entry as the document publishes it: without the fields that only code needs. */
export const published = (entry: BasisEntry): object =>
  Object.fromEntries(Object.entries(entry).filter(([field]) => !INTERNAL.has(field)))

const INTERNAL = new Set(['rule', 'verify', 'value', 'title'])
