import { protocol } from '../../../../generated/contract.js'
import type { Run } from '../../../../generated/types.js'
import { STATUS } from '../../../internal/contract/status.js'
import { type OptionRules, optionProblems, rule, throwIfProblems } from '../../../internal/options.js'
import { now } from '../../../internal/time/system.js'
import type { Report } from '../../../shared/report.js'
import type { Fault, WaitingFault } from '../faults/types.js'
import type { RequestFilter } from '../log/index.js'
import type { RequestRecord } from '../log/request-record.js'
import { MAX_TIMEOUT, nothingMatched, requireFilter, waitSettings } from '../log/waiting.js'
import { announceWaiting } from '../runs/approvals.js'
import type { Sandbox, SandboxState } from '../sandbox.js'
import type { WorldOptions } from '../settings.js'
import type { SandboxSnapshot } from '../snapshot.js'
import type { DefaultKey, DefaultPlaybook } from '../world/default.js'
import { CONTROL, requireWorldName, TIMED_OUT, WORLD_GONE, WORLDS } from '../world/name.js'
import type { NamedWorld, World } from '../world/types.js'
import { type Control, connectControl, RemoteError, type Token } from './control.js'

export type { WorldOptions } from '../settings.js'

/** The members that a world declares itself or does not have. */
type Local =
  | 'fetch'
  | 'baseUrl'
  | 'keys'
  | 'playbooks'
  | 'onWaiting'
  | 'faults'
  | 'requests'
  | 'waitForRequest'
  | 'state'

/** The functions of a sandbox, as promises. */
type Remote = {
  [Name in Exclude<keyof Sandbox, Local>]: (...args: Parameters<Sandbox[Name]>) => Promise<ReturnType<Sandbox[Name]>>
}

/** A world of a sandbox on a port, for one test. Every function rejects with the message of the sandbox. */
export interface RemoteWorld<Key extends string = DefaultKey, Name extends string = DefaultPlaybook>
  extends AsyncDisposable,
    Remote,
    Pick<Sandbox<Key, Name>, 'baseUrl' | 'keys' | 'playbooks' | 'waitForRequest'> {
  /** Its keys select the world on the plain base URL of the server too. */
  name: string
  faults: () => Promise<WaitingFault[]>
  /** The matching requests of the log, at most `limit`. */
  requests: (filter?: RequestFilter & { limit?: number }) => Promise<RequestRecord[]>
  /**
   * Calls `listener` with each run whose step waits for approval, once per step, until the world is gone. Resolves to a
   * function that ends the subscription.
   */
  onWaiting: (listener: (run: Run) => unknown) => Promise<() => void>
  state: () => Promise<SandboxState>
  /** Deletes the world. Later requests get a 410. */
  [Symbol.asyncDispose](): Promise<void>
}

/** Creates worlds. A world replaces an existing one with the same name. */
export interface MakeWorld {
  (name: string, options?: WorldOptions & { world?: undefined }): Promise<RemoteWorld>
  <Key extends string, Name extends string>(
    name: string,
    options: WorldOptions & { world: NamedWorld<Key, Name> },
  ): Promise<RemoteWorld<Key, Name>>
  (name: string, options?: WorldOptions): Promise<RemoteWorld<string, string>>
}

/** Options for connecting to a sandbox on a port. */
interface ConnectOptions {
  /**
   * The token to send as `Authorization: Bearer`, which a sandbox outside of loopback requires. A function is called for each
   * request, for one that changes.
   */
  token?: Token
}

const REMOTE_RULES: OptionRules<ConnectOptions> = {
  token: rule(
    (value) => typeof value === 'string' || typeof value === 'function',
    'a string, or a function that returns it',
  ),
}

/**
 * Connects to a sandbox on a port, such as that of
 * `npx @workflow-automation/contract sandbox`. Nothing is sent yet.
 *
 * @throws TypeError when the URL is not an http or https URL, or an option is invalid
 */
export function connectSandbox(url: string | URL, options: ConnectOptions = {}): { world: MakeWorld } {
  throwIfProblems('connectSandbox', optionProblems(options, REMOTE_RULES))
  const address = addressOf(url)
  const { send } = connectControl(address, options.token)
  const world = async (name: string, options: WorldOptions = {}): Promise<RemoteWorld> => {
    requireWorldName(name)
    const made = (await send('PUT', `${WORLDS}${name}`, options)) as MadeWorld
    return remoteWorld(name, send, { ...made, baseUrl: `${address}${WORLDS}${name}${protocol.versionSegment}` })
  }
  return { world: world as MakeWorld }
}

type Send = Control['send']
type MadeWorld = Pick<RemoteWorld<string, string>, 'baseUrl' | 'keys' | 'playbooks'>

function remoteWorld(name: string, send: Send, made: MadeWorld): RemoteWorld {
  const own = `${WORLDS}${name}${CONTROL}/`
  const control = <T>(method: string, command: string, body?: unknown, signal?: AbortSignal) =>
    send(method, own + command, body, signal) as Promise<T>
  const decide = (id: string, decision: string) => control<Run>('POST', `runs/${encodeURIComponent(id)}/${decision}`)
  return {
    name,
    ...made,
    approve: (id) => decide(id, 'approve'),
    reject: (id) => decide(id, 'reject'),
    inject: async (fault) => void (await control('POST', 'inject', sentFault(fault))),
    faults: () => control('GET', 'faults'),
    clearFaults: async () => void (await control('DELETE', 'faults')),
    advance: async (ms) => void (await control('POST', 'advance', { ms })),
    pause: async () => void (await control('POST', 'pause')),
    resume: async () => void (await control('POST', 'resume')),
    setTime: async (time) => void (await control('POST', 'time', { time })),
    snapshot: () => control<SandboxSnapshot>('GET', 'snapshot'),
    restore: async (snapshot) => void (await control('POST', 'restore', snapshot)),
    export: () => control<World>('GET', 'export'),
    requests: async ({ limit, ...filter } = {}) =>
      control('GET', `requests?${queryOf(requireFilter(filter), { limit })}`),
    waitForRequest: async (filter = {}, options = {}) => {
      const { timeout, signal } = waitSettings(options)
      const { after } = requireFilter(filter)
      const next = (ms: number) => `requests/next?${queryOf(filter, { timeout: Math.ceil(ms) })}`
      try {
        return await waitInParts(timeout, (ms) => control<RequestRecord>('GET', next(ms), undefined, signal))
      } catch (error) {
        if (!(error instanceof RemoteError) || error.status !== TIMED_OUT) throw error
        // The sandbox knows only the last part of the wait.
        const why = nothingMatched(filter, timeout, await control('GET', `requests?${queryOf({ after }, {})}`))
        throw new RemoteError(`GET ${own}requests/next failed with ${TIMED_OUT}: ${why}`, why, TIMED_OUT)
      }
    },
    clientRules: async () => ({ ...(await control<Report>('GET', 'rules')), baseUrl: made.baseUrl }),
    exercise: async () => void (await control('POST', 'exercise')),
    waitingRuns: () => control('GET', 'waiting'),
    onWaiting: (listener) => watchWaiting(() => control('GET', 'waiting'), listener),
    state: () => control('GET', 'state'),
    reset: async () => void (await control('POST', 'reset')),
    [Symbol.asyncDispose]: () =>
      send('DELETE', `${WORLDS}${name}`).then(
        () => {},
        (error) => {
          // The world was already deleted, or its server closed.
          if (![undefined, STATUS.notFound, WORLD_GONE].includes(error.status)) throw error
        },
      ),
  }
}

/** JSON has no `Infinity`. */
const sentFault = ({ times, ...fault }: Fault): Fault =>
  times === Number.POSITIVE_INFINITY
    ? { ...fault, untilCleared: true }
    : { ...fault, ...(times !== undefined && { times }) }

function queryOf({ body, ...filter }: RequestFilter, more: Record<string, number | undefined>): URLSearchParams {
  const given = Object.entries({ ...filter, ...more }).filter(([, value]) => value !== undefined)
  if (body !== undefined) given.push(['body', JSON.stringify(body)])
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
}

/** Waits in parts no longer than a sandbox allows, until one resolves to a value or `timeout` is over. */
async function waitInParts<T>(timeout: number, wait: (ms: number) => Promise<T>): Promise<T> {
  const end = now() + timeout
  for (let left = timeout; left > MAX_TIMEOUT; left = end - now()) {
    const found = await wait(MAX_TIMEOUT).catch((error) => {
      if (error.status !== TIMED_OUT) throw error
    })
    if (found) return found
  }
  return wait(Math.max(0, end - now()))
}

/** Polls for waiting runs until the returned function is called, or the world does not come back. Resolves after the first poll. */
async function watchWaiting(read: () => Promise<Run[]>, listener: (run: Run) => unknown): Promise<() => void> {
  let isEnded = false
  let timer: ReturnType<typeof setTimeout> | undefined
  const announce = announceWaiting((run) => isEnded || listener(run))
  const poll = async () => announce(await read())
  const pollLater = (isLost: boolean) => {
    if (isEnded) return
    timer = setTimeout(
      () =>
        poll().then(
          () => pollLater(false),
          ({ status }) => ENDS.has(status) || pollLater(true),
        ),
      WAITING_POLL_INTERVAL,
    )
    // A sandbox that is gone keeps no process alive. In browsers a timer is a number.
    if (isLost) timer.unref?.()
  }
  await poll()
  pollLater(false)
  return () => {
    isEnded = true
    clearTimeout(timer)
  }
}

/** After these a world does not come back: the token is wrong, its server does not know it, or it was deleted. */
const ENDS: ReadonlySet<number> = new Set([STATUS.unauthorized, STATUS.notFound, WORLD_GONE])

/** How often a world is polled for runs that wait, in ms. */
const WAITING_POLL_INTERVAL = 100

/** The origin of the sandbox, and its path behind a proxy. The base URL of its API is accepted too. */
function addressOf(url: string | URL): string {
  const { origin, pathname } = URL.canParse(url) ? new URL(url) : { origin: '', pathname: '' }
  if (!/^https?:/.test(origin))
    throw new TypeError(`connectSandbox expects a URL such as http://127.0.0.1:4010, but got ${JSON.stringify(url)}.`)
  const path = pathname.replace(/\/+$/, '')
  return origin + (path.endsWith(protocol.versionSegment) ? path.slice(0, -protocol.versionSegment.length) : path)
}
