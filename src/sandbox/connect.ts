import type { Run } from '../../generated/types.js'
import type { Sandbox, SandboxState } from './create.js'
import type { DefaultKey, DefaultPlaybook } from './default-world.js'
import type { WaitingFault } from './faults.js'
import type { RequestRecord } from './log.js'
import type { NamedWorld } from './world.js'
import type { WorldOptions } from './worlds.js'

type Commands = 'approve' | 'reject' | 'inject' | 'clearFaults' | 'advance' | 'reset'

/** The functions of a sandbox, as promises. */
type Remote = {
  [Name in Commands]: (...args: Parameters<Sandbox[Name]>) => Promise<ReturnType<Sandbox[Name]>>
}

/** A world of a sandbox on a port, for one test. Every function rejects with the message of the sandbox. */
export interface RemoteWorld<Key extends string = string, Name extends string = string>
  extends AsyncDisposable,
    Remote,
    Pick<Sandbox<Key, Name>, 'baseUrl' | 'keys' | 'playbooks'> {
  /** Its keys select the world on the plain base URL of the server too. */
  name: string
  faults(): Promise<WaitingFault[]>
  /** The last requests: those after a number, `limit` of them at most. */
  requests(page?: { after?: number; limit?: number }): Promise<RequestRecord[]>
  state(): Promise<SandboxState>
  /** Ends the world; its requests get a 410 afterwards. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Makes worlds, each in the place of one with the same name. */
export interface MakeWorld {
  (name: string, options?: WorldOptions & { world?: undefined }): Promise<RemoteWorld<DefaultKey, DefaultPlaybook>>
  <Key extends string, Name extends string>(
    name: string,
    options: WorldOptions & { world: NamedWorld<Key, Name> },
  ): Promise<RemoteWorld<Key, Name>>
  (name: string, options: WorldOptions): Promise<RemoteWorld>
}

/** Connects to a sandbox on a port, such as that of `npx workflow-automation sandbox`. Nothing is sent yet. */
export function connectSandbox(
  url: string | URL,
  { token }: { token?: string | undefined } = {},
): { world: MakeWorld } {
  const { origin } = new URL(url)
  const send = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(origin + path, {
      method,
      headers: { 'content-type': 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const result = await response.json()
    if (!response.ok) throw new Error(`${method} ${path} failed with ${response.status}: ${result.message}`)
    return result
  }
  const world = async (name: string, options: WorldOptions = {}): Promise<RemoteWorld> => {
    const path = `/w/${encodeURIComponent(name)}`
    const made = (await send('PUT', path, options)) as Pick<RemoteWorld, 'baseUrl' | 'keys' | 'playbooks'>
    const control = <T>(method: string, command: string, body?: unknown) =>
      send(method, `${path}/__sandbox/${command}`, body) as Promise<T>
    const decide = (id: string, decision: string) => control<Run>('POST', `runs/${encodeURIComponent(id)}/${decision}`)
    return {
      name,
      ...made,
      approve: (id) => decide(id, 'approve'),
      reject: (id) => decide(id, 'reject'),
      inject: async (fault) => void (await control('POST', 'inject', fault)),
      faults: () => control('GET', 'faults'),
      clearFaults: async () => void (await control('DELETE', 'faults')),
      advance: async (ms) => void (await control('POST', 'advance', { ms })),
      requests({ after = 0, limit } = {}) {
        const query = new URLSearchParams({ after: `${after}`, ...(limit !== undefined && { limit: `${limit}` }) })
        return control('GET', `requests?${query}`)
      },
      state: () => control('GET', 'state'),
      reset: async () => void (await control('POST', 'reset')),
      [Symbol.asyncDispose]: async () => void (await send('DELETE', path)),
    }
  }
  return { world: world as MakeWorld }
}
