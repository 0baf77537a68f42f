import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { protocol } from '../generated/contract.js'
import { TOOL_ENV } from './support/process.js'

export interface Mock {
  /** The base URL for clients. */
  url: string
  /** Resolves when Prism has ended, by itself or by `close`. */
  ended: Promise<unknown>
  close(): Promise<void>
}

/**
 * Starts Prism on `generated/openapi.mock.yaml` of a project, on loopback, and waits until it listens. It ends with this
 * process, however that ends. `options` are further ones of Prism.
 *
 * @throws Error with what Prism printed when it does not start
 */
export async function startMock(root: string, port: number, ...options: string[]): Promise<Mock> {
  const document = join(root, 'generated/openapi.mock.yaml')
  const args = ['mock', document, '--host', '127.0.0.1', '--port', `${port}`, '--verboseLevel', 'info', ...options]
  const script = createRequire(import.meta.url).resolve('@stoplight/prism-cli')
  const prism = fork(script, args, {
    cwd: root,
    env: { ...process.env, ...TOOL_ENV },
    silent: true,
    execArgv: ['--import', END_WITH_PARENT],
  })
  const ended = once(prism, 'exit')
  await new Promise<void>((resolve, reject) => {
    let printed = ''
    for (const stream of [prism.stdout, prism.stderr])
      stream?.on('data', (chunk) => {
        printed = (printed + chunk).slice(-10_000)
        if (printed.includes('Prism is listening')) resolve()
      })
    const fail = ([code]: unknown[]) =>
      reject(new Error(`Prism ended with ${code} before it listened: ${printed.trim()}`))
    ended.then(fail, reject)
  })
  const close = async () => {
    prism.kill('SIGTERM')
    await ended
  }
  return { url: `http://127.0.0.1:${port}${protocol.versionSegment}`, ended, close }
}

/** The channel to the parent is closed when the parent ends, also by SIGKILL. */
const END_WITH_PARENT = 'data:text/javascript,process.on("disconnect", () => process.exit())'

/** Keeps a mock running: starts Prism again when it ends by itself. */
export async function keepMock(root: string, port: number, report: (message: string) => void): Promise<Mock> {
  let mock = await startMock(root, port)
  let closed = false
  const watch = async () => {
    for (await mock.ended; !closed; await mock.ended) {
      report('Prism has ended by itself, as it does on some invalid requests. It is started again.')
      mock = await startMock(root, port)
      report(`The mock is at ${mock.url} again.`)
      if (closed) await mock.close()
    }
  }
  const ended = watch().catch((error) => report(`The mock is gone: ${error.message}`))
  const close = async () => {
    closed = true
    await mock.close()
    await ended
  }
  return { url: mock.url, ended, close }
}
