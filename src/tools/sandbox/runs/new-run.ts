import type { RunInputs } from '../../../../generated/types.js'
import { cut, MAX_TEXT } from '../log/request-record.js'
import { givenState, type Start, worldStart } from '../world/start.js'
import type { ScriptedPlaybook, World, WorldRun } from '../world/types.js'
import { type RunTiming, STARTING, type StoredRun, timestampOf } from './run.js'

/** The runs that a world starts with. */
export const startingRuns = (world: World, timing: RunTiming, now: () => number): StoredRun[] =>
  Object.entries(world).flatMap(([workspace, { playbooks, runs = [] }]) =>
    runs.map((given) => {
      const { id, playbook_id, started_at: timestamp, inputs = {}, number = 0 } = given
      const script = Object.values(playbooks).find(({ playbook }) => playbook.id === playbook_id) as ScriptedPlaybook
      const state = givenState(given)
      const start = state ? { timedFrom: now(), given: state } : scriptedStart(given, script, timing, now)
      return storedRun({ id, workspace, script, inputs, number, timestamp, ...start })
    }),
  )

/** A run that was triggered at `now`. */
export const triggeredRun = (
  run: Pick<StoredRun, 'id' | 'workspace' | 'script' | 'inputs' | 'number'>,
  { speed }: RunTiming,
  now: number,
): StoredRun =>
  storedRun({
    id: run.id,
    workspace: run.workspace,
    script: run.script,
    inputs: run.inputs,
    number: run.number,
    timestamp: timestampOf(now),
    timedFrom: now + STARTING / speed,
  })

function scriptedStart(given: WorldRun, script: ScriptedPlaybook, { speed }: RunTiming, now: () => number) {
  const { started_at, elapsed = 0 } = given
  // `readWorld` has already refused contradictions.
  const start = worldStart(given, script) as Start | undefined
  const last = start ? now() - elapsed : Date.parse(started_at)
  return { ...start, timedFrom: last + (start?.startedSteps ? 0 : STARTING / speed) }
}

type NewRun = Omit<StoredRun, 'partial' | 'starts' | 'given' | keyof Start> &
  Partial<Pick<StoredRun, 'given' | keyof Start>>

/** A run as it starts. Its fields are listed, because an object that is made with a spread takes twice the memory. */
function storedRun({ id, workspace, script, number, timestamp, timedFrom, given, ...start }: NewRun): StoredRun {
  const { startedSteps = 0, endedSteps = 0, rejected = false } = start
  const { inputs, partial } = boundedInputs(start.inputs)
  return {
    id,
    workspace,
    script,
    inputs,
    partial,
    number,
    timestamp,
    startedSteps,
    endedSteps,
    timedFrom,
    rejected,
    given,
  }
}

/** The characters that a property counts for besides its name and value, because thousands of empty ones take memory too. */
const PROPERTY = 40

/** Inputs as they are kept: long ones are cut, and say how much is missing. */
function boundedInputs(inputs: RunInputs): Pick<StoredRun, 'inputs' | 'partial'> {
  const all = Object.entries(inputs)
  const kept: [name: string, value: RunInputs[string]][] = []
  let left = MAX_TEXT
  for (const [name, value] of all) {
    if (left <= 0) break
    // A contract may have other types than strings.
    kept.push([cut(name, left), typeof value === 'string' ? cut(value, left) : value])
    left -= name.length + String(value).length + PROPERTY
  }
  if (left >= 0 && kept.length === all.length) return { inputs, partial: undefined }
  const more = all.length - kept.length
  return { inputs: Object.fromEntries(more > 0 ? [...kept, ['…', `${more} more`]] : kept), partial: true }
}
