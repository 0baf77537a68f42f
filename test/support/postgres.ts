import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { describe } from 'vitest'
import { repository } from './project.js'
import { freePort } from './redis.js'

/** The folder of the server's programs: POSTGRES_BIN, the PATH, or where Debian has them. */
const bin = await findBin()

/** Tests that need a server; without one they are skipped, and their title says why. */
export const describePostgres = (title: string, tests: () => void): void => {
  const skipped = ' (skipped: no PostgreSQL; apt-get install postgresql, or set POSTGRES_BIN)'
  describe.skipIf(bin === undefined)(title + (bin === undefined ? skipped : ''), tests)
}

/** A server on loopback. */
export interface PostgresServer {
  url: string
  port: number
  /** Ends it: `fast` refuses those who are connected, `immediate` dies. Its data stay. */
  down(how: 'fast' | 'immediate'): Promise<void>
  up(): Promise<void>
  /** Stops or continues all its processes. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  /** Ends it, and removes its data. */
  stop(): Promise<void>
}

/** Starts an empty server on loopback, as a user that is not root, in a folder that is removed with it. */
export async function startPostgres(): Promise<PostgresServer> {
  const port = await freePort()
  const user = process.getuid?.() === 0 ? await unprivileged() : undefined
  const folder = await mkdtemp('/tmp/postgres-')
  if (user) await chown(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const initialize = ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-locale', '--no-sync']
  await promisify(execFile)(join(`${bin}`, 'initdb'), initialize, { ...user, cwd: folder })
  const options = ['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-k', folder]
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let child: ChildProcess
  const up = async () => {
    child = spawn(join(`${bin}`, 'postgres'), ['-D', data, '-p', `${port}`, ...options], {
      ...user,
      cwd: folder,
      stdio: 'ignore',
    })
    while (!(await accepts(url))) if (child.exitCode !== null) throw new Error(`PostgreSQL did not start on ${port}.`)
  }
  const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  await up()
  return {
    url,
    port,
    down: (how) => end(how === 'fast' ? 'SIGINT' : 'SIGQUIT'),
    up,
    signal(name) {
      const children = spawnSync('pgrep', ['-P', `${child.pid}`], { encoding: 'utf8' })
        .stdout.split('\n')
        .filter(Boolean)
      for (const pid of [child.pid!, ...children.map(Number)])
        try {
          process.kill(pid, name)
        } catch {
          // A connection that has ended meanwhile.
        }
    },
    async stop() {
      if (child.exitCode === null) await end('SIGQUIT')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Brings the database of examples/provider-postgres up to date, with its own command. */
export async function migrate(url: string): Promise<string> {
  const command = [join(repository, 'test/node_modules/node-pg-migrate/bin/node-pg-migrate.js'), 'up']
  const cwd = join(repository, 'examples/provider-postgres')
  const env = { ...process.env, DATABASE_URL: url }
  return (await promisify(execFile)(process.execPath, command, { cwd, env })).stdout
}

const pgbouncer = ['pgbouncer', '/usr/sbin/pgbouncer'].find((name) => spawnSync(name, ['--version']).status === 0)

/** Tests that need PgBouncer; without it they are skipped, and their title says why. */
export const describePgBouncer = (title: string, tests: () => void): void => {
  const skipped = pgbouncer ? '' : ' (skipped: no pgbouncer; apt-get install pgbouncer)'
  describe.skipIf(skipped)(title + skipped, tests)
}

/** Starts PgBouncer before a server, with a pool for each transaction. */
export async function startPgBouncer(server: PostgresServer): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort()
  const user = process.getuid?.() === 0 ? await unprivileged() : undefined
  const folder = await mkdtemp('/tmp/pgbouncer-')
  const file = join(folder, 'pgbouncer.ini')
  const settings = `[databases]
postgres = host=127.0.0.1 port=${server.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
server_login_retry = 1
`
  await writeFile(file, settings)
  if (user) for (const path of [folder, file]) await chown(path, user.uid, user.gid)
  const child = spawn(`${pgbouncer}`, [file], { ...user, cwd: folder, stdio: 'ignore' })
  const exited = once(child, 'exit')
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  while (!(await accepts(url))) if (child.exitCode !== null) throw new Error(`PgBouncer did not start on ${port}.`)
  return {
    url,
    async stop() {
      child.kill('SIGKILL')
      await exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function findBin(): Promise<string | undefined> {
  const debian = '/usr/lib/postgresql'
  const versions = (await readdir(debian).catch(() => [])).map((version) => join(debian, version, 'bin'))
  const candidates = [process.env.POSTGRES_BIN, ...`${process.env.PATH}`.split(':'), ...versions]
  return candidates.find((folder) => folder && spawnSync(join(folder, 'initdb'), ['--version']).status === 0)
}

/** The server refuses to run as root. */
async function unprivileged(): Promise<{ uid: number; gid: number }> {
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const found = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  return { uid: Number(found?.[2]), gid: Number(found?.[3]) }
}

async function accepts(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 50))
    return false
  }
}
