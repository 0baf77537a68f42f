import type { World } from '../world/types.js'
import type { StoredRun } from './run.js'

/** The runs as plain data. */
export interface StoredRuns {
  count: number
  runs: (Omit<StoredRun, 'script'> & { playbook_id: string })[]
}

/** The runs for a snapshot. `count` is how many the sandbox has started. */
export const storedRuns = (runs: readonly StoredRun[], count: number): StoredRuns => ({
  count,
  runs: runs.map(({ script, ...run }) => structuredClone({ ...run, playbook_id: script.playbook.id })),
})

/** A run of a snapshot. @throws TypeError when the world has no such playbook, or none with as many steps */
export function readRun({ playbook_id, ...run }: StoredRuns['runs'][number], world: World): StoredRun {
  const { playbooks = {} } = world[run.workspace] ?? {}
  const script = Object.values(playbooks).find(({ playbook }) => playbook.id === playbook_id)
  if (!script)
    throw new TypeError(`The snapshot has a run of the playbook "${playbook_id}", which the world does not have.`)
  if (!(run.startedSteps <= script.steps.length))
    throw new TypeError(`The snapshot has a run with ${run.startedSteps} steps, more than its playbook has.`)
  return { ...structuredClone(run), script }
}
