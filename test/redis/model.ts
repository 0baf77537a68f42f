import type { ScriptInput, ScriptReply } from '../../src/redis/script.js'

/** What the script keeps; `at` is undefined when Redis has no hash. */
export interface FleetState {
  at?: number | undefined
  tokens: number
  queue: number
  start: number
  pause: number
  died: number
  turn: number
  phase: number
  places: number[]
}

/** What the script does, in TypeScript: returns the reply and changes the state. `now` is the server's time in ms. */
export function runModel(state: FleetState, now: number, input: ScriptInput): ScriptReply {
  const { rate, burst, wanted, queue: mode, processes, elapsed, spent, pause: penalty, initial } = input
  const { place: own, left, patience, age } = input
  const passed = Math.max(0, Math.min(now - (state.at ?? 0), elapsed))
  const refilled = Math.min(burst, state.tokens + Math.max(0, passed - state.pause) * rate)
  let tokens = state.at === undefined ? initial - Math.max(0, spent) : refilled - spent
  tokens = Math.min(burst, Math.max(tokens, -1_000 * rate))
  let pause = Math.max(0, state.pause - passed)
  if (penalty > 0) {
    pause = Math.max(pause, penalty)
    tokens = 1
  }
  let phase = state.phase + passed
  const over = Math.floor(phase / 250)
  const turn = state.turn + over
  phase -= over * 250
  const died = state.places.slice(0, over).reduce((sum, count) => sum + count, state.died * 0.5 ** (passed / 5_000))
  const places = state.places.slice(over)
  const index = own - turn - 1
  const hasPlace = own > 0 && (places[index] ?? 0) > 0
  if (hasPlace) places[index]!--
  const waiting = places.reduce((sum, count) => sum + count, 0)

  const areDying = died >= Math.max(2, waiting)
  const first = pause + Math.max(0, 1 - tokens) / rate
  let queue = Math.max(0, state.queue - passed)
  let start = Math.max(0, state.start - passed)
  queue = Math.min(queue, Math.max(first, start) + (waiting + (hasPlace ? 1 : 0)) / rate)
  const before = Math.max(0, queue - 1 / rate)
  if (hasPlace && (mode === 'none' || mode === 'new')) queue = before

  let [granted, wait, again, place] = [0, 0, 0, 0]
  const available = Math.floor(tokens + 1e-6)
  const plenty = 2 + 250 * rate
  const isPlenty = tokens >= plenty
  if (pause === 0 && available > 0) {
    const part = Math.floor(available / Math.max(1, (queue + start) * rate))
    if (mode === 'due') granted = Math.max(isPlenty ? 2 : 1, part)
    else if (mode === 'none') granted = available
    else if (mode === 'wait' && (isPlenty || left <= 0 || before === 0)) granted = Math.max(1, part)
    else if (
      mode === 'new' &&
      ((waiting === 0 && (start === 0 || isPlenty)) || (areDying && isPlenty && tokens > burst * 0.75))
    )
      granted = Math.max(1, Math.floor(burst / processes))
  }
  granted = Math.min(granted, wanted, Math.max(0, available))
  tokens -= granted
  if (granted < wanted) {
    wait = pause + Math.max(0, 1 - tokens) / rate
    const hasPart = (mode === 'new' && tokens >= 1) || (mode === 'due' && own === 0 && tokens >= plenty)
    if (hasPart && granted > 0) {
      wait = Math.max(wait, 500, Math.min(start, 5_000))
      start = wait + 1 / rate
      again = wait
    } else if (mode !== 'none') {
      if (mode === 'wait' && hasPlace && granted === 0) {
        wait = Math.max(wait, Math.min(left, before), 1)
        queue = Math.max(queue, wait + 1 / rate)
      } else if (mode === 'due' && hasPlace && granted === 0 && queue > wait + 5 / rate) {
        wait += 5 / rate
      } else {
        wait = Math.max(wait, queue, start) || 1 / rate
        if (wait <= patience) queue = wait + 1 / rate
      }
      again = wait
      if (wait <= patience) {
        const lived = Math.max(500, Math.min(areDying ? 500 : 5_000, age))
        again = Math.min(wait, Math.max(lived, Math.min(30_000, waiting * (areDying ? 10 : 30))))
        const last = Math.floor((phase + again + 1_000) / 250)
        while (places.length <= last) places.push(0)
        places[last]!++
        place = turn + last + 1
      }
    }
  }
  Object.assign(state, { at: now, tokens, queue, pause })
  if (mode !== 'none' || places.length > 0) Object.assign(state, { start, died, turn, phase, places })
  const rest = Math.max(0, Math.floor(tokens + 1e-6))
  return { granted, wait: Math.ceil(wait), tokens: rest, again: Math.ceil(again), place }
}

export const emptyState = (): FleetState => ({
  tokens: 0,
  queue: 0,
  start: 0,
  pause: 0,
  died: 0,
  turn: 0,
  phase: 0,
  places: [],
})
