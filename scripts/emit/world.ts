import { type Contract, componentOf, type Json } from '../contract/index.js'

/** The JSON Schema of the sandbox's worlds. What the contract has is referred to as a component of it. */
export function worldSchema({ document, operations }: Contract): Json {
  const { Run, Step } = document.components?.schemas ?? {}
  const component = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })
  const described = (schema: Json, description: string): Json => ({ ...schema, description })
  const step = object([], {
    capability: described(
      { type: 'string', pattern: Step?.properties?.capability?.pattern },
      '`<provider>.<action>`; the provider is one of the workspace.',
    ),
    approval: described({ type: 'boolean' }, 'The step waits until it is approved or rejected; default false.'),
    fails: described({ type: 'boolean' }, 'The step fails, and the run with it; default false.'),
    duration: described({ type: 'number', minimum: 0 }, 'How long the step takes, in ms; default 1000.'),
  })
  const key = object(['value'], {
    value: described({ type: 'string', pattern: '^[\\x21-\\x7e]+$' }, 'Visible ASCII without spaces.'),
    operations: described(
      { type: 'array', items: { enum: operations.map(({ id }) => id) } },
      'The operations that the key may call; default all.',
    ),
  })
  const run = object(['id', 'playbook_id', 'started_at'], {
    id: valueSchema(Run?.properties?.id),
    playbook_id: valueSchema(Run?.properties?.playbook_id),
    started_at: described({ type: 'string', format: 'date-time' }, 'RFC 3339.'),
  })
  const workspace = object(['workspace', 'keys', 'playbooks', 'providers'], {
    workspace: component('Workspace'),
    plan: described(planSchema(Object.keys(document['x-plans'] ?? {})), 'The plan; default that of the sandbox.'),
    keys: described(named(key), 'API keys by a name of your choice.'),
    playbooks: described(
      named(
        object(['playbook', 'steps'], {
          playbook: component('Playbook'),
          steps: { type: 'array', minItems: 1, items: step },
        }),
      ),
      'Playbooks by a name of your choice, with what their runs do.',
    ),
    providers: { type: 'array', items: component('Provider') },
    runs: described({ type: 'array', items: run }, 'The runs that are there from the start.'),
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
  const schemas: Record<string, Json> = contract.document.components?.schemas ?? {}
  const used = new Map<string, Json>()
  const local = (node: Json): Json => {
    if (Array.isArray(node)) return node.map(local)
    if (typeof node !== 'object' || node === null) return node
    const name = componentOf(node)
    if (name !== undefined) {
      if (!used.has(name)) {
        used.set(name, undefined)
        used.set(name, local(schemas[name]))
      }
      return { $ref: `#/$defs/${name}` }
    }
    return Object.fromEntries(
      Object.entries<Json>(node).flatMap(([key, value]) => (key.startsWith('x-') ? [] : [[key, local(value)]])),
    )
  }
  const schema = local(worldSchema(contract))
  const $schema = 'https://json-schema.org/draft/2020-12/schema'
  return `${JSON.stringify({ $schema, ...schema, $defs: Object.fromEntries(used) }, null, 2)}\n`
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
})

const ofType = (type: string, schema: Json): Json =>
  Object.fromEntries([
    ['if', { type }],
    ['then', schema],
  ])

const object = (required: string[], properties: Json): Json => ({
  type: 'object',
  ...(required.length > 0 && { required }),
  additionalProperties: false,
  properties,
})

const named = (schema: Json): Json => ({ type: 'object', additionalProperties: schema })

const valueSchema = ({ type, format, pattern, minLength }: Json = {}): Json =>
  Object.fromEntries(Object.entries({ type, format, pattern, minLength }).filter(([, value]) => value !== undefined))
