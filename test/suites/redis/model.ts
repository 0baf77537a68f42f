import { LONGEST, NO_TURN, type ScriptInput, type ScriptReply, TUNING } from '../../../src/tools/redis/script.js'

/** The fields of the hash that the script keeps; empty for a workspace that Redis does not know. */
export type ScriptState = Partial<Record<(typeof FIELDS)[number], number>>
export const FIELDS = ['at', 'tokens', 'interval', 'pause', 'lineAt', 'last', 'slowest', 'slowestFor'] as const

/** What the script does, in TypeScript: returns the reply and changes the state. `now` is the server's time in ms. */
export function runModel(state: ScriptState, now: number, input: ScriptInput): ScriptReply {
  const { interval, full, part, wanted, left, patience, used, elapsed, pausing, initial } = input
  const since = (at: number | undefined) => (at === undefined ? 0 : Math.max(0, Math.min(now - at, elapsed)))
  const passed = since(state.at)
  const before = (state.tokens ?? 0) * (state.interval ?? interval) + Math.max(0, passed - (state.pause ?? 0))
  let saved = state.at === undefined ? initial : Math.min(full, before)
  saved = Math.min(full, Math.max(-TUNING.longestDebt, saved - used * interval))
  const pause = Math.max(0, (state.pause ?? 0) - passed, pausing)
  if (pausing > 0) saved = interval

  const moved = since(state.lineAt)
  let last = (state.last ?? -LONGEST) - moved
  let slowestFor = (state.slowestFor ?? 0) - moved
  const slowest = Math.max(interval, slowestFor > 0 ? state.slowest! : 0)
  const atOnce = Math.max(1, Math.floor(slowest / interval + 1e-6))

  const hasTurn = left > NO_TURN
  const isDue = hasTurn && left <= 0
  const othersWait = last > (hasTurn ? 0 : -TUNING.late)
  let spare = saved - (othersWait ? slowest + TUNING.late : 0)
  const most = () => {
    if (!othersWait) return hasTurn ? wanted : part
    const inLine = 1 + Math.max(0, last) / slowest
    if (isDue) return atOnce + Math.min(part, Math.max(0, Math.floor(spare / interval / inLine)))
    if (hasTurn) return spare > TUNING.earlyAbove * interval ? 1 : 0
    return spare > full * TUNING.newcomerAbove ? part : 0
  }
  const granted = pause > 0 ? 0 : Math.max(0, Math.floor(Math.min(wanted, most(), saved / interval) + 1e-6))
  saved -= granted * interval
  spare -= granted * interval

  let wait = 0
  if (granted < wanted) {
    const earliest = pause + Math.max(0, interval - saved)
    if (left > pause) {
      wait = left
    } else if (isDue && granted === 0 && pause === 0) {
      wait = Math.max(1, earliest)
      last = Math.max(0, last) + wait
    } else {
      wait = Math.max(1, earliest, last + Math.min(wanted - granted, atOnce) * interval)
      if (spare >= interval) wait = Math.max(wait, TUNING.burstWindow)
      if (wait <= patience) last = wait
    }
    if (interval >= slowest && wait <= patience) slowestFor = wait + TUNING.late
  }
  const look = spare > TUNING.earlyAbove * interval ? TUNING.lookSoon : TUNING.look
  const again = Math.min(wait, look * Math.max(1, last / slowest / TUNING.lookers))
  const line = { lineAt: now, last: Math.max(-LONGEST, last), slowest, slowestFor: Math.max(0, slowestFor) }
  Object.assign(state, { at: now, tokens: saved / interval, interval, pause, ...line })
  const tokens = Math.max(0, Math.floor(saved / interval + 1e-6))
  return { granted, wait: Math.ceil(wait), tokens, again: Math.ceil(again) }
}
