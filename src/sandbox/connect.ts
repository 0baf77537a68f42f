import type { Run } from '../../generated/types.js'
import { parseJson } from '../internal/json.js'
import { type OptionRules, optionProblems, shown, throwIfProblems, wholeNumber } from '../internal/options.js'
import type { Sandbox, SandboxState } from './create.js'
import type { DefaultKey, DefaultPlaybook } from './default-world.js'
import type { WaitingFault } from './faults.js'
import type { RequestRecord } from './log.js'
import type { NamedWorld } from './world.js'
import { requireWorldName, type WorldOptions } from './worlds.js'

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
  requests(page?: RequestsPage): Promise<RequestRecord[]>
  state(): Promise<SandboxState>
  /** Deletes the world; its requests get a 410 afterwards. */
  [Symbol.asyncDispose](): Promise<void>
}

interface RequestsPage {
  after?: number
  limit?: number
}

/** Creates worlds; each replaces one with the same name. */
export interface MakeWorld {
  (name: string, options?: WorldOptions & { world?: undefined }): Promise<RemoteWorld<DefaultKey, DefaultPlaybook>>
  <Key extends string, Name extends string>(
    name: string,
    options: WorldOptions & { world: NamedWorld<Key, Name> },
  ): Promise<RemoteWorld<Key, Name>>
  (name: string, options: WorldOptions): Promise<RemoteWorld>
}

/** How a sandbox on a port is reached. */
interface ConnectOptions {
  /** What it wants as `Authorization: Bearer`, when it is not on a loopback address. */
  token?: string | undefined
}

const RULES: OptionRules<ConnectOptions> = { token: [(value) => typeof value === 'string', 'a text'] }

/**
 * Connects to a sandbox on a port, such as that of
 * `npx --package @workflow-automation/contract workflow-automation sandbox`. Nothing is sent yet.
 *
 * @throws TypeError when the URL is not one of http or https, or an option is wrong
 */
export function connectSandbox(url: string | URL, options: ConnectOptions = {}): { world: MakeWorld } {
  throwIfProblems('connectSandbox', optionProblems(options, RULES))
  const send = createSend(originOf(url), options.token)
  const world = async (name: string, options: WorldOptions = {}): Promise<RemoteWorld> => {
    requireWorldName(name)
    return remoteWorld(name, send, (await send('PUT', `/w/${name}`, options)) as MadeWorld)
  }
  return { world: world as MakeWorld }
}

type Send = (method: string, path: string, body?: unknown) => Promise<unknown>
type MadeWorld = Pick<RemoteWorld, 'baseUrl' | 'keys' | 'playbooks'>

function remoteWorld(name: string, send: Send, made: MadeWorld): RemoteWorld {
  const control = <T>(method: string, command: string, body?: unknown) =>
    send(method, `/w/${name}/__sandbox/${command}`, body) as Promise<T>
  const decide = async (id: string, decision: string) => {
    // A URL has no such segments.
    if (/^\.{0,2}$/.test(id)) throw new TypeError(`${decision} needs the id of a run, and got ${shown(id)}.`)
    return control<Run>('POST', `runs/${encodeURIComponent(id)}/${decision}`)
  }
  return {
    name,
    ...made,
    approve: (id) => decide(id, 'approve'),
    reject: (id) => decide(id, 'reject'),
    inject: async (fault) => void (await control('POST', 'inject', fault)),
    faults: () => control('GET', 'faults'),
    clearFaults: async () => void (await control('DELETE', 'faults')),
    advance: async (ms) => void (await control('POST', 'advance', { ms })),
    async requests(page = {}) {
      throwIfProblems('requests', optionProblems(page, PAGE))
      const { after = 0, limit } = page
      const query = new URLSearchParams({ after: `${after}`, ...(limit !== undefined && { limit: `${limit}` }) })
      return control('GET', `requests?${query}`)
    },
    state: () => control('GET', 'state'),
    reset: async () => void (await control('POST', 'reset')),
    [Symbol.asyncDispose]: () =>
      send('DELETE', `/w/${name}`).then(
        () => {},
        (error) => {
          // The world was already deleted, or its server closed.
          if (![undefined, 404, 410].includes(error.status)) throw error
        },
      ),
  }
}

const PAGE: OptionRules<RequestsPage> = { after: wholeNumber(0), limit: wholeNumber(0) }

/** Sends requests to the control interface. */
function createSend(origin: string, token: string | undefined): Send {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  return async (method, path, body) => {
    const failed = `${method} ${path} failed`
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await fetch(origin + path, init).catch((error) => {
      const message = `${failed}: no sandbox can be reached at ${origin}. Start one with npx --package @workflow-automation/contract workflow-automation sandbox.`
      throw new RemoteError(message, undefined, { cause: error })
    })
    const { status } = response
    const result = parseJson(await response.text()) as { message?: string } | undefined
    if (result === undefined)
      throw new RemoteError(`${origin} is not a sandbox: ${method} ${path} responded ${status} without JSON.`, status)
    if (!response.ok) throw new RemoteError(`${failed} with ${status}: ${result.message}`, status)
    return result
  }
}

/** A failed request to the control interface; `status` is undefined without a response. */
class RemoteError extends Error {
  constructor(
    message: string,
    readonly status: number | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

function originOf(url: string | URL): string {
  const { protocol, origin } = URL.canParse(url) ? new URL(url) : { protocol: '', origin: '' }
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new TypeError(`connectSandbox needs a URL such as http://127.0.0.1:4010, and got ${JSON.stringify(url)}.`)
  return origin
}
