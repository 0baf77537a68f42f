import { type Contract, componentOf, type Json } from '../contract/index.js'

/** The JSON Schema of the sandbox's worlds. What the contract has is referred to as a component of it. */
export function worldSchema({ document, operations }: Contract): Json {
  const { Run, Step } = document.components?.schemas ?? {}
  const component = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
  const step = object([], {
    capability: {
      type: 'string',
      pattern: Step?.properties?.capability?.pattern,
      description: '`<provider>.<action>`; the provider is one of the workspace.',
    },
    approval: { type: 'boolean', description: 'The step waits until it is approved or rejected; default false.' },
    fails: { type: 'boolean', description: 'The step fails, and the run with it; default false.' },
    duration: { type: 'number', minimum: 0, description: 'How long the step takes, in ms; default 1000.' },
  })
  const key = object(['value'], {
    value: { type: 'string', pattern: '^[\\x21-\\x7e]+$', description: 'Visible ASCII without spaces.' },
    operations: {
      type: 'array',
      items: { enum: operations.map(({ id }) => id) },
      description: 'The operations that the key may call; default all.',
    },
  })
  const run = object(['id', 'playbook_id', 'started_at'], {
    id: valueSchema(Run?.properties?.id),
    playbook_id: valueSchema(Run?.properties?.playbook_id),
    // The contract has no time in another zone, and no space in one.
    started_at: {
      type: 'string',
      format: 'date-time',
      pattern: '^\\S+([Zz]|[+-]00:00)$',
      description: 'RFC 3339, in UTC.',
    },
  })
  const playbook = object(['playbook', 'steps'], {
    playbook: component('Playbook'),
    steps: { type: 'array', minItems: 1, items: step },
  })
  const workspace = object(['workspace', 'keys', 'playbooks', 'providers'], {
    workspace: component('Workspace'),
    plan: planSchema(Object.keys(document['x-plans'] ?? {})),
    keys: { ...named(key), description: 'API keys by a name of your choice.' },
    playbooks: { ...named(playbook), description: 'Playbooks by a name of your choice, with what their runs do.' },
    providers: { type: 'array', items: component('Provider') },
    runs: { type: 'array', items: run, description: 'The runs that are there from the start.' },
  })
  return {
    title: 'World of the sandbox',
    description: 'Workspaces by a name of your choice.',
    ...named(workspace),
    properties: { $schema: { type: 'string' } },
  }
}

/** The same schema in one file, with the components that it refers to. */
export function emitWorldSchema(contract: Contract): string {
  const $defs: Record<string, Json> = {}
  const local = (schema: Json): Json =>
    JSON.parse(
      JSON.stringify(schema, (key, node) => {
        if (key.startsWith('x-')) return undefined
        const name = componentOf(node)
        if (name === undefined) return node
        if (!(name in $defs)) {
          $defs[name] = {}
          $defs[name] = local(contract.document.components.schemas[name])
        }
        return { $ref: `#/$defs/${name}` }
      }),
    )
  const schema = local(worldSchema(contract))
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  return `${JSON.stringify({ $schema, ...schema, $defs }, null, 2)}\n`
}

/** A name of the contract's plans, a limit of its own, or `false`; each type has its own sentence this way. */
const planSchema = (plans: string[]): Json => ({
  type: ['string', 'object', 'boolean'],
  allOf: [
    ofType('string', { enum: plans }),
    ofType('boolean', { const: false }),
    ofType(
      'object',
      object(['requestsPerMinute', 'burst'], {
        requestsPerMinute: { type: 'number', exclusiveMinimum: 0 },
        burst: { type: 'number', minimum: 0 },
      }),
    ),
  ],
  description: 'The plan; default that of the sandbox.',
})

// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
const ofType = (type: string, schema: Json): Json => ({ if: { type }, then: schema })

const object = (required: string[], properties: Json): Json => ({
  type: 'object',
  ...(required.length > 0 && { required }),
  additionalProperties: false,
  properties,
})

const named = (schema: Json): Json => ({ type: 'object', additionalProperties: schema })

const valueSchema = ({ type, format, pattern, minLength }: Json = {}): Json =>
  Object.fromEntries(Object.entries({ type, format, pattern, minLength }).filter(([, value]) => value !== undefined))
