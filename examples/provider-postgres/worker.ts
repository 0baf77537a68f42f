/** Advances runs, in as many processes as you like: each run is locked by the one that advances it. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { isConnectionError } from './database.js'

export interface WorkerOptions {
  /**
   * The action of a step; default none. It takes less than the idle-in-transaction timeout of migrations/0002, and is safe to
   * repeat: a process, or the database, may die between the action and the commit.
   */
  act?: (run: DueRun) => Promise<void>
  /** How long the action of a step takes here, in ms; default 500. */
  stepTime?: number
  /** How long to wait when no run is due, in ms; default 100. */
  idle?: number
  onError?: (error: unknown) => void
}

/** How long to wait after an error, in ms: the database may be gone for a while. */
const AFTER_ERROR = 500

/** How often a step is tried; then its run has failed. */
const ATTEMPTS = 5

/** How long after its first failure a step is tried again, in ms; each time twice as long. */
const FIRST_PAUSE = 1_000

/** Starts a worker. `stop` resolves when it has finished what it had begun. */
export function startWorker(pool: Pool, options: WorkerOptions = {}) {
  const { act = async () => {}, stepTime = 500, idle = 100, onError = console.error } = options
  const stopped = new AbortController()
  const work = async () => {
    while (!stopped.signal.aborted) {
      const wait = await advanceOne(pool, act, stepTime).then(
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
async function advanceOne(pool: Pool, act: Act, stepTime: number): Promise<boolean> {
  const client = await pool.connect()
  let run: DueRun | undefined
  try {
    await client.query('begin')
    const { rows } = await client.query<DueRun>(
      `select id, actions from runs where due_at <= now() order by due_at limit 1 for update skip locked`,
    )
    run = rows[0]
    if (run) {
      await perform(act, run)
      await advance(client, run, stepTime)
    }
    await client.query('commit')
    client.release()
    return run !== undefined
  } catch (error) {
    // To close the connection rolls back, also when it does not respond any more.
    client.release(true)
    // The database being gone is no fault of the run.
    if (run && (error instanceof ActionError || !isConnectionError(error))) await postpone(pool, run)
    throw error
  }
}

type Act = NonNullable<WorkerOptions['act']>

class ActionError extends Error {}

async function perform(act: Act, run: DueRun): Promise<void> {
  try {
    await act(run)
  } catch (cause) {
    throw new ActionError(`The action of ${run.id} failed.`, { cause })
  }
}

export interface DueRun {
  id: string
  actions: (string | null)[]
}

/** Lets the other runs go first; after the last attempt, the run and its step have failed. */
async function postpone(pool: Pool, { id }: DueRun): Promise<void> {
  await pool.query(
    `with failing as (
       update runs set attempts = attempts + 1,
         due_at = case when attempts + 1 < $2 then now() + $3 * 2 ^ attempts * interval '1 ms' end,
         status = case when attempts + 1 < $2 then status else 'failed' end
       where id = $1 returning status
     )
     update steps set status = 'failed' from failing
     where run_id = $1 and steps.status <> 'succeeded' and failing.status = 'failed'`,
    [id, ATTEMPTS, FIRST_PAUSE],
  )
}

async function advance(client: PoolClient, { id, actions }: DueRun, stepTime: number): Promise<void> {
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
  await client.query(`update runs set due_at = now() + $2 * interval '1 ms', attempts = 0 where id = $1`, [
    id,
    capability === null ? null : stepTime,
  ])
}
