import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe } from 'vitest'

/** The server to test with: the one that `REDIS_SERVER` names, or one on the PATH. */
const redisServer = [process.env.REDIS_SERVER, 'valkey-server', 'redis-server'].find(
  (name) => name && spawnSync(name, ['--version']).status === 0,
)

/** Why tests that need a server are skipped; empty when there is one. */
const skipped = redisServer
  ? ''
  : ' (skipped: no valkey-server or redis-server on the PATH; apt-get install redis-server, or set REDIS_SERVER)'

/** Tests that need a server; without one they are skipped, and their title says why. */
export const describeRedis = (title: string, tests: () => void): void => {
  describe.skipIf(skipped)(title + skipped, tests)
}

/** A server on loopback, without persistence. */
export interface RedisServer {
  port: number
  url: string
  process: ChildProcess
  stop(): Promise<void>
}

/** Starts a server, on a free port by default. */
export async function startRedis(args: string[] = [], port?: number): Promise<RedisServer> {
  const at = port ?? (await freePort())
  // A replica saves what it receives, and a cluster its nodes: another server must not load them.
  const folder = await mkdtemp(join(tmpdir(), 'redis-'))
  const child = spawn(
    redisServer!,
    ['--port', `${at}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder, ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  child.stdout?.resume()
  const exited = once(child, 'exit')
  while (!(await accepts(at))) if (child.exitCode !== null) throw new Error(`${redisServer} did not start on ${at}.`)
  return {
    port: at,
    url: `redis://127.0.0.1:${at}`,
    process: child,
    async stop() {
      child.kill('SIGKILL')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** An address that stays while what is behind it changes, as that of a managed service: open connections reach the old server. */
export async function startAddress(
  first: number,
): Promise<{ port: number; moveTo(port: number): void; close(): void }> {
  let target = first
  const server = createServer((near) => {
    const far = createConnection(target, '127.0.0.1')
    near.pipe(far).pipe(near)
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    moveTo(port) {
      target = port
    },
    close: () => void server.close(),
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Whether the server accepts commands: it also has to have left its start behind. */
const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.once('data', () => {
      resolve(true)
      socket.destroy()
    })
    socket.once('error', () => setTimeout(resolve, 10, false))
  })
