import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { createStore } from '../../../examples/provider-postgres/store.js'
import { type Provider, SEED, startProvider, stop } from '../../service/postgres-provider.js'
import { redisForTest } from '../../suites/redis/fleet.js'
import { VERSION } from '../../support/fixtures.js'
import {
  describePgBouncer,
  describePostgres,
  migrate,
  type PostgresServer,
  startPgBouncer,
  startPostgres,
} from '../../support/postgres.js'
import { describeRedis, type RedisServer, startAddress, startRedis } from '../../support/redis.js'

let postgres: PostgresServer
let redis: RedisServer
let key: string
let provider: Provider

/** Runs a query on a connection of the test. */
async function query(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: postgres.url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}

const start = (env = {}, path?: string) =>
  startProvider({ DATABASE_URL: postgres.url, REDIS_URL: redis.url, ...env }, path)

async function ask(path: string, init: RequestInit = {}) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(`${provider.origin}${VERSION}${path}`, { ...init, headers })
  return { status: response.status, body: (await response.json()) as Record<string, never> }
}
const trigger = (index: number) =>
  ask('/playbooks/pb_welcome/runs', { method: 'POST', body: JSON.stringify({ inputs: { index: `${index}` } }) })
const probe = async (path: string) => (await fetch(provider.origin + path)).status
const timed = async <T>(work: Promise<T>): Promise<[T, number]> => {
  const begun = performance.now()
  return [await work, performance.now() - begun]
}

describePostgres('the provider over PostgreSQL, in trouble', () => {
  describeRedis('with a shared limit', () => {
    beforeAll(async () => {
      ;[postgres, redis] = await Promise.all([startPostgres(), startRedis()])
      await migrate(postgres.url)
      await query(SEED)
      const pool = new pg.Pool({ connectionString: postgres.url })
      key = await createStore(pool).createKey('ws_1')
      await pool.end()
    })
    afterAll(() => Promise.all([postgres.stop(), redis.stop()]))
    beforeEach(async () => {
      provider = await start()
    })
    afterEach(async () => void (await stop(provider)))

    const failures: [string, () => Promise<unknown>][] = [
      ['is restarted', () => postgres.down('fast').then(postgres.up)],
      ['dies and comes back', () => postgres.down('immediate').then(postgres.up)],
      [
        'terminates every connection',
        () =>
          query(
            'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null',
          ),
      ],
    ]
    it.each(failures)(
      'the provider goes on when PostgreSQL %s: no run is lost, and none runs twice',
      async (_, fail) => {
        await query('truncate runs cascade')
        let isOver = false
        const sent: Promise<{ status: number; body: { id?: string } }>[] = []
        const load = async () => {
          for (let index = 0; !isOver; index++) {
            sent.push(trigger(index))
            await sleep(10)
          }
        }
        const loading = load()
        await sleep(500)
        await fail()
        await sleep(1_000)
        isOver = true
        await loading
        const responses = await Promise.all(sent)
        // A 500 says that no run was stored, a 502 that nobody knows.
        const statuses = responses.map(({ status }) => status)
        expect(new Set(statuses)).toEqual(new Set([201]))
        const ids = responses.map(({ body }) => body.id).sort()
        expect((await query('select id from runs order by id')).map(({ id }) => id)).toEqual(ids)
        const ended = `select count(*)::int as count from runs where status = 'succeeded'`
        await expect.poll(async () => (await query(ended))[0]?.count, { timeout: 60_000 }).toBe(ids.length)
        const steps = await query('select run_id, count(*)::int as steps from steps group by 1')
        expect(steps.filter((each) => each.steps !== 2)).toEqual([])
        expect(await probe('/ready')).toBe(200)
      },
    )

    it('a trigger whose connection was lost on the way is stored once', async () => {
      await query('truncate runs cascade')
      // The statement of the trigger waits for the lock, and its connection ends meanwhile.
      const blocker = new pg.Client({ connectionString: postgres.url })
      await blocker.connect()
      await blocker.query('begin; lock table runs in access exclusive mode')
      const triggered = trigger(1)
      const waiting = `select pid from pg_stat_activity where query like 'insert into runs%' and wait_event_type = 'Lock'`
      await expect.poll(async () => (await query(waiting)).length).toBe(1)
      await query(waiting.replace('select pid', 'select pg_terminate_backend(pid)'))
      await sleep(200)
      await blocker.query('commit')
      await blocker.end()
      const { status, body } = await triggered
      expect(status).toBe(201)
      expect(await query('select id from runs')).toEqual([{ id: body.id }])
    })

    it('a start changes nothing, and neither waits for a lock nor takes one', async () => {
      const schema = `select string_agg(c.oid || relname || relfilenode, ',' order by c.oid) as all from pg_class c`
      const before = await query(schema)
      const blocker = new pg.Client({ connectionString: postgres.url })
      await blocker.connect()
      await blocker.query('begin; lock table runs in row exclusive mode')
      const second = await start()
      onTestFinished(async () => void (await stop(second)))
      await blocker.query('commit')
      await blocker.end()
      expect(await query(schema)).toEqual(before)
      expect(await migrate(postgres.url)).toContain('No migrations to run!')
    })

    it('a provider that starts before its database is alive, and ready once the database is there', async () => {
      await postgres.down('fast')
      const early = await start({}, '/health')
      onTestFinished(async () => void (await stop(early)))
      expect((await fetch(`${early.origin}/ready`)).status).toBe(503)
      await postgres.up()
      await expect.poll(async () => (await fetch(`${early.origin}/ready`)).status, { timeout: 5_000 }).toBe(200)
    })

    it('with a frozen database requests end by their time limit, probes at once, and SIGTERM within 10 s', async () => {
      expect((await ask('/playbooks')).status).toBe(200)
      postgres.signal('SIGSTOP')
      onTestFinished(() => postgres.signal('SIGCONT'))
      // More than there are connections.
      const requests = Array.from({ length: 30 }, (_, index) => timed(index % 2 ? ask('/playbooks') : trigger(index)))
      await sleep(100)
      const [health, healthTime] = await timed(probe('/health'))
      expect([health, healthTime < 500]).toEqual([200, true])
      const [ready, readyTime] = await timed(probe('/ready'))
      expect([ready, readyTime < 2_500]).toEqual([503, true])
      for (const [{ status }, time] of await Promise.all(requests)) expect([status, time < 9_000]).toEqual([500, true])
      const late = ask('/playbooks').catch(() => undefined)
      const [code, time] = await timed(stop(provider))
      expect([code, time < 10_000]).toEqual([0, true])
      await late
    })

    it('a trigger that a frozen database may still store is a 502, which callers do not repeat', async () => {
      await query('truncate runs cascade')
      const blocker = new pg.Client({ connectionString: postgres.url })
      await blocker.connect()
      await blocker.query('begin; lock table runs in access exclusive mode')
      const triggered = trigger(1)
      const waiting = `select pid from pg_stat_activity where query like 'insert into runs%' and wait_event_type = 'Lock'`
      await expect.poll(async () => (await query(waiting)).length).toBe(1)
      postgres.signal('SIGSTOP')
      const { status } = await triggered
      postgres.signal('SIGCONT')
      await blocker.query('commit')
      await blocker.end()
      expect(status).toBe(502)
    })

    it('a transaction that is left open ends after 10 s, and a statement after 4', async () => {
      const settings = `select name, setting from pg_settings where name in ('statement_timeout', 'idle_in_transaction_session_timeout')`
      expect((await query(`${settings} order by name`)).map(({ setting }) => setting)).toEqual(['10000', '4000'])
      await expect(query('select pg_sleep(6)')).rejects.toThrow('canceling statement due to statement timeout')
    })

    it('a sender that is slow does not delay the stop', async () => {
      const socket = connect(Number(new URL(provider.origin).port), '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      const head = `POST ${VERSION}/playbooks/pb_welcome/runs HTTP/1.1\r\nhost: h\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n`
      socket.write(head)
      const drip = setInterval(() => socket.write(' '), 100)
      onTestFinished(() => clearInterval(drip))
      await sleep(300)
      const [code, time] = await timed(stop(provider))
      expect([code, time < 3_000]).toEqual([0, true])
    })

    it.each([
      ['the old primary is a replica of the new one', (old: RedisServer) => ['REPLICAOF', '127.0.0.1', `${old.port}`]],
      ['the old primary is gone without a word', () => ['CLIENT', 'PAUSE', '60000', 'ALL']],
    ])('the provider counts in Redis again within a second of a failover after which %s', async (_, demote) => {
      const [primary, replica] = [await redisForTest(), await redisForTest()]
      const address = await startAddress(primary.port)
      onTestFinished(address.close)
      await stop(provider)
      provider = await start({ REDIS_URL: `redis://127.0.0.1:${address.port}` })
      expect((await ask('/playbooks')).status).toBe(200)
      const [old, now] = [primary, replica].map(({ port }) => new Redis({ port, host: '127.0.0.1' })) as [Redis, Redis]
      onTestFinished(() => [old, now].forEach((each) => void each.disconnect()))
      await now.flushall()
      address.moveTo(replica.port)
      const [command, ...args] = demote(replica) as [string, ...string[]]
      await old.call(command, ...args)
      const begun = performance.now()
      while ((await now.dbsize()) === 0 && performance.now() - begun < 5_000)
        expect((await ask('/playbooks')).status).toBe(200)
      expect(performance.now() - begun).toBeLessThan(1_000)
      expect(provider.printed()).not.toContain('unhandled')
    })

    describePgBouncer('behind PgBouncer', () => {
      it('the provider works with a pool for each transaction, also over a restart of PostgreSQL', async () => {
        const bouncer = await startPgBouncer(postgres)
        onTestFinished(bouncer.stop)
        await stop(provider)
        provider = await start({ DATABASE_URL: bouncer.url })
        const first = await trigger(1)
        expect(first.status).toBe(201)
        await postgres.down('fast').then(postgres.up)
        const second = await trigger(2)
        expect(second.status).toBe(201)
        for (const { body } of [first, second])
          await expect
            .poll(async () => (await ask(`/runs/${body.id}`)).body.status, { timeout: 30_000 })
            .toBe('succeeded')
      })
    })
  })
})
