import { createSandbox, type Sandbox } from '../../src/sandbox/index.js'
import { type ListenOptions, listen, type SandboxServer } from '../../src/sandbox/node.js'

export const KEY = { authorization: 'Bearer key_valid' }
export const JSON_KEY = { ...KEY, 'content-type': 'application/json' }

/** What `endAll` ends. */
export const ends: (() => unknown)[] = []
/** For `afterEach`: modules are loaded once for all files. */
export const endAll = async () => {
  for (const end of ends.splice(0)) await end()
}

/** Serves a sandbox, by default a new one, on a free port until `endAll`. */
export async function serve(options: ListenOptions = {}, sandbox: Sandbox = createSandbox()): Promise<SandboxServer> {
  const server = await listen(sandbox, options)
  ends.push(server.close)
  return server
}
