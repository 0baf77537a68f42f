import type { Problem } from '../../generated/validators.js'
import { validateWorld } from '../../generated/world.js'
import { toPointer } from '../internal/json-pointer.js'
import { isCalendarDate } from '../service/validate.js'
import type { World, WorldWorkspace } from './world.js'

/** Something that is wrong with a world. */
export interface WorldProblem {
  /** The location in the world. RFC 6901. */
  pointer: string
  message: string
}

/** A world that cannot be served. */
export class InvalidWorldError extends TypeError {
  override name = 'InvalidWorldError'
  constructor(readonly problems: readonly WorldProblem[]) {
    const lines = problems.map(({ pointer, message }) => `- ${pointer || 'the world'}: ${message}`)
    super(`The world is not valid:\n${lines.join('\n')}`)
  }
}

/**
 * A copy of a world, without the `$schema` that editors use, validated with its JSON Schema and for what a schema cannot
 * say.
 *
 * @throws InvalidWorldError
 */
export function readWorld(value: unknown): World {
  const problems = validateWorld(value)
    // Ajv reports the branch of an `if` beside what is wrong in it.
    .filter(({ keyword }) => keyword !== 'if')
    .map((problem) => ({ pointer: problem.pointer, message: sentence(problem) }))
  if (problems.length > 0) throw new InvalidWorldError(problems)
  const { $schema: _, ...world } = structuredClone(value as World & { $schema?: WorldWorkspace })
  const inconsistent = inconsistencies(world)
  if (inconsistent.length > 0) throw new InvalidWorldError(inconsistent)
  return world
}

function sentence({ pointer, keyword, params }: Problem): string {
  const name = JSON.stringify(pointer.split('/').at(-1))
  if (keyword === 'required') return `the property ${name} is missing.`
  if (keyword === 'additionalProperties') return `the property ${name} is unknown.`
  if (keyword === 'type') return `must be of the type ${[params.type].flat().join(' or ')}.`
  if (keyword === 'enum') return `must be one of ${(params.allowedValues as unknown[]).join(', ')}.`
  if (keyword === 'const') return `must be ${JSON.stringify(params.allowedValue)}.`
  if (keyword === 'pattern') return `must match the pattern ${params.pattern}.`
  if (keyword === 'format') return `must be a ${params.format}.`
  if (keyword === 'minItems') return `must have at least ${params.limit} item.`
  if (keyword === 'minLength') return 'must not be empty.'
  return `must be ${params.comparison} ${params.limit}.`
}

/** A name or value that belongs to one thing of the world only, and the location of that thing. */
interface Unique {
  what: string
  value: string
  pointer: string
}

function inconsistencies(world: World): WorldProblem[] {
  const uniques = Object.entries(world).flatMap(uniquesOf)
  const problems = [...duplicates(uniques), ...Object.entries(world).flatMap(danglingReferences)]
  if (!uniques.some(({ what }) => what === 'key value'))
    problems.push({ pointer: '', message: 'has no key, so every request would get a 401. Add one.' })
  return problems
}

const uniquesOf = ([name, { keys, playbooks, runs = [] }]: [string, WorldWorkspace]): Unique[] => [
  ...Object.entries(keys).flatMap(([key, { value }]) => [
    { what: 'key name', value: key, pointer: toPointer([name, 'keys', key]) },
    { what: 'key value', value, pointer: toPointer([name, 'keys', key, 'value']) },
  ]),
  ...Object.entries(playbooks).flatMap(([key, { playbook }]) => [
    { what: 'playbook name', value: key, pointer: toPointer([name, 'playbooks', key]) },
    { what: 'playbook id', value: playbook.id, pointer: toPointer([name, 'playbooks', key, 'playbook', 'id']) },
  ]),
  ...runs.map(({ id }, index) => ({ what: 'run id', value: id, pointer: toPointer([name, 'runs', index, 'id']) })),
]

/** Basis of a key belonging to one workspace: S03. A problem never says the value of a key. */
function duplicates(uniques: readonly Unique[]): WorldProblem[] {
  const first = new Map<string, string>()
  return uniques.flatMap(({ what, value, pointer }) => {
    const id = `${what} ${value}`
    const earlier = first.get(id)
    if (earlier === undefined) first.set(id, pointer)
    return earlier === undefined ? [] : [{ pointer, message: `has the same ${what} as ${earlier}.` }]
  })
}

function danglingReferences([name, { playbooks, providers, runs = [] }]: [string, WorldWorkspace]): WorldProblem[] {
  const providerIds = new Set(providers.map(({ id }) => id))
  const playbookIds = new Set(Object.values(playbooks).map(({ playbook }) => playbook.id))
  return [
    ...Object.entries(playbooks).flatMap(([key, { steps }]) =>
      steps.flatMap(({ capability }, index) => {
        const provider = capability?.split('.')[0]
        if (provider === undefined || providerIds.has(provider)) return []
        const pointer = toPointer([name, 'playbooks', key, 'steps', index, 'capability'])
        return [{ pointer, message: `names the provider "${provider}", which the workspace does not have.` }]
      }),
    ),
    ...runs.flatMap(({ playbook_id, started_at }, index) => [
      ...(playbookIds.has(playbook_id)
        ? []
        : [
            {
              pointer: toPointer([name, 'runs', index, 'playbook_id']),
              message: `no playbook of the workspace has the id "${playbook_id}".`,
            },
          ]),
      ...(isCalendarDate(started_at.slice(0, 10))
        ? []
        : [{ pointer: toPointer([name, 'runs', index, 'started_at']), message: 'must be a date of the calendar.' }]),
    ]),
  ]
}
