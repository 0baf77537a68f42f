import { isShallow, MAX_DEPTH } from '../../internal/http/json.js'
import { OBJECT } from '../../internal/options.js'
import { isTime, type StoredTime } from './clock.js'
import type { Engine } from './engine.js'
import { checkFault } from './faults/check.js'
import type { StoredFaults } from './faults/store.js'
import type { StoredBuckets } from './limits.js'
import type { StoredRuns } from './runs/stored-runs.js'
import type { World } from './world/types.js'

/** The state of a sandbox as plain JSON. Its content is for `restore` of the same version only. */
export interface SandboxSnapshot {
  version: 1
  time: StoredTime
  runs: StoredRuns
  limits: StoredBuckets
  faults: StoredFaults
}

export const takeSnapshot = ({ clock, runs, limits, faults }: Engine): SandboxSnapshot => ({
  version: 1,
  time: clock.stored(),
  runs: runs.stored(),
  limits: limits.stored(),
  faults: faults.stored(),
})

/** @throws TypeError for anything but a snapshot of a sandbox with this world */
export function restoreSnapshot(engine: Engine, snapshot: SandboxSnapshot): void {
  if (!isSnapshot(snapshot)) throw new TypeError('restore expects a snapshot from this version of the sandbox.')
  const { time, runs, limits, faults } = snapshot
  const keyNames = new Set([...engine.keys.values()].map(({ name }) => name))
  for (const each of faults.waiting) checkFault(each?.fault, keyNames)
  const restored = engine.runs.read(runs)
  engine.restart(() => {
    engine.log.reset()
    engine.clock.restore(time)
    engine.clients.forget()
    engine.runs.restore(restored, runs.count)
    engine.limits.restore(limits)
    engine.faults.restore(faults)
  })
}

function isSnapshot(value: unknown): value is SandboxSnapshot {
  const { version, time, runs, limits, faults } = (value ?? {}) as SandboxSnapshot
  return (
    version === 1 &&
    [time, runs, faults].every((each) => OBJECT.accepts(each)) &&
    [runs.runs, limits, faults.waiting].every(Array.isArray) &&
    [time.limits, time.runs].every(isMoment) &&
    isShallow(value, MAX_DEPTH)
  )
}

const isMoment = (value: unknown): boolean => typeof value === 'number' && isTime(value)

/** The world with its runs as they are now. */
export const exportWorld = ({ world, runs }: Engine): World =>
  structuredClone(
    Object.fromEntries(
      Object.entries(world).map(([name, workspace]) => [name, { ...workspace, runs: runs.worldRuns(name) }]),
    ),
  )
