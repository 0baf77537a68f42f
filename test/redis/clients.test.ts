import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { GlideClient, Logger } from '@valkey/valkey-glide'
import { Redis as IoRedis } from 'ioredis'
import { Redis as IoValkey } from 'iovalkey'
import { createClient } from 'redis'
import { createClient as createClient5 } from 'redis-5'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRedisRateLimiter, type SendCommand } from '../../src/redis/index.js'
import { repository } from '../support/project.js'
import { describeRedis, type RedisServer, startRedis } from '../support/redis.js'

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

  it('processes share a limit through node-redis 6', async () => {
    const redis = await createClient({ url: server.url }).connect()
    await share('node-redis', (command) => redis.sendCommand(command))
    await redis.close()
  })

  it('the program of the guide outlives its Redis', async () => {
    const own = await startRedis()
    const guide = await readFile(join(repository, 'openapi/guides/many-processes.md'), 'utf8')
    const [, block = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(guide) ?? []
    await mkdir(join(repository, '.build'), { recursive: true })
    const folder = await mkdtemp(join(repository, '.build/outlives-'))
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
    const own = await startRedis(['--cluster-enabled', 'yes', '--cluster-config-file', `nodes-${process.pid}.conf`])
    const redis = await createClient({ url: own.url }).connect()
    await redis.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383'])
    await expect.poll(() => redis.sendCommand(['CLUSTER', 'INFO']), { timeout: 30_000 }).toContain('cluster_state:ok')
    await share('cluster', (command) => redis.sendCommand(command))
    await redis.close()
    await own.stop()
  })

  it('processes share a limit through node-redis 5', async () => {
    const redis = await createClient5({ url: server.url }).connect()
    await share('node-redis-5', (command) => redis.sendCommand(command))
    await redis.close()
  })

  it('processes share a limit through ioredis', async () => {
    const redis = new IoRedis(server.url)
    await share('ioredis', (command) => redis.call(...command))
    redis.disconnect()
  })

  it('processes share a limit through iovalkey', async () => {
    const redis = new IoValkey(server.url)
    await share('iovalkey', (command) => redis.call(...command))
    redis.disconnect()
  })

  it('processes share a limit through valkey-glide', async () => {
    Logger.setLoggerConfig('off')
    const redis = await GlideClient.createClient({ addresses: [{ host: '127.0.0.1', port: server.port }] })
    await share('glide', (command) => redis.customCommand(command))
    redis.close()
  })

  it('processes share a limit through a REST interface like Upstash, which takes a command as a JSON array', async () => {
    const redis = await createClient({ url: server.url }).connect()
    // Stands in for Upstash: its wire format, before a real server.
    const rest = createServer(async (request, response) => {
      let body = ''
      for await (const part of request) body += part
      const reply = await redis.sendCommand(JSON.parse(body)).then(
        (result) => ({ result }),
        (error) => ({ error: `${error.message}` }),
      )
      response.writeHead('error' in reply ? 400 : 200).end(JSON.stringify(reply))
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => rest.once('listening', resolve))
    const url = `http://127.0.0.1:${(rest.address() as AddressInfo).port}`
    await share('upstash', async (command) => {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify(command) })
      const { result, error } = (await response.json()) as { result?: unknown; error?: string }
      if (error) throw new Error(error)
      return result
    })
    rest.closeAllConnections()
    rest.close()
    await redis.close()
  })
})
