import type { ScriptInput, ScriptReply } from '../../src/redis/script.js'

/** What the script keeps; undefined when Redis has no hash. */
export interface FleetState {
  at?: number | undefined
  tokens: number
  queue: number
  pause: number
}

/** What the script does, in TypeScript: returns the reply and changes the state. `now` is the server's time in ms. */
export function runModel(state: FleetState, now: number, input: ScriptInput): ScriptReply {
  const { rate, burst, wanted, queue: place, processes, elapsed, spent, pause: penalty, initial } = input
  const passed = Math.max(0, Math.min(now - (state.at ?? 0), elapsed))
  const refilled = Math.min(burst, state.tokens + Math.max(0, passed - state.pause) * rate)
  let tokens = state.at === undefined ? initial - Math.max(0, spent) : refilled - spent
  tokens = Math.min(burst, Math.max(tokens, -1_000 * rate))
  let queue = Math.max(0, state.queue - passed)
  let pause = Math.max(0, state.pause - passed)
  if (penalty > 0) {
    pause = Math.max(pause, penalty)
    tokens = 1
  }
  let granted = 0
  let wait = 0
  const available = Math.floor(tokens + 1e-6)
  if (pause === 0 && available > 0) {
    const isPlenty = tokens >= 2 + 250 * rate
    if (place === 'due') granted = Math.max(isPlenty ? 2 : 1, Math.floor(available / Math.max(1, queue * rate)))
    else if (place === 'none') granted = available
    else if (queue === 0 || isPlenty) granted = Math.max(1, Math.floor(burst / processes))
  }
  granted = Math.min(granted, wanted, Math.max(0, available))
  tokens -= granted
  if (granted < wanted) {
    wait = pause + Math.max(0, 1 - tokens) / rate
    if (place !== 'none') {
      if (place === 'new' && granted > 0 && tokens >= 1) wait = 500
      wait = Math.max(wait, queue)
      queue = wait + 1 / rate
    }
  }
  Object.assign(state, { at: now, tokens, queue, pause })
  return { granted, wait: Math.ceil(wait), tokens: Math.max(0, Math.floor(state.tokens + 1e-6)) }
}

export const emptyState = (): FleetState => ({ tokens: 0, queue: 0, pause: 0 })
