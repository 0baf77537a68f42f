/** Connections to PostgreSQL, directly or through PgBouncer, that may be lost at any time. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** How long a connection may take, in ms. */
const CONNECT_TIMEOUT = 2_000

/** How long a statement may take, in ms. The server ends it a little earlier, unless it is frozen: migrations/0002. */
const STATEMENT_TIMEOUT = 4_500

/** How long after its first failure a statement is still repeated, in ms: a restart of PostgreSQL. */
const PATIENCE = 3_000

const PAUSE = 100

export interface DatabaseOptions {
  /** How many connections there are at most; default 10. */
  max?: number
  /** How long a connection and a statement may take, in ms. */
  timeout?: number
}

export function createPool(connectionString: string | undefined, { max, timeout }: DatabaseOptions = {}): pg.Pool {
  const pool = new pg.Pool({
    connectionString,
    max,
    connectionTimeoutMillis: timeout ?? CONNECT_TIMEOUT,
    query_timeout: timeout ?? STATEMENT_TIMEOUT,
    keepAlive: true,
  })
  // A connection that is lost while no statement waits for it emits an error, which would end the process without a listener:
  // the client's own between two statements of a transaction, that of the pool while it is idle.
  pool.on('connect', (client) => client.on('error', (error) => console.error('PostgreSQL:', error.message)))
  pool.on('error', () => {})
  return pool
}

/** Repeats what is safe to repeat, until the database is there again. */
export async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + PATIENCE
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isConnectionError(error) || performance.now() > end) throw error
      await sleep(PAUSE)
    }
  }
}

/** SQLSTATE classes: 08 connection exception, 57P the server stops or starts. */
const CONNECTION_LOST = /^(08|57P)/

/** What is no error that the server reports of a statement is one of its connection. */
export const isConnectionError = (error: unknown): boolean =>
  !(error instanceof pg.DatabaseError) || CONNECTION_LOST.test(error.code ?? '')
