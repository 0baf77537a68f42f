import type { Run } from '../../../generated/types.js'
import { onAbort } from '../../internal/time/abort.js'
import { ClientJudge } from '../client-rules/judge.js'
import type { SeenExchange } from '../client-rules/report.js'
import { createExercise } from './clients/exercise.js'
import { mergedClients, seenClients } from './clients/index.js'
import { createClock } from './clock.js'
import type { Engine, EngineParts } from './engine.js'
import { createEvents, type SandboxEvent, watchRuns } from './events.js'
import { DroppedConnectionError } from './faults/apply.js'
import { createFaults } from './faults/store.js'
import { createSandboxLimits } from './limits.js'
import { createRequestLog } from './log/index.js'
import { createRespond } from './pipeline.js'
import { createRunStore } from './runs/store.js'
import { type SandboxOptions, sandboxSettings } from './settings.js'
import { readWorld } from './world/check.js'
import { createDefaultWorld } from './world/default.js'
import { openWorld } from './world/workspaces.js'

export function createEngine(options: SandboxOptions): Engine {
  const newEpoch = () => {
    const ended = new AbortController()
    // Kept, so that a request does not add a listener and remove it again.
    onAbort(ended.signal, () => {})
    return { id: String(Math.random()), ended }
  }
  let epoch = newEpoch()
  const parts: EngineParts = { ...createParts(options), resetSignal: () => epoch.ended.signal }
  const restart = (restore: () => void) => {
    epoch.ended.abort(new DroppedConnectionError('The sandbox was reset while this request was in progress'))
    epoch = newEpoch()
    restore()
    parts.events.emit(() => ({ type: 'reset' }))
  }
  let seenBefore = mergedClients([])
  const reset = () =>
    restart(() => {
      seenBefore = mergedClients([seenBefore, seenClients(parts)])
      resetAll(parts)
    })
  return {
    ...parts,
    respond: createRespond(parts),
    seenBefore: () => seenBefore,
    epoch: () => epoch.id,
    restart,
    reset,
    end() {
      reset()
      parts.events.end()
    },
  }
}

function createParts(options: SandboxOptions): Omit<EngineParts, 'resetSignal'> {
  const settings = sandboxSettings(options)
  const { plan, progress, maxRequests, seed, chaos } = settings
  const world = settings.world === undefined ? createDefaultWorld() : readWorld(settings.world)
  const { workspaces, keys } = openWorld(world, plan)
  const clock = createClock(settings)
  const clients = new ClientJudge<SeenExchange>()
  const runs = createRunStore(world, settings, clock)
  const faults = createFaults(seed, chaos, new Set([...keys.values()].map(({ name }) => name)))
  const allRuns = () => workspaces.flatMap(({ name }) => runs.list(name).map(({ run }) => ({ workspace: name, run })))
  const runEvent = (moved: { workspace: string; run: Run }) => (): SandboxEvent => ({
    type: 'run',
    ...moved,
    ...runs.view(moved.run.id),
  })
  const events = createEvents((emit) =>
    progress === 'poll' ? () => {} : watchRuns(allRuns, (moved) => emit(runEvent(moved))),
  )
  clock.onChange(() => {
    if (clock.isPaused()) clients.forget()
    events.emit(() => ({ type: 'clock', paused: clock.isPaused() }))
  })
  faults.onChange(() => events.emit(() => ({ type: 'faults', ...faults.brief(MAX_BRIEF_FAULTS) })))
  return {
    // `world` replaces the world as it was given, which would take its memory twice.
    settings: { ...settings, world },
    world,
    workspaces,
    keys,
    clock,
    runs,
    limits: createSandboxLimits(clock.now),
    faults,
    log: createRequestLog(maxRequests, [...keys.keys()]),
    clients,
    exercise: createExercise(seed),
    events,
    decide(runId, approved) {
      const decided = runs.decide(runId, approved)
      events.emit(runEvent(decided))
      return decided.run
    },
  }
}

/** How many faults an event lists. */
const MAX_BRIEF_FAULTS = 20

function resetAll({ clock, runs, faults, log, limits, clients, exercise }: EngineParts): void {
  for (const part of [clock, runs, faults, log, clients, exercise]) part.reset()
  limits.restore([])
}
