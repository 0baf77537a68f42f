import { createExercise } from './clients/exercise.js'
import { ClientJudge } from './clients/judge.js'
import { createClock, type SandboxClock } from './clock.js'
import type { Engine } from './engine.js'
import { createEvents, type SandboxEvents, watchRuns } from './events.js'
import { DroppedConnectionError } from './faults/effects.js'
import { createFaults } from './faults/store.js'
import { createSandboxLimits } from './limits.js'
import { createRequestLog } from './log.js'
import { createRunStore } from './runs/store.js'
import { createServe } from './serve.js'
import { type SandboxOptions, settingsOf } from './settings.js'
import { readWorld } from './world/check.js'
import { createDefaultWorld } from './world/default.js'
import { openWorld } from './world/workspaces.js'

export function createEngine(options: SandboxOptions): Engine {
  const settings = settingsOf(options)
  const { plan, progress, maxRequests, seed, chaos } = settings
  const world = settings.world === undefined ? createDefaultWorld() : readWorld(settings.world)
  const { workspaces, keys } = openWorld(world, plan)
  const clock: SandboxClock = createClock(settings, () =>
    events.emit(() => ({ type: 'clock', paused: clock.isPaused() })),
  )
  const runs = createRunStore(world, settings, clock)
  const log = createRequestLog(maxRequests, [...keys.keys()])
  const limits = createSandboxLimits(clock.limitTime)
  const faults = createFaults(seed, chaos, new Set([...keys.values()].map(({ name }) => name)))
  const events: SandboxEvents = createEvents(() => {
    if (progress === 'poll') return () => {}
    const all = () => workspaces.flatMap(({ name }) => runs.list(name).map(({ run }) => ({ workspace: name, run })))
    return watchRuns(all, (moved) => events.emit(() => ({ type: 'run', ...moved, ...runs.view(moved.run.id) })))
  })
  faults.listeners.add(() => events.emit(() => ({ type: 'faults', ...faults.brief(MAX_BRIEF_FAULTS) })))
  let epoch = new AbortController()
  let epochId = String(Math.random())
  const engine: Engine = {
    // The world as it was given would double its memory.
    settings: { ...settings, world },
    world,
    workspaces,
    keys,
    clock,
    runs,
    limits,
    faults,
    log,
    clients: new ClientJudge(),
    exercise: createExercise(seed),
    events,
    respond: (request) => serve(request, epoch.signal),
    decide(runId, approved) {
      const decided = runs.decide(runId, approved)
      events.emit(() => ({ type: 'run', ...decided, ...runs.view(runId) }))
      return decided.run
    },
    epoch: () => epochId,
    restart(restore) {
      epoch.abort(new DroppedConnectionError('The sandbox was reset while this request was in progress'))
      epoch = new AbortController()
      epochId = String(Math.random())
      restore()
      events.emit(() => ({ type: 'reset' }))
    },
    reset: () => engine.restart(() => resetAll(engine)),
    end() {
      engine.reset()
      events.end()
    },
  }
  const serve = createServe(engine)
  return engine
}

/** How many faults an event has. */
const MAX_BRIEF_FAULTS = 20

function resetAll({ clock, runs, faults, log, limits, clients, exercise }: Engine): void {
  for (const part of [clock, runs, faults, log, clients, exercise]) part.reset()
  limits.restore([])
}
