import { createLocalShare } from './local-share.js'
import { createQueue, type WaitOptions } from './queue.js'
import { createScriptClient, type LimiterSettings, type Time } from './script-client.js'
import { createTurns } from './turns.js'

/** The longest pause, in ms. */
const LONGEST_PAUSE = 86_400_000

/** Hands out the tokens that the fleet's bucket in Redis grants, or those of a local share while Redis cannot be reached. */
export function createLimiter(settings: LimiterSettings, time: Time) {
  const { now, after } = time
  const script = createScriptClient(settings, time)
  const turns = createTurns(script, time)
  const queue = createQueue((tokens) => {
    script.account(-tokens)
    if (queue.wanted() === 0) rest()
  })
  let local: ReturnType<typeof createLocalShare> | undefined
  let asking = false
  let pausedUntil = -Infinity
  let cancel = () => {}

  const wakeAfter = (ms: number) => {
    cancel()
    cancel = after(ms, serve)
  }
  function rest() {
    cancel()
    turns.reset()
  }
  function serve() {
    if (local) return local.serve()
    if (asking) return
    const wanted = queue.wanted()
    if (wanted > 0 && turns.wait() > 0) wakeAfter(turns.wait())
    else if (wanted > 0 || script.owed() < 0) void ask()
  }
  async function ask() {
    asking = true
    try {
      const request = turns.next(queue.wanted())
      const reply = await script.run({ ...request, pause: 0 })
      turns.receive(request.due, reply)
      script.account(-queue.grant(reply.granted))
      if (queue.wanted() === 0) turns.reset()
    } catch (error) {
      degrade(error)
    }
    asking = false
    serve()
  }
  function degrade(error: unknown) {
    if (local) return
    local = createLocalShare({ settings, time, script, queue, pausedUntil: () => pausedUntil, wakeAfter, onReturn })
    settings.onDegraded(true, error)
    local.serve()
  }
  function onReturn() {
    local = undefined
    cancel()
    settings.onDegraded(false)
    serve()
  }

  return {
    acquire(cost: number, options?: WaitOptions) {
      const granted = queue.wait(cost, options)
      serve()
      return granted
    },
    penalize(wait: number) {
      if (!(wait > 0)) return
      const pause = Math.min(Math.ceil(wait), LONGEST_PAUSE)
      pausedUntil = Math.max(pausedUntil, now() + pause)
      if (local) local.drain()
      else script.run({ wanted: 0, due: '', pause }).catch(degrade)
    },
  }
}
