/** A clock that jumps to the next sleeper when nothing else happens, so that a minute takes no time and order is kept. */
export function virtualTime(start = Date.parse('2026-11-22T10:00:00Z')) {
  let now = start
  let pumping = false
  const sleepers: { at: number; wake: () => void }[] = []
  const pump = () => {
    const next = sleepers.shift()
    if (!next) {
      pumping = false
      return
    }
    now = Math.max(now, next.at)
    next.wake()
    setImmediate(() => setImmediate(pump))
  }
  const sleep = (ms: number) =>
    new Promise<void>((wake) => {
      const at = now + ms
      const index = sleepers.findIndex((each) => each.at > at)
      sleepers.splice(index === -1 ? sleepers.length : index, 0, { at, wake })
      if (pumping) return
      pumping = true
      setImmediate(() => setImmediate(pump))
    })
  return { now: () => now, date: () => now, sleep }
}
