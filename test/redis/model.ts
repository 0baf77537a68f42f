import { ROUNDING } from '../../src/internal/limits/token-bucket.js'
import { ALLOWED_DELAY, type ScriptInput, type ScriptReply } from '../../src/redis/protocol.js'
import { TUNING } from '../../src/redis/script.js'

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
  const { rate, burst, wanted, mode, processes, elapsed, spent, pause: penalty, initial } = input
  const { place: held, left, patience, age } = input
  const passed = Math.max(0, Math.min(now - (state.at ?? 0), elapsed))
  const refilled = Math.min(burst, state.tokens + Math.max(0, passed - state.pause) * rate)
  let tokens = state.at === undefined ? initial - Math.max(0, spent) : refilled - spent
  tokens = Math.min(burst, Math.max(tokens, -TUNING.longestDebt * rate))
  let pause = Math.max(0, state.pause - passed)
  if (penalty > 0) {
    pause = Math.max(pause, penalty)
    tokens = 1
  }
  let phase = state.phase + passed
  const over = Math.floor(phase / TUNING.period)
  const turn = state.turn + over
  phase -= over * TUNING.period
  const died = state.places
    .slice(0, over)
    .reduce((sum, count) => sum + count, state.died * 0.5 ** (passed / TUNING.deathsHalfLife))
  const places = state.places.slice(over)
  const index = held - turn - 1
  const hasPlace = held > 0 && (places[index] ?? 0) > 0
  if (hasPlace) places[index]!--
  const waiting = places.reduce((sum, count) => sum + count, 0)

  const areDying = died >= Math.max(TUNING.leastDeaths, waiting)
  const first = pause + Math.max(0, 1 - tokens) / rate
  let queue = Math.max(0, state.queue - passed)
  let start = Math.max(0, state.start - passed)
  queue = Math.min(queue, Math.max(first, start) + (waiting + (hasPlace ? 1 : 0)) / rate)
  const before = Math.max(0, queue - 1 / rate)
  if (hasPlace && (mode === 'none' || mode === 'new')) queue = before

  let [granted, wait, again, place] = [0, 0, 0, 0]
  const available = Math.floor(tokens + ROUNDING)
  const plenty = 2 + ALLOWED_DELAY * rate
  const isPlenty = tokens >= plenty
  if (pause === 0 && available > 0) {
    const part = Math.floor(available / Math.max(1, (queue + start) * rate))
    if (mode === 'due') granted = Math.max(isPlenty ? 2 : 1, part)
    else if (mode === 'none') granted = available
    else if (mode === 'wait' && (isPlenty || left <= 0 || before === 0)) granted = Math.max(1, part)
    else if (
      mode === 'new' &&
      ((waiting === 0 && (start === 0 || isPlenty)) || (areDying && isPlenty && tokens > burst * TUNING.nearlyFull))
    )
      granted = Math.max(1, Math.floor(burst / processes))
  }
  granted = Math.min(granted, wanted, Math.max(0, available))
  tokens -= granted
  if (granted < wanted) {
    wait = pause + Math.max(0, 1 - tokens) / rate
    const hasPart = (mode === 'new' && tokens >= 1) || (mode === 'due' && held === 0 && tokens >= plenty)
    if (hasPart && granted > 0) {
      wait = Math.max(wait, TUNING.burstWindow, Math.min(start, TUNING.longestBurstWait))
      start = wait + 1 / rate
      again = wait
    } else if (mode !== 'none') {
      if (mode === 'wait' && hasPlace && granted === 0) {
        wait = Math.max(wait, Math.min(left, before), 1)
        queue = Math.max(queue, wait + 1 / rate)
      } else if (mode === 'due' && hasPlace && granted === 0 && queue > wait + TUNING.setbackIntervals / rate) {
        wait += TUNING.setbackIntervals / rate
      } else {
        wait = Math.max(wait, queue, start) || 1 / rate
        if (wait <= patience) queue = wait + 1 / rate
      }
      again = wait
      if (wait <= patience) {
        const lived = Math.max(
          TUNING.shortestSilence,
          Math.min(areDying ? TUNING.shortestSilence : TUNING.longestSilence, age),
        )
        again = Math.min(
          wait,
          Math.max(
            lived,
            Math.min(TUNING.mostSilence, waiting * (areDying ? TUNING.silenceEachDying : TUNING.silenceEach)),
          ),
        )
        const last = Math.floor((phase + again + TUNING.grace) / TUNING.period)
        while (places.length <= last) places.push(0)
        places[last]!++
        place = turn + last + 1
      }
    }
  }
  Object.assign(state, { at: now, tokens, queue, pause })
  if (mode !== 'none' || places.length > 0) Object.assign(state, { start, died, turn, phase, places })
  const rest = Math.max(0, Math.floor(tokens + ROUNDING))
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
