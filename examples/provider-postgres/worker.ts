/** Advances runs, in as many processes as you like: each run is locked by the one that advances it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'

export interface WorkerOptions {
  /** How long the action of a step takes here, in ms; default 500. */
  stepTime?: number
  /** How long to wait when no run is due, in ms; default 100. */
  idle?: number
  onError?: (error: unknown) => void
}

/** How long to wait after an error, in ms: the database may be gone for a while. */
const AFTER_ERROR = 500

/** Starts a worker. `stop` resolves when it has finished what it had begun. */
export function startWorker(pool: Pool, options: WorkerOptions = {}) {
  const { stepTime = 500, idle = 100, onError = console.error } = options
  const stopped = new AbortController()
  const work = async () => {
    while (!stopped.signal.aborted) {
      const wait = await advanceOne(pool, stepTime).then(
        (advanced) => (advanced ? 0 : idle),
        (error) => {
          onError(error)
          return AFTER_ERROR
        },
      )
      if (wait > 0) await sleep(wait, undefined, { signal: stopped.signal }).catch(() => {})
    }
  }
  const done = work()
  return {
    async stop() {
      stopped.abort()
      await done
    },
  }
}

/** Ends the current step of a run that is due, and begins the next. False when none is due. */
async function advanceOne(pool: Pool, stepTime: number): Promise<boolean> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const { rows } = await client.query<DueRun>(
      `select id, actions from runs where due_at <= now() order by due_at limit 1 for update skip locked`,
    )
    const [run] = rows
    if (run) await advance(client, run, stepTime)
    await client.query('commit')
    client.release()
    return run !== undefined
  } catch (error) {
    // To close the connection rolls back, also when it does not respond any more.
    client.release(true)
    throw error
  }
}

interface DueRun {
  id: string
  actions: (string | null)[]
}

async function advance(client: PoolClient, { id, actions }: DueRun, stepTime: number): Promise<void> {
  // Your actions happen here, in less than the idle-in-transaction timeout of migrations/0002. Make them safe to repeat: a
  // process, or the database, may die between the action and the commit.
  const ended = await client.query(`update steps set status = 'succeeded' where run_id = $1 returning position`, [id])
  const next = ended.rowCount ?? 0
  if (next >= actions.length) {
    await client.query(`update runs set status = 'succeeded', due_at = null where id = $1`, [id])
    return
  }
  const capability = actions[next] ?? null
  const status = capability === null ? 'waiting_approval' : 'running'
  await client.query('insert into steps (run_id, position, status, capability) values ($1, $2, $3, $4)', [
    id,
    next + 1,
    status,
    capability,
  ])
  // Null waits until it is approved.
  await client.query(`update runs set due_at = now() + $2 * interval '1 ms' where id = $1`, [
    id,
    capability === null ? null : stepTime,
  ])
}
