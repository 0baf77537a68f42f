import { operations, plans } from '../../generated/operations.js'
import { type Schemas, validate } from '../../generated/validators.js'
import type { PlanChoice, ScriptStep, World, WorldWorkspace } from './world.js'

/**
 * Checks a world against the contract and itself.
 *
 * @throws TypeError with everything that is wrong, each with its place
 */
export function checkWorld(world: World): void {
  const shape = Object.entries(world).flatMap(([name, workspace]) => shapeProblems(`world.${name}`, workspace))
  if (shape.length > 0) refuse(shape)
  const problems = Object.entries(world).flatMap(([name, workspace]) => workspaceProblems(`world.${name}`, workspace))
  const values = Object.values(world).flatMap(({ keys }) => Object.values(keys).map(({ value }) => value))
  if (new Set(values).size < values.length)
    problems.push('world: two keys have the same value; a key belongs to one workspace (S03).')
  if (values.length === 0) problems.push('world: there is no key, so every request would be answered 401. Add one.')
  if (problems.length > 0) refuse(problems)
}

function refuse(problems: readonly string[]): never {
  throw new TypeError(`The world does not keep to the contract:\n${problems.map((each) => `- ${each}`).join('\n')}`)
}

/** A world may come from a file, where no compiler has looked at it. */
function shapeProblems(at: string, workspace: unknown): string[] {
  if (!isObject(workspace)) return [`${at}: a workspace is an object.`]
  const { keys, playbooks, providers, runs = [] } = workspace
  return [
    isObject(keys) && Object.values(keys).every((key) => isObject(key) && typeof key.value === 'string')
      ? []
      : `${at}.keys: each key is an object with a value.`,
    isObject(playbooks) && Object.values(playbooks).every(isScripted)
      ? []
      : `${at}.playbooks: each playbook is an object with playbook and steps.`,
    Array.isArray(providers) ? [] : `${at}.providers: providers is a list.`,
    Array.isArray(runs) && runs.every(isObject) ? [] : `${at}.runs: runs is a list of objects.`,
  ].flat()
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const isScripted = (value: unknown): boolean =>
  isObject(value) && isObject(value.playbook) && Array.isArray(value.steps) && value.steps.every(isObject)

function workspaceProblems(at: string, { workspace, plan, keys, playbooks, providers, runs = [] }: WorldWorkspace) {
  const scripted = Object.entries(playbooks)
  const ids = scripted.map(([, { playbook }]) => playbook.id)
  const known = new Set(providers.flatMap(({ id }) => id ?? []))
  return [
    ...schemaProblems(`${at}.workspace`, 'Workspace', workspace),
    ...(plan === undefined ? [] : planProblems(`${at}.plan`, plan)),
    ...Object.entries(keys).flatMap(([name, { value, operations: allowed = [] }]) => [
      ...(/^[\x21-\x7e]+$/.test(value) ? [] : [`${at}.keys.${name}: a key is visible ASCII without spaces.`]),
      ...allowed.flatMap((id) => (id in operations ? [] : [`${at}.keys.${name}: "${id}" is no operation.`])),
    ]),
    ...scripted.flatMap(([name, { playbook, steps }]) => [
      ...schemaProblems(`${at}.playbooks.${name}.playbook`, 'Playbook', playbook),
      ...(steps.length > 0 ? [] : [`${at}.playbooks.${name}: a playbook needs at least one step.`]),
      ...steps.flatMap((step, index) => stepProblems(`${at}.playbooks.${name}.steps[${index}]`, step, known)),
    ]),
    ...(new Set(ids).size === ids.length ? [] : [`${at}.playbooks: two playbooks have the same id.`]),
    ...providers.flatMap((provider, index) => schemaProblems(`${at}.providers[${index}]`, 'Provider', provider)),
    ...runs.flatMap(({ id, playbook_id, started_at }, index) => [
      ...schemaProblems(`${at}.runs[${index}]`, 'Run', { id, status: 'running', playbook_id, started_at, steps: [] }),
      ...(ids.includes(playbook_id) ? [] : [`${at}.runs[${index}]: no playbook has the id "${playbook_id}".`]),
    ]),
  ]
}

function stepProblems(at: string, step: ScriptStep, providers: Set<string>): string[] {
  const { capability, duration = 0 } = step
  const provider = capability?.split('.')[0] ?? ''
  return [
    ...schemaProblems(at, 'Step', { id: at, status: 'running', ...(capability !== undefined && { capability }) }),
    ...(capability === undefined || providers.has(provider)
      ? []
      : [`${at}: "${capability}" names the provider "${provider}", which the workspace does not have.`]),
    ...(duration >= 0 && Number.isFinite(duration) ? [] : [`${at}: duration must be 0 ms or more.`]),
  ]
}

/** What is wrong with a plan. */
export function planProblems(at: string, plan: PlanChoice): string[] {
  if (plan === false) return []
  if (typeof plan === 'string')
    return Object.hasOwn(plans, plan)
      ? []
      : [`${at}: "${plan}" is no plan of the contract; these are: ${Object.keys(plans).join(', ')}.`]
  const { requestsPerMinute, burst } = plan
  return requestsPerMinute > 0 && burst >= 0 && Number.isFinite(requestsPerMinute) && Number.isFinite(burst)
    ? []
    : [`${at}: requestsPerMinute must be above 0 and burst 0 or more.`]
}

const schemaProblems = (at: string, schema: keyof Schemas, value: unknown): string[] =>
  validate(schema, value).map(({ name, message }) => `${at}${name ? `.${name}` : ''}: ${message}.`)
