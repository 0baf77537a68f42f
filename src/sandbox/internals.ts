import type { Run } from '../../generated/types.js'
import { createLimits } from '../service/limit.js'
import { Budget } from './budget.js'
import { readWorld } from './check-world.js'
import { createClock, type SandboxClock } from './clock.js'
import { createDefaultWorld } from './default-world.js'
import { createEvents, type SandboxEvents, watchRuns } from './events.js'
import { createFaults, DroppedConnectionError } from './faults.js'
import { createHandler, type SandboxExchange } from './handler.js'
import { createRequestLog, type RawRecord } from './log.js'
import { createHandlers } from './resources.js'
import { createRunStore } from './runs.js'
import { type SandboxOptions, settingsOf } from './settings.js'
import { openWorld } from './workspaces.js'

/** The parts of a sandbox. */
export type Internals = ReturnType<typeof createInternals>

/** Creates the parts of a sandbox; its bytes also count in the budget of its server. */
export function createInternals(options: SandboxOptions, total?: Budget) {
  const settings = settingsOf(options)
  const { plan, progress, maxRequests, maxBytes } = settings
  const world = settings.world === undefined ? createDefaultWorld() : readWorld(settings.world)
  const { workspaces, keys } = openWorld(world, plan)
  const clock: SandboxClock = createClock(progress, settings.clock, () =>
    events.emit(() => ({ type: 'clock', paused: clock.isPaused() })),
  )
  const budget = new Budget(maxBytes, total)
  const half = () => new Budget(maxBytes / 2, budget)
  const runs = createRunStore(world, settings, clock, half())
  const log = createRequestLog(maxRequests, half(), [...keys.keys()])
  const limits = createLimits(clock.limits)
  const faults = createFaults()
  const allRuns = () => workspaces.flatMap(({ name }) => runs.list(name).map(({ run }) => ({ workspace: name, run })))
  const events: SandboxEvents = createEvents(() => {
    if (progress === 'poll') return () => {}
    return watchRuns(allRuns, (moved) => events.emit(() => ({ type: 'run', ...moved, ...runs.brief(moved.run.id) })))
  })
  const emitFaults = () => events.emit(() => ({ type: 'faults', faults: faults.list() }))
  faults.listeners.add(emitFaults)
  const epoch = createEpoch()
  const { handle } = createHandler({
    keys,
    limits,
    faults,
    epoch: epoch.signal,
    sleep: clock.sleep,
    operations: { ...createHandlers(runs), ...settings.handlers },
    record: createRecorder({ log, limits, runs, events, emitFaults }),
  })
  const reset = () => {
    for (const part of [epoch, clock, runs, faults, log, limits]) part.reset()
    events.emit(() => ({ type: 'reset' }))
  }
  return {
    ...{ settings, world, workspaces, keys, budget, runs, log, limits, faults, clock, events, handle, reset },
    epochId: epoch.id,
    /** Aborts open requests and ends every subscription. */
    end() {
      reset()
      events.end()
    },
  }
}

/** Everything from one start or reset to the next; a reset replaces it. */
function createEpoch() {
  const start = () => ({ controller: new AbortController(), id: String(Math.random()) })
  let { controller, id } = start()
  return {
    signal: () => controller.signal,
    id: () => id,
    reset(): void {
      controller.abort(new DroppedConnectionError('The sandbox was reset while this request was under way.'))
      ;({ controller, id } = start())
    },
  }
}

interface Recorded extends Pick<Internals, 'log' | 'limits' | 'runs' | 'events'> {
  emitFaults(): void
}

/** Logs a request, and emits the events of its changes. */
const createRecorder =
  ({ log, limits, runs, events, emitFaults }: Recorded) =>
  (raw: RawRecord, { context, response, state }: SandboxExchange): void => {
    const number = log.add(raw)
    if (!events.observed()) return
    events.emit(() => ({ type: 'request', request: log.brief(number - 1) }))
    if (state.fault) emitFaults()
    if (!context) return
    const { name, limit } = context
    events.emit(() => {
      const tokens = limit.plan === false ? undefined : limits.tokens(limit)
      return tokens === undefined ? undefined : { type: 'limit', workspace: name, tokens }
    })
    const run = response?.body as Partial<Run> | undefined
    if (run?.playbook_id !== undefined && run.steps)
      events.emit(() => ({ type: 'run', workspace: name, run: run as Run, ...runs.brief(run.id ?? '') }))
  }
