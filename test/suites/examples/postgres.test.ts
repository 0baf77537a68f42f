import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createStore } from '../../../examples/provider-postgres/store.js'
import { startWorker } from '../../../examples/provider-postgres/worker.js'
import { type ConformanceOptions, checkConformance } from '../../../src/tools/conformance/index.js'
import { type Provider, SEED, startProvider, stop } from '../../service/postgres-provider.js'
import { VERSION } from '../../support/fixtures.js'
import { describePostgres, migrate, type PostgresServer, startPostgres } from '../../support/postgres.js'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis.js'

let postgres: PostgresServer
let redis: RedisServer
let pool: pg.Pool
let store: ReturnType<typeof createStore>
const start = (env: Record<string, string> = {}) =>
  startProvider({ DATABASE_URL: postgres.url, REDIS_URL: redis.url, ...env })

const keys: Record<'writer' | 'reader' | 'other' | 'hobby' | 'small', string> = {} as never

describePostgres('the provider over PostgreSQL', () => {
  describeRedis('with a shared limit', () => {
    let provider: Provider
    beforeAll(async () => {
      ;[postgres, redis] = await Promise.all([startPostgres(), startRedis()])
      await migrate(postgres.url)
      provider = await start()
      pool = new pg.Pool({ connectionString: postgres.url })
      store = createStore(pool)
      await pool.query(SEED)
      keys.writer = await store.createKey('ws_1')
      keys.reader = await store.createKey('ws_1', false)
      keys.other = await store.createKey('ws_2')
      keys.hobby = await store.createKey('ws_hobby')
      keys.small = await store.createKey('ws_small')
    })
    afterAll(async () => {
      await stop(provider)
      await pool.end()
      await Promise.all([postgres.stop(), redis.stop()])
    })

    const ask = async (path: string, key = keys.writer, init: RequestInit = {}, { origin } = provider) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const response = await fetch(`${origin}${VERSION}${path}`, { ...init, headers })
      return { status: response.status, headers: response.headers, body: await response.json() }
    }
    const trigger = (id: string, inputs: object = {}) =>
      ask(`/playbooks/${id}/runs`, keys.writer, { method: 'POST', body: JSON.stringify({ inputs }) })
    const runUntil = (id: string, status: string) =>
      expect
        .poll(async () => (await ask(`/runs/${id}`)).body.steps.at(-1)?.status, { timeout: 60_000, interval: 50 })
        .toBe(status)

    /** How much faster time passes for the conformance kit, which keeps to the rate of a small plan. */
    const SPEED = 200
    const clock = {
      now: () => performance.now() * SPEED,
      sleep: async (ms: number, signal?: AbortSignal) => {
        await sleep(ms / SPEED, undefined, { signal }).catch(() => {})
      },
    }
    const check = (own: Partial<ConformanceOptions>) =>
      checkConformance({
        baseUrl: `${provider.origin}${VERSION}`,
        apiKey: keys.writer,
        readOnlyKey: keys.reader,
        otherWorkspaceKey: keys.other,
        hobbyKey: keys.hobby,
        trigger: 'pb_welcome',
        timeout: 20_000 * SPEED,
        maxWait: 30_000 * SPEED,
        clock,
        ...own,
      })

    it.each(['quick', 'normal', 'thorough'] as const)('verify finds nothing at the depth %s', async (depth) => {
      const { complete, findings, summary } = await check({ depth })
      const problems = findings.filter(({ outcome }) => outcome === 'fail' || outcome === 'contradicted')
      expect(problems.map(({ message }) => message)).toEqual([])
      expect([complete, summary.exercised > 30]).toEqual([true, true])
    })

    it('a run goes on in a worker, and waits for its approval', async () => {
      const { status, body } = await trigger('pb_refund', { order: '42', note: 'a\u0000b\ud800' })
      expect([status, body.status, body.steps]).toEqual([201, 'running', []])
      await runUntil(body.id, 'waiting_approval')
      expect((await ask(`/runs/${body.id}`)).body.steps).toEqual([
        { id: 'step_1', status: 'succeeded', capability: 'crm.find_order' },
        { id: 'step_2', status: 'waiting_approval' },
      ])
      await store.approve('ws_2', body.id)
      await sleep(300)
      expect((await ask(`/runs/${body.id}`)).body.steps).toHaveLength(2)
      await store.approve('ws_1', body.id)
      await expect.poll(async () => (await ask(`/runs/${body.id}`)).body.status, { timeout: 60_000 }).toBe('succeeded')
    })

    it('a run whose action always fails holds up no other, and has failed after the last attempt', async () => {
      await stop(provider)
      const [broken, other] = [
        await store.trigger('ws_1', 'pb_report', {}),
        await store.trigger('ws_1', 'pb_report', {}),
      ]
      const failures: unknown[] = []
      const worker = startWorker(pool, {
        act: async ({ id }) => {
          if (id === broken?.id) throw new Error('The printer is out of paper.')
        },
        stepTime: 1,
        onError: (error) => failures.push(error),
      })
      const statusOf = async (run: typeof broken) => (await store.run('ws_1', run!.id))?.status
      await expect.poll(() => statusOf(other), { timeout: 10_000 }).toBe('succeeded')
      expect(await statusOf(broken)).toBe('running')
      // Time passes.
      const isDue = () => pool.query('update runs set due_at = now() where due_at is not null')
      await expect.poll(async () => (await isDue()) && statusOf(broken), { timeout: 20_000 }).toBe('failed')
      expect(failures).toHaveLength(5)
      await worker.stop()
      provider = await start()
    })

    it('columns of the database are not sent, and no key is stored or printed', async () => {
      expect((await ask('/workspaces/me')).body).toEqual({ id: 'ws_1', name: 'Acme' })
      expect(Object.keys((await ask('/playbooks')).body.data[0])).toEqual(['id', 'name', 'description'])
      const { rows } = await pool.query('select * from api_keys')
      const stored = JSON.stringify(rows.map((row) => ({ ...row, sha256: row.sha256.toString('latin1') })))
      for (const key of Object.values(keys)) expect(stored + provider.printed()).not.toContain(key)
    })

    it('a revoked key, and ids that no database has, are refused', async () => {
      const key = await store.createKey('ws_1')
      expect((await ask('/workspaces/me', key)).status).toBe(200)
      await pool.query('update api_keys set revoked_at = now() where sha256 = sha256($1::bytea)', [key])
      expect((await ask('/workspaces/me', key)).status).toBe(401)
      for (const id of ['%00', 'run_1', '%F0%9F%98%80', "'; drop table runs; --"])
        expect((await ask(`/runs/${id}`)).status, id).toBe(404)
      expect((await trigger('%00')).status).toBe(404)
      expect((await ask('/playbooks?page=2147483647&per_page=2147483647')).body.data).toEqual([])
    })

    it('two processes share a limit and the runs, and one that is stopped finishes what it has begun', async () => {
      const second = await start({ DRAIN: '300' })
      const seen: number[] = []
      let left: string | null = ''
      for (let call = 0; call < 8; call++) {
        const { status, headers } = await ask('/workspaces/me', keys.small, {}, call % 2 ? second : provider)
        seen.push(status)
        if (call === 0) left = headers.get('ratelimit')
      }
      expect(left).toBe('"requests";r=4;t=1')
      expect(seen.filter((status) => status === 200).length).toBeLessThanOrEqual(6)
      expect(seen).toContain(429)

      const runs = await Promise.all(Array.from({ length: 20 }, () => trigger('pb_welcome')))
      const exited = stop(second)
      await expect.poll(async () => (await fetch(`${second.origin}/ready`)).status).toBe(503)
      expect((await ask('/workspaces/me', keys.writer, {}, second)).status).toBe(200)
      expect(await exited).toBe(0)
      for (const { body } of runs)
        await expect
          .poll(async () => (await ask(`/runs/${body.id}`)).body.status, { timeout: 60_000 })
          .toBe('succeeded')
      const twice = await pool.query('select count(*)::int as steps from steps where run_id = $1', [runs[0]?.body.id])
      expect(twice.rows).toEqual([{ steps: 2 }])
    })
  })
})
