import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GlideClient, Logger } from '@valkey/valkey-glide'
import { Redis } from 'iovalkey'
import { createClient as createClient5 } from 'redis-5'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { createRedisRateLimiter, type SendCommand } from '../../../src/tools/redis/index.js'
import { repository } from '../../support/project.js'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis.js'
import { serve } from '../../support/server.js'
import { ioredis, nodeRedis, redisForTest } from './fleet.js'

describeRedis('the limiter with each Redis client', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.stop())

  /** Two limiters of one workspace have two requests between them; the server does not have the script yet. */
  async function share(workspace: string, send: SendCommand) {
    const errors: unknown[] = []
    await send(['SCRIPT', 'FLUSH'])
    const create = () =>
      createRedisRateLimiter({
        send,
        workspace,
        plan: { requestsPerMinute: 600, burst: 4.5 },
        processes: 2,
        timeout: 2_000,
        onDegraded: (_, error) => errors.push(error),
      })
    const [one, other] = [create(), create()]
    const begun = performance.now()
    await Promise.all([one.acquire(1, {}), other.acquire(1, {}), one.acquire(1, {})])
    expect(errors).toEqual([])
    expect(performance.now() - begun).toBeGreaterThanOrEqual(150)
    one.penalize(200)
    const paused = performance.now()
    await other.acquire(1, {})
    expect(performance.now() - paused).toBeGreaterThanOrEqual(190)
    expect(errors).toEqual([])
  }

  it.each<[client: string, connect: (server: RedisServer) => SendCommand | Promise<SendCommand>]>([
    ['node-redis 6', ({ port }) => nodeRedis(port)],
    [
      'node-redis 5',
      async ({ url }) => {
        const redis = await createClient5({ url }).connect()
        onTestFinished(() => redis.destroy())
        return (command) => redis.sendCommand(command)
      },
    ],
    ['ioredis', ({ port }) => ioredis(port)],
    [
      'iovalkey',
      ({ url }) => {
        const redis = new Redis(url)
        onTestFinished(() => redis.disconnect())
        return (command) => redis.call(...command)
      },
    ],
    [
      'valkey-glide',
      async ({ port }) => {
        Logger.setLoggerConfig('off')
        const redis = await GlideClient.createClient({ addresses: [{ host: '127.0.0.1', port }] })
        onTestFinished(() => redis.close())
        return (command) => redis.customCommand(command)
      },
    ],
    ['a REST interface like Upstash, which takes a command as a JSON array', ({ port }) => overRest(nodeRedis(port))],
  ])('processes share a limit through %s', async (client, connect) => {
    await share(client, await connect(server))
  })

  it('the program of the guide outlives its Redis', async () => {
    const own = await redisForTest()
    const guide = await readFile(join(repository, 'docs/guides/many-processes.md'), 'utf8')
    const [, block = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(guide) ?? []
    await mkdir(join(repository, 'test/.build'), { recursive: true })
    const folder = await mkdtemp(join(repository, 'test/.build/outlives-'))
    const file = join(folder, 'program.ts')
    await writeFile(file, `${block.replace('redis://127.0.0.1:6379', own.url)}\nconsole.log('ready')\n`)
    const env = { ...process.env, WORKFLOW_API_KEY: 'key' }
    const child = spawn(process.execPath, ['--import', 'tsx', file], { cwd: repository, env })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
    const until = (text: RegExp) => expect.poll(() => printed, { timeout: 60_000 }).toMatch(text)
    await until(/ready/)
    await own.stop()
    await until(/Redis: .*ECONNREFUSED/)
    expect(child.exitCode).toBe(null)
    child.kill()
    await rm(folder, { recursive: true })
  })

  it('processes share a limit in a cluster, where its key is in one slot', async () => {
    const args = ['--cluster-enabled', 'yes', '--cluster-config-file', `nodes-${process.pid}.conf`]
    const send = nodeRedis((await redisForTest(args)).port)
    await send(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383'])
    await expect.poll(() => send(['CLUSTER', 'INFO']), { timeout: 30_000 }).toContain('cluster_state:ok')
    await share('cluster', send)
  })
})

/** Stands in for Upstash: its wire format, before a real server. */
async function overRest(send: SendCommand): Promise<SendCommand> {
  const { baseUrl } = await serve(async ({ body }) => {
    try {
      return { body: { result: await send(JSON.parse(body)) } }
    } catch (error) {
      return { status: 400, body: { error: (error as Error).message } }
    }
  })
  return async (command) => {
    const response = await fetch(baseUrl, { method: 'POST', body: JSON.stringify(command) })
    const { result, error } = (await response.json()) as { result?: unknown; error?: string }
    if (error) throw new Error(error)
    return result
  }
}
