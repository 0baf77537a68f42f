import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const prism = createRequire(import.meta.url).resolve('@stoplight/prism-cli/dist/index.js')
const document = fileURLToPath(new URL('../../generated/openapi.yaml', import.meta.url))

export interface Prism {
  url: string
  close(): Promise<void>
}

/** Starts the real Prism as a mock, or as a proxy in front of an upstream, on a free port. */
export async function startPrism(mode: 'mock' | 'proxy', upstream?: string): Promise<Prism> {
  const args = [prism, mode, document, ...(upstream ? [upstream] : []), '--port', '0']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  let printed = ''
  let match: RegExpExecArray | null = null
  while (!match) {
    const [chunk] = await Promise.race([once(child.stdout, 'data'), ended.then(() => [undefined])])
    if (chunk === undefined) throw new Error(`Prism ended:\n${printed}`)
    printed += chunk
    match = /listening on (http:\/\/\S+:\d+)/.exec(printed)
  }
  child.stdout.resume()
  return {
    url: match[1] ?? '',
    async close() {
      child.kill()
      await ended
    },
  }
}
