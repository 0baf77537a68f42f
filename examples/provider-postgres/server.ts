/** The process: `DATABASE_URL=… REDIS_URL=… PORT=3000 npm start`, after `npm run migrate`. Start as many as you like. */
import type { IncomingMessage, Server } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { serve } from 'srvx'
import { createApp, REQUEST_TIMEOUT } from './app.js'
import { createPool } from './database.js'
import { createStore } from './store.js'
import { startWorker } from './worker.js'

const {
  DATABASE_URL,
  REDIS_URL = 'redis://127.0.0.1:6379',
  PORT = '3000',
  HOST = '127.0.0.1',
  DRAIN = '0',
} = process.env

const pool = createPool(DATABASE_URL)
// Its own connection: it never waits behind requests.
const probes = createPool(DATABASE_URL, { max: 1, timeout: 1_000 })

const redis = new Redis(REDIS_URL, {
  maxRetriesPerRequest: 1,
  connectTimeout: 500,
  // A server that is gone without a word.
  socketTimeout: 500,
  retryStrategy: (times) => Math.min(times * 50, 250),
  // After a failover the old primary may still be connected, as a replica: connect anew, and send the command again.
  reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
})
redis.on('error', (error) => console.error('Redis:', error.message))

let isStopping = false
let probe: Promise<boolean> | undefined
const isReady = async (): Promise<boolean> => {
  probe ??= probes
    .query('select')
    .then(
      () => true,
      () => false,
    )
    .finally(() => (probe = undefined))
  return !isStopping && (await probe)
}

const app = createApp(createStore(pool), (command) => redis.call(...command), isReady)
const worker = startWorker(pool)
const server = serve({ fetch: app.fetch, port: Number(PORT), hostname: HOST, gracefulShutdown: false, silent: true })
await server.ready()
console.log(`Listening on ${server.url}`)

const open = new Set<IncomingMessage>()
const http = server.node?.server as Server
http.on('request', (request, response) => {
  open.add(request)
  response.on('close', () => open.delete(request))
})

/** How long a request may still be sent after the stop has begun, in ms. */
const SEND_GRACE = 1_000

/**
 * Readiness fails first; `DRAIN` ms later no connection is accepted, and what is under way is finished within its time limit:
 * the process ends at most 10 s later, also when the database is frozen.
 */
async function stop(): Promise<void> {
  if (isStopping) return
  isStopping = true
  await sleep(Number(DRAIN))
  const finished = Promise.all([server.close(), worker.stop()])
  setTimeout(() => {
    for (const request of open) if (!request.complete) request.destroy()
  }, SEND_GRACE)
  await Promise.race([finished, sleep(REQUEST_TIMEOUT)])
  redis.disconnect()
  // A connection to a frozen database cannot be closed in order.
  await Promise.race([Promise.all([pool.end(), probes.end()]), sleep(500)])
  process.exit()
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop())
