import { type ChildProcess, type SpawnOptionsWithoutStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { VERSION } from '../support/fixtures.js'
import { repository } from '../support/project.js'

/** The command of the package, as it was built. */
export const CLI = join(repository, 'dist/src/tools/cli/index.js')

const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})

/** Starts a process that ends with the tests of the file, and gathers what it prints. */
export function start(program: string, args: readonly string[], options: SpawnOptionsWithoutStdio = {}) {
  const env = { ...process.env, NO_COLOR: '', FORCE_COLOR: '', GITHUB_ACTIONS: '', ...options.env }
  const child = spawn(program, args, { cwd: repository, ...options, stdio: 'pipe', env })
  children.push(child)
  const printed = { out: '', error: '' }
  child.stdout.on('data', (chunk) => {
    printed.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    printed.error += chunk
  })
  /** Waits until the standard output matches. */
  const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = pattern.exec(printed.out)
      if (match) return match
      await once(child.stdout, 'data')
    }
  }
  return { child, printed, until, ended: once(child, 'close').then(([code]) => code as number | null) }
}

/** Starts `workflow-automation`. */
export const command = (args: readonly string[], options?: SpawnOptionsWithoutStdio) =>
  start(process.execPath, [CLI, ...args], options)

/** Runs `workflow-automation` to its end. */
export async function run(args: readonly string[], options?: SpawnOptionsWithoutStdio) {
  const { printed, ended } = command(args, options)
  return { status: await ended, ...printed }
}

/** A server on loopback that gives every request the same response, or none, and ends with the tests of the file. */
export async function alike(body?: object) {
  const server = createServer((_, response) => {
    if (body) response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  open.push(server)
  return { server, port, baseUrl: `http://127.0.0.1:${port}${VERSION}` }
}

const open: ReturnType<typeof createServer>[] = []
afterAll(() => {
  for (const server of open) server.closeAllConnections()
  for (const server of open) server.close()
})
