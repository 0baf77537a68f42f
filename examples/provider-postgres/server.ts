/** The process: `DATABASE_URL=… REDIS_URL=… PORT=3000 npm start`. Start as many as you like. */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { serve } from 'srvx'
import { createApp } from './app.js'
import { createStore } from './store.js'
import { startWorker } from './worker.js'

const {
  DATABASE_URL,
  REDIS_URL = 'redis://127.0.0.1:6379',
  PORT = '3000',
  HOST = '127.0.0.1',
  DRAIN = '0',
} = process.env

const pool = new Pool({ connectionString: DATABASE_URL, statement_timeout: 5_000, connectionTimeoutMillis: 5_000 })
// A connection that is lost while it is idle is replaced.
pool.on('error', (error) => console.error('PostgreSQL:', error.message))
// One after another: several processes start at once.
await pool.query(`begin; select pg_advisory_xact_lock(1); ${await schema()}; commit`)

const redis = new Redis(REDIS_URL, { maxRetriesPerRequest: 1 })
redis.on('error', (error) => console.error('Redis:', error.message))

let isStopping = false
const app = createApp(
  createStore(pool),
  (command) => redis.call(...command),
  () => isStopping,
)
const worker = startWorker(pool)
const server = serve({ fetch: app.fetch, port: Number(PORT), hostname: HOST, gracefulShutdown: false, silent: true })
await server.ready()
console.log(`Listening on ${server.url}`)

/** Health fails first; `DRAIN` ms later no connection is accepted, and what is under way is finished. */
async function stop(): Promise<void> {
  if (isStopping) return
  isStopping = true
  await sleep(Number(DRAIN))
  await server.close()
  await worker.stop()
  await pool.end()
  redis.disconnect()
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop())

function schema(): Promise<string> {
  return readFile(new URL('schema.sql', import.meta.url), 'utf8')
}
