import { once } from 'node:events'
import { x } from 'tinyexec'
import { TOOL_ENV } from './process.js'

export interface Mock {
  url: string
  close(): Promise<void>
}

/**
 * Starts Prism on a document, on loopback, and waits until it listens.
 *
 * @throws Error with what Prism printed when it does not start
 */
export async function startMock(document: string, port: number): Promise<Mock> {
  const args = ['mock', document, '--host', '127.0.0.1', '--port', String(port), '--verboseLevel', 'info']
  const { process: prism } = x('prism', args, { nodeOptions: { cwd: import.meta.dirname, env: TOOL_ENV } })
  if (!prism) throw new Error('Prism could not be started. Run "npm ci".')
  await new Promise<void>((resolve, reject) => {
    let printed = ''
    for (const stream of [prism.stdout, prism.stderr])
      stream?.on('data', (chunk) => {
        printed = (printed + chunk).slice(-10_000)
        if (printed.includes('Prism is listening')) resolve()
      })
    prism.once('error', reject)
    prism.once('exit', (code) => reject(new Error(`Prism ended with ${code} before it listened: ${printed.trim()}`)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      if (prism.exitCode !== null || prism.signalCode !== null) return
      prism.kill('SIGTERM')
      await once(prism, 'exit')
    },
  }
}
