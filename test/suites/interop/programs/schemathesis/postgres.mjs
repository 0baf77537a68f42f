// Serves examples/provider-postgres, over servers of its own, while a command runs, which finds it at BASE_URL with API_KEY.
import { spawn } from 'node:child_process'
import { Redis } from 'ioredis'
import pg from 'pg'
import { serve } from 'srvx'

const root = process.env.ROOT
const { startPostgres, migrate } = await import(`${root}/test/support/postgres.ts`)
const { startRedis } = await import(`${root}/test/support/redis.ts`)
const example = `${root}/examples/provider-postgres`
const { createApp } = await import(`${example}/app.ts`)
const { createStore } = await import(`${example}/store.ts`)
const { startWorker } = await import(`${example}/worker.ts`)

const [postgres, redisServer] = await Promise.all([startPostgres(), startRedis()])
const pool = new pg.Pool({ connectionString: postgres.url })
await migrate(postgres.url)
// A limit that nobody reaches: nearly all requests would get a 429.
await pool.query(`
insert into workspaces (id, name, plan, requests_per_minute, burst) values ('ws_1', 'Acme', 'pro', 60000000, 1000000);
insert into playbooks (workspace_id, id, name, actions) values ('ws_1', 'pb_welcome', 'Welcome', '{crm.create_contact,mail.send}');
insert into providers (workspace_id, id, name) values ('ws_1', 'crm', 'CRM');
`)
const store = createStore(pool)
const redis = new Redis({ port: redisServer.port, host: '127.0.0.1' })
const app = createApp(store, (command) => redis.call(...command))
const worker = startWorker(pool)
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', silent: true })
await server.ready()

const [command, ...args] = process.argv.slice(2)
const env = { ...process.env, BASE_URL: `${server.url}v1`, API_KEY: await store.createKey('ws_1') }
spawn(command, args, { stdio: 'inherit', env }).on('close', async (code) => {
  await server.close(true)
  await worker.stop()
  await pool.end()
  redis.disconnect()
  await Promise.all([postgres.stop(), redisServer.stop()])
  process.exit(code ?? 1)
})
