import type { ScriptInput, ScriptReply } from '../../src/redis/script.js'

/** What the script keeps. */
export interface FleetState {
  at: number
  tokens: number
  queue: number
  pause: number
}

/** What the script does, in TypeScript: returns the reply and changes the state. `now` is the server's time in ms. */
export function runModel(
  state: FleetState,
  now: number,
  { rate, burst, processes, elapsed, wanted, due, spent, pause: penalty }: ScriptInput,
): ScriptReply {
  const passed = Math.max(0, Math.min(now - state.at, elapsed))
  let tokens = state.tokens + Math.max(0, passed - state.pause) * rate
  let queue = Math.max(0, state.queue - passed)
  let pause = Math.max(0, state.pause - passed)
  tokens = Math.min(burst, Math.max(Math.min(burst, tokens) - spent, -1_000 * rate))
  if (penalty > 0) {
    pause = Math.max(pause, penalty)
    tokens = 1
  }
  let granted = 0
  let wait = 0
  let round = 0
  const open = queue === 0 || tokens >= Math.max(2, 1 + 250 * rate)
  if (pause === 0 && tokens >= 0.999999 && (due === 'reserved' || open)) {
    const part = Math.max(1, Math.floor(burst / processes))
    const most = due === 'burst' ? Math.max(part, Math.floor((tokens * part) / Math.max(part, burst - tokens))) : part
    granted = Math.min(wanted, tokens >= processes ? Math.min(most, Math.floor(tokens)) : 1)
    tokens -= granted
    if (granted < wanted && tokens >= 1 && open) wait = 500 * Math.min(1, granted / part)
  }
  if (granted === 0 && wanted > 0 && due === 'reserved' && burst < 2 && tokens > 0.5) {
    wait = pause + (1 - tokens) / rate
    round = Math.max(queue, wait)
  } else if (granted < wanted && wait === 0) {
    wait = Math.max(queue, pause + (1 - tokens) / rate)
    queue = wait + 1 / rate
    round = queue
  }
  Object.assign(state, { at: now, tokens, queue, pause })
  return { granted, wait: Math.ceil(wait), round: Math.ceil(round) }
}

export const emptyState = (): FleetState => ({ at: 0, tokens: 0, queue: 0, pause: 0 })
