import { protocol } from '../../../generated/operations.js'
import { STATUS } from '../../internal/contract/status.js'
import { sleep } from '../../internal/time/system.js'
import { CONTROL, WORLD_GONE } from '../sandbox/world/name.js'
import type { Backend, BackendListener } from './backend.js'

/** A command that the sandbox refused. */
class CommandError extends Error {
  override name = 'CommandError'
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

/**
 * The sandbox on a port below `prefix`: a proxy's path, then `/w/<name>` for a world; both may be missing. It does not use
 * `connectSandbox`, which knows no prefix, no token that the user may change, and no events.
 */
export function createNetworkBackend(prefix: string, token: () => string | null): Backend {
  const send: Send = (path, init) => {
    const value = token()
    const headers = { ...(value !== null && { authorization: `Bearer ${value}` }), 'content-type': 'application/json' }
    return fetch(`${prefix}${CONTROL}/${path}`, { ...init, headers })
  }
  return {
    baseUrl: `${location.origin}${prefix}${protocol.versionSegment}`,
    isReachable: true,
    command: (command, body) => runCommand(send, command, body),
    fetch: (url, init) => fetch(url, init),
    subscribe(listener) {
      const ended = new AbortController()
      void follow(send, listener, ended.signal)
      return () => ended.abort()
    },
  }
}

/** Requests a path of the control interface. */
type Send = (path: string, init: RequestInit) => Promise<Response>

async function runCommand<T>(send: Send, command: string, body?: object): Promise<T> {
  const [method = '', path = ''] = command.split(' ')
  const response = await send(path, { method, ...(body && { body: JSON.stringify(body) }) }).catch(() => {
    throw new Error(NO_RESPONSE)
  })
  const result = await response.json()
  if (!response.ok) throw new CommandError(response.status, result.message)
  return result
}

const NO_RESPONSE = 'The sandbox is not responding.'

async function follow(send: Send, listener: BackendListener, signal: AbortSignal): Promise<void> {
  const { changed, connection } = listener
  for (let failures = 0; ; ) {
    const opened = await readStream(send, listener, signal)
    if (signal.aborted) return
    try {
      await runCommand(send, 'GET keys')
      failures = 0
      if (!opened) {
        connection('polling')
        changed()
      }
    } catch (error) {
      const { status, message } = error instanceof CommandError ? error : {}
      if (status === STATUS.unauthorized) return connection('locked')
      if (status === WORLD_GONE || ++failures === MAX_FAILURES)
        return connection('ended', `${message ?? NO_RESPONSE} Reload this page to try again.`)
      connection('lost', message)
    }
    await sleep(RETRY, signal).catch(() => {})
  }
}

/** Waits for events until the stream ends. Resolves to whether any arrived. */
async function readStream(send: Send, { changed, connection }: BackendListener, signal: AbortSignal): Promise<boolean> {
  const silent = new AbortController()
  const giveUpIn = (ms: number) => setTimeout(() => silent.abort(), ms)
  let timer = giveUpIn(OPEN_WITHIN)
  let opened = false
  try {
    const { ok, body } = await send('events', { signal: AbortSignal.any([signal, silent.signal]) })
    if (!ok || !body) return false
    const reader = body.getReader()
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      clearTimeout(timer)
      timer = giveUpIn(SILENT_WITHIN)
      if (!opened) connection('live')
      opened = true
      changed()
    }
  } catch {
    // The connection broke, or was silent for too long.
  } finally {
    clearTimeout(timer)
  }
  return opened
}

/** How long a stream may take to open, and be silent afterwards (it has a heartbeat each 15 s), in ms. */
const OPEN_WITHIN = 2_000
const SILENT_WITHIN = 40_000

/** The time between two attempts, in ms, and how many may fail in a row. */
const RETRY = 1_000
const MAX_FAILURES = 60
