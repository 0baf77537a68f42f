import checks from '../../../generated/world.js'
import { toPointer } from '../../internal/json-pointer.js'
import { bodyProblems, type Problem } from '../../internal/validate.js'
import { startOf } from './start.js'
import type { World, WorldWorkspace } from './types.js'

/** A problem of a world. */
export interface WorldProblem {
  /** The location in the world. RFC 6901. */
  pointer: string
  message: string
}

/** A world that is invalid. */
export class InvalidWorldError extends TypeError {
  override name = 'InvalidWorldError'
  constructor(readonly problems: readonly WorldProblem[]) {
    const lines = problems.map(({ pointer, message }) => `- ${pointer || 'the world'}: ${message}`)
    super(`The world is not valid:\n${lines.join('\n')}`)
  }
}

/**
 * A copy of a world, without the `$schema` that editors use, validated with its JSON Schema and for what a schema cannot
 * express.
 *
 * @throws InvalidWorldError
 */
export function readWorld(value: unknown): World {
  const problems = bodyProblems(checks.world, value)
    // Ajv reports the failed `if` besides the problem within its branch.
    .filter(({ keyword }) => keyword !== 'if')
    .map((problem) => ({ pointer: problem.pointer, message: sentence(problem) }))
  if (problems.length > 0) throw new InvalidWorldError(problems)
  const foreign = findForeign(value)
  if (foreign) throw new InvalidWorldError([foreign])
  const { $schema: _, ...world } = structuredClone(value as World & { $schema?: WorldWorkspace })
  const inconsistent = inconsistencies(world)
  if (inconsistent.length > 0) throw new InvalidWorldError(inconsistent)
  return world
}

/** The first value that JSON does not have, at any depth of a world. */
function findForeign(value: unknown, tokens: string[] = []): WorldProblem | undefined {
  if (['function', 'symbol', 'bigint'].includes(typeof value))
    return { pointer: toPointer(tokens), message: `must be a value of JSON, and is a ${typeof value}.` }
  if (typeof value !== 'object' || value === null) return undefined
  if (tokens.length > MAX_DEPTH)
    return { pointer: toPointer(tokens), message: 'is nested too deep, or contains itself.' }
  for (const [name, each] of Object.entries(value)) {
    const found = findForeign(each, [...tokens, name])
    if (found) return found
  }
  return undefined
}

/** How deep the values of a world may be. */
const MAX_DEPTH = 100

function sentence({ pointer, keyword, params }: Problem): string {
  const name = JSON.stringify(pointer.split('/').at(-1))
  const sentences: Record<string, string> = {
    required: `the property ${name} is missing.`,
    additionalProperties: `the property ${name} is unknown.`,
    type: `must be of the type ${[params.type].flat().join(' or ')}.`,
    enum: `must be one of ${[params.allowedValues].flat().join(', ')}.`,
    const: `must be ${JSON.stringify(params.allowedValue)}.`,
    pattern: `must be ${params.means}.`,
    format: `must be a ${params.format}.`,
    minItems: `must have at least ${params.limit} item.`,
    minLength: 'must not be empty.',
  }
  return sentences[keyword] ?? `must be ${params.comparison} ${params.limit}.`
}

/** Finds duplicate names and ids, and references to nothing. A problem never contains the value of a key. */
function inconsistencies(world: World): WorldProblem[] {
  const problems: WorldProblem[] = []
  const report = (message: string, ...tokens: (string | number)[]) =>
    problems.push({ pointer: toPointer(tokens), message })
  const first = new Map<string, string>()
  const unique = (what: string, value: string, ...tokens: (string | number)[]) => {
    const earlier = first.get(`${what} ${value}`)
    if (earlier === undefined) first.set(`${what} ${value}`, toPointer(tokens))
    else report(`has the same ${what} as ${earlier}.`, ...tokens)
  }
  for (const [name, { workspace, keys, playbooks, providers, runs = [] }] of Object.entries(world)) {
    if (workspace.id !== undefined) unique('workspace id', workspace.id, name, 'workspace', 'id')
    for (const [key, { value }] of Object.entries(keys)) {
      unique('key name', key, name, 'keys', key)
      // Basis: S03.
      unique('key value', value, name, 'keys', key, 'value')
    }
    const providerIds = new Map<string | undefined, number>()
    for (const [index, { id }] of providers.entries()) {
      const earlier = providerIds.get(id)
      if (earlier === undefined || id === undefined) providerIds.set(id, index)
      else report(`has the same provider id as /${name}/providers/${earlier}/id.`, name, 'providers', index, 'id')
    }
    for (const [key, { playbook, steps }] of Object.entries(playbooks)) {
      unique('playbook name', key, name, 'playbooks', key)
      unique('playbook id', playbook.id, name, 'playbooks', key, 'playbook', 'id')
      for (const [index, { capability }] of steps.entries()) {
        const provider = capability?.split('.')[0]
        if (provider !== undefined && !providerIds.has(provider)) {
          const message = `names the provider "${provider}", which the workspace does not have.`
          report(message, name, 'playbooks', key, 'steps', index, 'capability')
        }
      }
    }
    for (const [index, run] of runs.entries()) {
      const { id, playbook_id, started_at } = run
      unique('run id', id, name, 'runs', index, 'id')
      const script = Object.values(playbooks).find(({ playbook }) => playbook.id === playbook_id)
      const start = script && !run.timeline && startOf(run, script)
      if (start && 'message' in start) report(start.message, name, 'runs', index, ...start.at)
      if (!script)
        report(`no playbook of the workspace has the id "${playbook_id}".`, name, 'runs', index, 'playbook_id')
      if (!isCalendarDate(started_at.slice(0, 10)))
        report('must be a date of the calendar.', name, 'runs', index, 'started_at')
      else if (Number.isNaN(Date.parse(started_at)))
        report('must have a time of the day, without a leap second.', name, 'runs', index, 'started_at')
    }
  }
  if (Object.values(world).every(({ keys }) => Object.keys(keys).length === 0))
    report('has no key, so every request would get a 401. Add one.')
  return problems
}

/** Whether a text of the form YYYY-MM-DD is a date of the calendar. */
function isCalendarDate(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
