import { createSandbox, type Sandbox } from '../../src/tools/sandbox/index.js'
import { type ListenOptions, listen, type SandboxServer } from '../../src/tools/sandbox/port/index.js'
import { CONTROL } from '../../src/tools/sandbox/world/name.js'

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

/** The path of a command of the control interface, in a request that a test writes by hand. */
export const controlPath = (command = ''): string => `${CONTROL}/${command}`

/** Sends a command to the control interface of a sandbox or, by its `url`, of a world: with a body as a POST, without one as a GET. */
export const control = (server: { url: string }, command: string, body?: unknown, init: RequestInit = {}) =>
  fetch(server.url + controlPath(command), {
    ...(body !== undefined && {
      method: 'POST',
      body: body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
    }),
    ...init,
  })
