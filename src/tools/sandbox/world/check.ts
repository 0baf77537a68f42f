import checks from '../../../../generated/sandbox/world.js'
import { toPointer } from '../../../runtime/json-pointer.js'
import { bodyProblems, type Problem } from '../../../runtime/problems.js'
import { givenState, isContradiction, worldStart } from './start.js'
import type { World, WorldRun, WorldWorkspace } from './types.js'

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
 * Validates a world, with its JSON Schema and beyond it, and returns a copy without the `$schema` of editors.
 *
 * @throws InvalidWorldError
 */
export function readWorld(value: unknown): World {
  const problems = bodyProblems(checks.world, value)
    // Ajv reports the failed `if` besides the problem within its branch.
    .filter(({ keyword }) => keyword !== 'if')
    .map((problem) => ({ pointer: problem.pointer, message: sentence(problem) }))
  if (problems.length > 0) throw new InvalidWorldError(problems)
  const { $schema: _, ...world } = structuredClone(value as World & { $schema?: WorldWorkspace })
  const inconsistent = inconsistencies(world)
  if (inconsistent.length > 0) throw new InvalidWorldError(inconsistent)
  return world
}

function sentence({ pointer, keyword, params }: Problem): string {
  const last = pointer.split('/').at(-1) ?? ''
  if (keyword === 'additionalProperties' && last in TIMELINES) return TIMELINES[last] ?? ''
  const name = JSON.stringify(last)
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

/** Worlds that version 4 made of recordings have these. */
const TIMELINES: Record<string, string> = {
  timeline: 'timelines of recorded runs are no longer supported. Give the run its `status` and `steps` instead.',
  timelines: 'timelines of recorded runs are no longer supported. Remove them: the `steps` of the playbook apply.',
}

/** Finds duplicate names and ids, and references to nothing. A problem never contains the value of a key. */
function inconsistencies(world: World): WorldProblem[] {
  const problems: WorldProblem[] = []
  const addProblem: AddProblem = (message, ...tokens) => problems.push({ pointer: toPointer(tokens), message })
  const first = new Map<string, string>()
  const requireUnique: RequireUnique = (what, value, ...tokens) => {
    const earlier = first.get(`${what} ${value}`)
    if (earlier === undefined) first.set(`${what} ${value}`, toPointer(tokens))
    else addProblem(`has the same ${what} as ${earlier}.`, ...tokens)
  }
  for (const [name, given] of Object.entries(world)) {
    const { workspace, keys, providers, runs = [] } = given
    if (workspace.id !== undefined) requireUnique('workspace id', workspace.id, name, 'workspace', 'id')
    for (const [key, { value }] of Object.entries(keys)) {
      requireUnique('key name', key, name, 'keys', key)
      // Basis: S03.
      requireUnique('key value', value, name, 'keys', key, 'value')
    }
    for (const [index, { id }] of providers.entries())
      if (id !== undefined) requireUnique('provider id', `${name}/${id}`, name, 'providers', index, 'id')
    checkPlaybooks(given, name, requireUnique, addProblem)
    for (const [index, run] of runs.entries()) {
      requireUnique('run id', run.id, name, 'runs', index, 'id')
      checkRun(run, given, (message, ...tokens) => addProblem(message, name, 'runs', index, ...tokens))
    }
  }
  if (Object.values(world).every(({ keys }) => Object.keys(keys).length === 0))
    addProblem('has no key, so every request would get a 401. Add one.')
  return problems
}

type PathPart = string | number
type AddProblem = (message: string, ...tokens: PathPart[]) => void
type RequireUnique = (what: string, value: unknown, ...tokens: PathPart[]) => void

function checkPlaybooks(
  { playbooks, providers }: WorldWorkspace,
  name: string,
  requireUnique: RequireUnique,
  addProblem: AddProblem,
): void {
  // That it is named by its id is assumed: A04.
  const named = new Set<unknown>(providers.flatMap((provider) => Object.values(provider)))
  for (const [key, { playbook, steps }] of Object.entries(playbooks)) {
    requireUnique('playbook name', key, name, 'playbooks', key)
    requireUnique('playbook id', playbook.id, name, 'playbooks', key, 'playbook', 'id')
    for (const [index, { capability }] of steps.entries()) {
      const provider = capability?.split('.')[0]
      if (provider === undefined || named.has(provider)) continue
      const message = `names the provider "${provider}", which the workspace does not have.`
      addProblem(message, name, 'playbooks', key, 'steps', index, 'capability')
    }
  }
}

function checkRun(run: WorldRun, { playbooks }: WorldWorkspace, addProblem: AddProblem): void {
  const script = Object.values(playbooks).find(({ playbook }) => playbook.id === run.playbook_id)
  const given = givenState(run)
  if (given && run.status === undefined)
    addProblem('needs a status, because its steps have statuses that scripts do not have.')
  const start = script && !given && worldStart(run, script)
  if (start && isContradiction(start)) addProblem(start.message, ...start.at)
  if (!script) addProblem(`no playbook of the workspace has the id "${run.playbook_id}".`, 'playbook_id')
  if (!isInCalendar(run.started_at)) addProblem('must be a valid date and time, without a leap second.', 'started_at')
}

/** Whether the day and the time exist: `Date` reads 30 February as a day of March. */
function isInCalendar(text: string): boolean {
  const time = new Date(text)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text.slice(0, 10))
}
