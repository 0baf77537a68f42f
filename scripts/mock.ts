import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { toolPath } from './process.js'

export interface Mock {
  url: string
  close(): Promise<void>
}

/**
 * Starts Prism on a document, on loopback, and waits until it answers.
 *
 * @throws Error with what Prism printed when it does not start
 */
export async function startMock(document: string, port: number): Promise<Mock> {
  const args = [
    toolPath('prism'),
    'mock',
    document,
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    '--verboseLevel',
    'info',
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  await started(child)
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}

const started = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        printed = (printed + chunk).slice(-10_000)
        if (printed.includes('Prism is listening')) resolve()
      })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`Prism ended with ${code} before it listened: ${printed.trim()}`)))
  })
