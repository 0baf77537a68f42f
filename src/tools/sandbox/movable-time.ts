/** A time in ms that can be moved and paused. */
interface MovableTime {
  now(): number
  advance(ms: number): void
  setPaused(paused: boolean): void
}

/** A time that follows `source`, starting at `start` if given. If `source` steps back, it stands still until that has caught up. */
export function createMovableTime(source: () => number, start: number | undefined): MovableTime {
  let latest = Number.NEGATIVE_INFINITY
  const read = () => {
    latest = Math.max(latest, source())
    return latest
  }
  let ahead = start === undefined ? 0 : start - read()
  let pausedAt: number | undefined
  const now = () => pausedAt ?? read() + ahead
  return {
    now,
    advance(ms) {
      if (pausedAt === undefined) ahead += ms
      else pausedAt += ms
    },
    setPaused(paused) {
      if (paused) pausedAt ??= now()
      else if (pausedAt !== undefined) {
        ahead = pausedAt - read()
        pausedAt = undefined
      }
    },
  }
}
