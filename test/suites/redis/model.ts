import { ROUNDING } from '../../../src/internal/limits/token-bucket.js'
import { ALLOWED_DELAY, type ScriptInput, type ScriptReply } from '../../../src/tools/redis/protocol.js'
import { type ScriptState, TUNING } from '../../../src/tools/redis/script.js'

/** What the script does, in TypeScript, part by part: returns the reply and changes the state. `now` is the server's time in ms. */
export function runModel(state: ScriptState, now: number, input: ScriptInput): ScriptReply {
  const { mode, rate, burst, wanted } = input
  const interval = 1 / rate
  const passed = Math.max(0, Math.min(now - (state.at ?? 0), input.elapsed))

  // BUCKET
  const refilled = Math.min(burst, state.tokens + Math.max(0, passed - state.pause) * rate)
  let tokens = state.at === undefined ? input.initial - Math.max(0, input.spent) : refilled - input.spent
  tokens = Math.min(burst, Math.max(tokens, -TUNING.longestDebt * rate))
  let pause = Math.max(0, state.pause - passed)
  if (input.pause > 0) {
    pause = Math.max(pause, input.pause)
    tokens = 1
  }

  // PLACES
  const newlyOver = Math.floor((state.phase + passed) / TUNING.period)
  const periodsOver = state.turn + newlyOver
  const phase = state.phase + passed - newlyOver * TUNING.period
  const deaths = sum(state.places.slice(0, newlyOver), state.died * 0.5 ** (passed / TUNING.deathsHalfLife))
  const places = state.places.slice(newlyOver)
  const ownPeriod = input.place - periodsOver - 1
  const hasPlace = input.place > 0 && (places[ownPeriod] ?? 0) > 0
  if (hasPlace) places[ownPeriod]!--
  const waiting = sum(places)
  const areDying = deaths >= Math.max(TUNING.leastDeaths, waiting)

  // QUEUE
  let burstReservedFor = Math.max(0, state.start - passed)
  const firstIn = Math.max(pause + Math.max(0, 1 - tokens) / rate, burstReservedFor)
  let reservedFor = Math.min(Math.max(0, state.queue - passed), firstIn + (waiting + (hasPlace ? 1 : 0)) / rate)
  const lastReserved = Math.max(0, reservedFor - interval)
  if (hasPlace && (mode === 'none' || mode === 'new')) reservedFor = lastReserved

  // GRANT
  const available = Math.floor(tokens + ROUNDING)
  const plenty = 2 + ALLOWED_DELAY * rate
  const isPlenty = tokens >= plenty
  const equalPart = Math.floor(available / Math.max(1, (reservedFor + burstReservedFor) * rate))
  const grant = {
    none: () => available,
    due: () => Math.max(isPlenty ? 2 : 1, equalPart),
    wait: () => (input.left <= 0 || lastReserved === 0 || isPlenty ? Math.max(1, equalPart) : 0),
    new: () => {
      const isFree = waiting === 0 && (burstReservedFor === 0 || isPlenty)
      const wouldBeLost = areDying && isPlenty && tokens > burst * TUNING.nearlyFull
      return isFree || wouldBeLost ? Math.max(1, Math.floor(burst / input.processes)) : 0
    },
  }
  const granted = pause === 0 && available > 0 ? Math.min(grant[mode](), wanted, available) : 0
  tokens -= granted

  // RESERVE
  const setback = TUNING.setbackIntervals / rate
  const comeForMore = (earliest: number) => {
    const wait = Math.max(earliest, TUNING.burstWindow, Math.min(burstReservedFor, TUNING.longestBurstWait))
    burstReservedFor = wait + interval
    return wait
  }
  const keepTime = (earliest: number) => {
    const wait = Math.max(earliest, Math.min(input.left, lastReserved), 1)
    reservedFor = Math.max(reservedFor, wait + interval)
    return wait
  }
  const reserve = (earliest: number) => {
    const wait = Math.max(earliest, reservedFor, burstReservedFor) || interval
    if (wait <= input.patience) reservedFor = wait + interval
    return wait
  }
  const timeInQueue = (earliest: number) => {
    const gotNothing = hasPlace && granted === 0
    if (mode === 'wait' && gotNothing) return keepTime(earliest)
    if (mode === 'due' && gotNothing && reservedFor > earliest + setback) return earliest + setback
    return reserve(earliest)
  }
  const silence = () => {
    const usual = areDying ? TUNING.shortestSilence : TUNING.usualSilence
    const each = areDying ? TUNING.silenceEachDying : TUNING.silenceEach
    const byAge = Math.max(TUNING.shortestSilence, Math.min(usual, input.age))
    return Math.max(byAge, Math.min(TUNING.longestSilence, waiting * each))
  }
  const takePlace = (again: number) => {
    const period = Math.floor((phase + again + TUNING.grace) / TUNING.period)
    while (places.length <= period) places.push(0)
    places[period]!++
    return periodsOver + period + 1
  }
  let [wait, again, place] = [0, 0, 0]
  if (granted < wanted) {
    wait = pause + Math.max(0, 1 - tokens) / rate
    const isMoreOfBurst = (mode === 'new' && tokens >= 1) || (mode === 'due' && input.place === 0 && tokens >= plenty)
    if (granted > 0 && isMoreOfBurst) {
      wait = comeForMore(wait)
      again = wait
    } else if (mode !== 'none') {
      wait = timeInQueue(wait)
      again = wait
      if (wait <= input.patience) {
        again = Math.min(wait, silence())
        place = takePlace(again)
      }
    }
  }

  // REPLY
  Object.assign(state, { at: now, tokens, queue: reservedFor, pause })
  if (mode !== 'none' || places.length > 0)
    Object.assign(state, { start: burstReservedFor, died: deaths, turn: periodsOver, phase, places })
  const rest = Math.max(0, Math.floor(tokens + ROUNDING))
  return { granted, wait: Math.ceil(wait), tokens: rest, again: Math.ceil(again), place }
}

const sum = (counts: number[], from = 0): number => counts.reduce((all, count) => all + count, from)

export const emptyState = (): ScriptState => ({
  tokens: 0,
  queue: 0,
  start: 0,
  pause: 0,
  died: 0,
  turn: 0,
  phase: 0,
  places: [],
})
