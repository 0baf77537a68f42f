import { once } from 'node:events'
import { x } from 'tinyexec'
import { TOOL_ENV } from './support/process.js'

export interface Mock {
  url: string
  /** Resolves when Prism has ended, by itself or by `close`. */
  ended: Promise<unknown>
  close(): Promise<void>
}

/**
 * Starts Prism on a document, on loopback, and waits until it listens.
 *
 * @throws Error with what Prism printed when it does not start
 */
export async function startMock(document: string, port: number): Promise<Mock> {
  const args = ['mock', document, '--host', '127.0.0.1', '--port', String(port), '--verboseLevel', 'info']
  const prism = x('prism', args, { nodeOptions: { cwd: import.meta.dirname, env: TOOL_ENV } }).process!
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
  return { url: `http://127.0.0.1:${port}`, ended, close }
}

/** Keeps a mock running: starts Prism again when it ends by itself. */
export async function keepMock(document: string, port: number, report: (message: string) => void): Promise<Mock> {
  let mock = await startMock(document, port)
  let closed = false
  const watch = async () => {
    for (await mock.ended; !closed; await mock.ended) {
      report('Prism has ended by itself, as it does on some invalid requests. It is started again.')
      mock = await startMock(document, port)
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
