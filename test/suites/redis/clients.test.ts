import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GlideClient, type GlideClientConfiguration, Logger } from '@valkey/valkey-glide'
import { Redis as Valkey } from 'iovalkey'
import { createClient as createClient5 } from 'redis-5'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { SendCommand } from '../../../src/tools/redis/index.js'
import { compilePrograms, programFolder } from '../../stories/site/guide-programs.js'
import { repository } from '../../support/project.js'
import { describeRedis, startAddress } from '../../support/redis.js'
import { serve } from '../../support/server.js'
import { fillBucket, ioredis, limiterForTest, nodeRedis, redisForTest } from './fleet.js'

/** Each client, with the lines of the guide on a failover. */
const CLIENTS: [client: string, connect: (port: number) => SendCommand | Promise<SendCommand>][] = [
  ['node-redis 6', (port) => nodeRedis(port, { failsOver: true })],
  ['node-redis 5', (port) => nodeRedis(port, { failsOver: true, create: createClient5 as never })],
  ['ioredis', (port) => ioredis(port, { failsOver: true })],
  ['iovalkey', (port) => ioredis(port, { failsOver: true, Client: Valkey as never })],
  ['valkey-glide', valkeyGlide],
  [
    'a REST interface like Upstash, which takes a command as a JSON array',
    (port) => overRest(nodeRedis(port, { failsOver: true })),
  ],
]

const guide = await readFile(join(repository, 'docs/guides/many-processes.md'), 'utf8')
const blocks = [...guide.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
let folder: Awaited<ReturnType<typeof programFolder>>
beforeAll(async () => {
  folder = await programFolder()
})
afterAll(() => folder.remove())

it('the samples of the guide compile against the package and the Redis clients', async () => {
  // The one-liners of the table, each with the client that it is for.
  const rows = [...guide.matchAll(/^\| .*? \| `(\(command\) => .*?)` \|$/gm)].map(([, send = '']) => send)
  expect(rows).toHaveLength(4)
  const oneLiners = `import type { SendCommand } from '@workflow-automation/contract/redis'
import type { GlideClient } from '@valkey/valkey-glide'
import type { createClient, createCluster } from 'redis'
import type { Redis } from 'ioredis'
import type { Redis as Valkey } from 'iovalkey'
declare const glide: GlideClient
declare const cluster: ReturnType<typeof createCluster>
{ const redis = {} as ReturnType<typeof createClient>; const send: SendCommand = ${rows[0]}; void send }
{ const redis = {} as Redis; const send: SendCommand = ${rows[1]}; void send }
{ const redis = {} as Valkey; const send: SendCommand = ${rows[1]}; void send }
{ const send: SendCommand = ${rows[2]}; void send }
{ const send: SendCommand = ${rows[3]}; void send }`
  const programs = [...blocks, oneLiners].map((source, index) => ({ name: `sample-${index}`, source }))
  expect(await compilePrograms(folder.path, programs)).toEqual({ code: 0, printed: '' })
})

describeRedis('the limiter with each Redis client', () => {
  /** Two limiters of one workspace have two requests between them; twice the server does not have the script. */
  async function share(send: SendCommand) {
    const plan = { requestsPerMinute: 600, burst: 4.5 }
    const create = () => limiterForTest({ send, plan, timeout: 2_000 })
    const [one, other] = [create(), create()]
    const begun = performance.now()
    await Promise.all([one.acquire(1), other.acquire(1), one.acquire(1)])
    expect(performance.now() - begun).toBeGreaterThanOrEqual(150)
    await send(['SCRIPT', 'FLUSH'])
    one.penalize(200)
    const paused = performance.now()
    await other.acquire(1)
    expect(performance.now() - paused).toBeGreaterThanOrEqual(190)
    expect([...one.errors, ...other.errors]).toEqual([])
  }

  it.each(CLIENTS)('processes share a limit through %s', async (_, connect) => {
    await share(await connect((await redisForTest()).port))
  })

  it('processes share a limit in a cluster, where its key is in one slot', async () => {
    const send = nodeRedis((await redisForTest(['--cluster-enabled', 'yes'])).port)
    await send(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383'])
    await expect.poll(() => send(['CLUSTER', 'INFO']), { timeout: 30_000 }).toContain('cluster_state:ok')
    await share(send)
  })

  it.each(CLIENTS)(
    'within two seconds of a failover to a server without its script a fleet is back through %s',
    async (_, connect) => {
      const [old, now] = [await redisForTest(), await redisForTest()]
      const [oldAdmin, admin] = [ioredis(old.port), ioredis(now.port)]
      const address = await startAddress(old.port)
      onTestFinished(address.close)
      const { acquire, changes } = limiterForTest({ send: await connect(address.port) })
      await Promise.all([fillBucket(oldAdmin), fillBucket(admin)])
      await acquire(1)
      address.moveTo(now.port)
      await oldAdmin(['REPLICAOF', '127.0.0.1', `${now.port}`])
      const begun = performance.now()
      const isUsed = async () => changes.at(-1) !== true && (await admin(['HGET', 'wf:limit:{acme}', 'at'])) !== '0'
      while (!(await isUsed()) && performance.now() - begun < 5_000) await acquire(1)
      expect(performance.now() - begun).toBeLessThan(2_000)
    },
  )

  it('the commands that the guide names are enough for the limiter, and for valkey-glide with INFO', async () => {
    const { port } = await redisForTest()
    const admin = ioredis(port)
    const rules = ['resetkeys', '~wf:*', 'nocommands', '+eval', '+evalsha', '+time', '+hget', '+hset', '+pexpire']
    await admin(['ACL', 'SETUSER', 'limiter', 'on', '>secret', ...rules, '+auth', '+hello'])
    await fillBucket(admin)
    const credentials = { username: 'limiter', password: 'secret' }
    await expect(valkeyGlide(port, { credentials })).rejects.toThrow()
    await admin(['ACL', 'SETUSER', 'limiter', '+info'])
    const { acquire, changes } = limiterForTest({ send: await valkeyGlide(port, { credentials }) })
    await acquire(1)
    expect(changes).toEqual([])
  })

  it('the program of the guide outlives its Redis', async () => {
    const own = await redisForTest()
    const file = join(folder.path, 'outlives.ts')
    await writeFile(file, `${blocks[0]!.replace('redis://127.0.0.1:6379', own.url)}\nconsole.log('ready')\n`)
    const env = { ...process.env, WORKFLOW_API_KEY: 'key' }
    const child = spawn(process.execPath, ['--import', 'tsx', file], { cwd: repository, env })
    onTestFinished(() => void child.kill())
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
    const until = (text: RegExp) => expect.poll(() => printed, { timeout: 60_000 }).toMatch(text)
    await until(/ready/)
    await own.stop()
    await until(/Redis: .*ECONNREFUSED/)
    expect(child.exitCode).toBe(null)
  })
})

async function valkeyGlide(port: number, more: Partial<GlideClientConfiguration> = {}): Promise<SendCommand> {
  Logger.setLoggerConfig('off')
  const advancedConfiguration = { connectionTimeout: 2_000 }
  const options = { addresses: [{ host: '127.0.0.1', port }], advancedConfiguration, ...more }
  let glide = await GlideClient.createClient(options)
  onTestFinished(() => glide.close())
  return (command) =>
    glide.customCommand(command).catch(async (error) => {
      if (/read.?only/i.test(`${error}`)) {
        glide.close()
        glide = await GlideClient.createClient(options)
      }
      throw error
    })
}

/** Stands in for Upstash: its wire format, before a real server. */
async function overRest(send: SendCommand): Promise<SendCommand> {
  const { baseUrl } = await serve(async ({ body }) => {
    try {
      return { body: { result: await send(JSON.parse(body)) } }
    } catch (error) {
      return { status: 400, body: { error: `${error}` } }
    }
  })
  return async (command) => {
    const response = await fetch(baseUrl, { method: 'POST', body: JSON.stringify(command) })
    const { result, error } = (await response.json()) as { result?: unknown; error?: string }
    if (error) throw new Error(error)
    return result
  }
}
