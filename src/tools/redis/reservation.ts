import { ALLOWED_DELAY, LONGEST_PAUSE, type ScriptInput, type ScriptReply } from './protocol.js'

/** The time that Redis reserved for this process, and its place in the queue of the fleet. */
export function createReservation(now: () => number) {
  const startedAt = now()
  let at = -Infinity
  let askAt = -Infinity
  let place = 0
  /** `wait` before the reserved time, `due` up to ALLOWED_DELAY after it, else `new`. */
  const modeAt = (sentAt: number) => {
    if (sentAt < at) return 'wait'
    return sentAt - at <= ALLOWED_DELAY ? 'due' : 'new'
  }
  return {
    hasPlace: () => place > 0,
    /** How long until the reserved time, in ms. */
    left: () => at - now(),
    /** How long until the process asks for tokens, or reports that it still waits, in ms. */
    askIn: () => askAt - now(),
    forget() {
      at = askAt = -Infinity
      place = 0
    },
    /** The arguments of the next command, which gives the place up: the reply names a new one. */
    takeRequest(wanted: number, patience: number): Partial<ScriptInput> {
      const sentAt = now()
      const current = { place, age: sentAt - startedAt }
      place = 0
      if (wanted === 0) {
        if (current.place > 0) at = askAt = -Infinity
        return current
      }
      const left = Math.max(0, at - sentAt)
      return { ...current, mode: modeAt(sentAt), left, patience: Math.min(patience, LONGEST_PAUSE) }
    },
    update(wanted: number, { wait, again, place: given }: ScriptReply) {
      place = given
      if (wanted === 0) return
      at = wait > 0 ? now() + wait : -Infinity
      askAt = wait > 0 ? now() + again : -Infinity
    },
  }
}
