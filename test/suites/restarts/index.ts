/**
 * `npm run suite -- restarts`: `verify --rate-limit` on examples/provider-postgres before, during and after a restart of its
 * PostgreSQL. It measures a rate in real time, which takes 16 minutes.
 */
import pg from 'pg'
import { createStore } from '../../../examples/provider-postgres/store.js'
import { planIds } from '../../../generated/contract.js'
import { checkConformance } from '../../../src/tools/conformance/index.js'
import { startProvider, stop } from '../../service/postgres-provider.js'
import { VERSION } from '../../support/fixtures.js'
import { migrate, startPostgres } from '../../support/postgres.js'
import { startRedis } from '../../support/redis.js'

/** When PostgreSQL is restarted in the check that it interrupts, in ms: each of them. */
const RESTARTS = [3_000, 15_000, 40_000]

const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
await migrate(postgres.url)
const provider = await startProvider({ DATABASE_URL: postgres.url, REDIS_URL: redis.url })
const pool = new pg.Pool({ connectionString: postgres.url })
pool.on('error', () => {})
const store = createStore(pool)
let failed = false
for (const when of ['before', 'during', 'after']) {
  await pool.query(`
    insert into workspaces (id, name, plan) values ('ws_${when}', 'Acme', '${planIds.largest}');
    insert into playbooks (workspace_id, id, name, description, actions)
      values ('ws_${when}', 'pb_welcome', 'Welcome', 'Greets a new customer.', '{crm.create_contact,mail.send}');
    insert into providers (workspace_id, id, name)
      values ('ws_${when}', 'crm', 'CRM'), ('ws_${when}', 'mail', 'Mail');`)
  const apiKey = await store.createKey(`ws_${when}`)
  const timers =
    when === 'during' ? RESTARTS.map((ms) => setTimeout(() => void postgres.down('fast').then(postgres.up), ms)) : []
  const begun = performance.now()
  const { complete, findings } = await checkConformance({
    baseUrl: `${provider.origin}${VERSION}`,
    apiKey,
    plan: planIds.largest,
    trigger: 'pb_welcome',
    depth: 'quick',
    rateLimit: true,
  })
  for (const timer of timers) clearTimeout(timer)
  const problems = findings.filter(({ outcome }) => outcome === 'fail' || outcome === 'contradicted')
  const seconds = Math.round((performance.now() - begun) / 1_000)
  console.log(`${when} the restart: ${problems.length} problems, ${complete ? 'complete' : 'incomplete'}, ${seconds} s`)
  for (const { message } of problems) console.log(`  ${message}`)
  failed ||= problems.length > 0 || !complete
}
console.log(`the provider is ${provider.process.exitCode === null ? 'alive' : 'dead'}`)
await stop(provider)
await pool.end()
await Promise.all([postgres.stop(), redis.stop()])
process.exitCode = failed ? 1 : 0
