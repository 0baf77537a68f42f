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
  /** Whether nodes of the document say it wholly. */
  schema?: true
  /** Why nothing obeys it, although it is stated. */
  notEnforced?: string
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
  /** Whether it lists the values of the string that names it, or whose values do. */
  enumerates?: true
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
  schema: { const: true },
  notEnforced: TEXT,
  value: { type: ['integer', 'array'], minItems: 1, uniqueItems: true, items: { type: 'integer' } },
  pattern: TEXT,
  verify: VERIFY,
  client: { enum: ['must', 'should'] },
  title: TEXT,
  enumerates: { const: true },
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
  const form = (validate.errors ?? []).map(({ instancePath, message, params }) => {
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
  return form.length > 0
    ? form
    : register.flatMap((entry, index) => effectProblem(entry as BasisEntry, register, locate([index])))
}

/** What a stated or derived entry does not say of how it takes effect, and a rule that two entries cannot share. */
function effectProblem(
  { id, kind, schema, rule, notEnforced, client, replacedBy }: BasisEntry,
  register: Partial<BasisEntry>[],
  at: Omit<Diagnostic, 'rule' | 'message'>,
): Diagnostic[] {
  if (replacedBy) return []
  const other = rule && register.find((each) => each.rule === rule && each.id !== id)
  if (other && !(client && other.client))
    return [
      {
        ...at,
        rule: 'register',
        message: `${id}: ${other.id} has the rule "${rule}", too. Only rules of clients may have several entries.`,
      },
    ]
  if (kind !== 'stated' && kind !== 'derived') return []
  if (notEnforced ? !schema && !rule : schema || rule) return []
  const advice = notEnforced
    ? 'Leave out "notEnforced", or "schema" and "rule"'
    : 'Write "schema: true" if nodes of the document say it wholly, "rule" if code obeys it, or "notEnforced" with the reason'
  return [{ ...at, rule: 'register', message: `${id} does not say how it takes effect. ${advice}.` }]
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

const INTERNAL = new Set(['rule', 'schema', 'verify', 'value', 'title', 'enumerates'])
