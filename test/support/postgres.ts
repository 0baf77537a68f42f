import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { describe } from 'vitest'
import { freePort } from './redis.js'

/** The folder of the server's programs: POSTGRES_BIN, the PATH, or where Debian has them. */
const bin = await findBin()

/** Tests that need a server; without one they are skipped, and their title says why. */
export const describePostgres = (title: string, tests: () => void): void => {
  const skipped = ' (skipped: no PostgreSQL; apt-get install postgresql, or set POSTGRES_BIN)'
  describe.skipIf(bin === undefined)(title + (bin === undefined ? skipped : ''), tests)
}

/** Starts an empty server on loopback, as a user that is not root, in a folder that is removed with it. */
export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const port = await freePort()
  const user = process.getuid?.() === 0 ? await unprivileged() : undefined
  const folder = await mkdtemp('/tmp/postgres-')
  if (user) await chown(folder, user.uid, user.gid)
  const initialize = [
    '-D',
    join(folder, 'data'),
    '-A',
    'trust',
    '-U',
    'postgres',
    '-E',
    'UTF8',
    '--no-locale',
    '--no-sync',
  ]
  await promisify(execFile)(join(`${bin}`, 'initdb'), initialize, { ...user, cwd: folder })
  const options = ['-c', 'listen_addresses=127.0.0.1', '-c', 'fsync=off', '-k', folder]
  const child = spawn(join(`${bin}`, 'postgres'), ['-D', join(folder, 'data'), '-p', `${port}`, ...options], {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  while (!(await accepts(url))) if (child.exitCode !== null) throw new Error(`PostgreSQL did not start on ${port}.`)
  return {
    url,
    async stop() {
      child.kill('SIGQUIT')
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
