import { STATUS } from '../../../internal/contract/status.js'
import { parseJson } from '../../../internal/http/json.js'
import { throwIfAborted } from '../../../internal/time/abort.js'
import { sleep } from '../../../internal/time/system.js'
import type { SandboxEvent } from '../events.js'
import { CONTROL, WORLD_GONE } from '../world/name.js'

/** The token that a sandbox outside of loopback requires: a function is called for each request. */
export type Token = string | undefined | (() => string | null | undefined)

/** Requests of the control interface of the sandbox at an address, which may have the path of a proxy. */
export type Control = ReturnType<typeof connectControl>

export function connectControl(address: string, token: Token) {
  const request = (method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> => {
    const value = typeof token === 'function' ? token() : token
    const headers = { 'content-type': 'application/json', ...(value != null && { authorization: `Bearer ${value}` }) }
    const init = { method, headers, signal: signal ?? null, ...(body !== undefined && { body: JSON.stringify(body) }) }
    return fetch(address + path, init)
  }
  /** @throws RemoteError */
  const send = async (method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<unknown> => {
    const failed = `${method} ${path} failed`
    const sent = request(method, path, body, signal).then(
      async (response) => [response, await response.text()] as const,
    )
    const [{ ok, status }, text] = await sent.catch((cause) => {
      throwIfAborted(signal)
      const advice = `Start one with npx @workflow-automation/contract sandbox${optionOf(address)}.`
      const message = `${failed}: no sandbox can be reached at ${address}. ${advice}`
      throw new RemoteError(message, NO_RESPONSE, undefined, { cause })
    })
    const result = parseJson(text)
    const notOne = `${address} is not a sandbox: ${method} ${path} responded ${status} without JSON.`
    if (result === undefined) throw new RemoteError(notOne, notOne, status)
    const { message = 'no message' } = Object(result)
    if (!ok) throw new RemoteError(`${failed} with ${status}: ${message}`, message, status)
    return result
  }
  return {
    send,
    /** Follows the events of the sandbox, or of the world at a path, until the signal is aborted or the world is gone. */
    follow: async (world: string, listener: FollowListener, signal: AbortSignal): Promise<void> => {
      for (let failures = 0; ; ) {
        const opened = await readStream(
          (silent) => request('GET', `${world}${CONTROL}/events`, undefined, silent),
          listener,
          signal,
        )
        if (signal.aborted) return
        try {
          await send('GET', `${world}${CONTROL}/keys`, undefined, AbortSignal.timeout(RESPOND_WITHIN))
          failures = 0
          if (!opened) {
            listener.connection('polling')
            listener.changed()
          }
        } catch (error) {
          const { status, reason = NO_RESPONSE } = error as Partial<RemoteError>
          if (status === STATUS.unauthorized) return listener.connection('locked')
          if (status === WORLD_GONE || ++failures === MAX_FAILURES)
            return listener.connection('ended', `${reason} Reload this page to try again.`)
          listener.connection('lost', status === undefined ? undefined : reason)
        }
        await sleep(RETRY, signal).catch(() => {})
      }
    },
  }
}

/**
 * `live`: events arrive; `polling`: the state is polled; `lost`: the sandbox does not respond; `locked`: it needs a token;
 * `ended`: it is gone, and asked no more.
 */
export type Connection = 'live' | 'polling' | 'lost' | 'locked' | 'ended'

/** Receives the events of a sandbox. */
export interface FollowListener {
  /** Everything must be read again: the connection is new, events were missed, or the sandbox was reset. */
  changed(): void
  event(event: SandboxEvent, number: number): void
  connection(connection: Connection, problem?: string): void
}

/** Reads events until the stream ends. Resolves to whether any arrived. */
async function readStream(
  open: (signal: AbortSignal) => Promise<Response>,
  { changed, event, connection }: FollowListener,
  signal: AbortSignal,
): Promise<boolean> {
  const silent = new AbortController()
  const giveUpIn = (ms: number) => setTimeout(() => silent.abort(), ms)
  let timer = giveUpIn(OPEN_WITHIN)
  let last: number | undefined
  try {
    const { ok, body } = await open(AbortSignal.any([signal, silent.signal]))
    if (!ok || !body) return false
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      clearTimeout(timer)
      timer = giveUpIn(SILENT_WITHIN)
      const parts = (text + read.value).split('\n\n')
      text = parts.pop() ?? ''
      for (const part of parts) {
        const found = EVENT.exec(part)
        if (!found) continue
        const [, type = '', id, data = ''] = found
        const number = Number(id)
        if (type === 'open') connection('live')
        if (type === 'open' || type === 'reset' || number !== (last ?? 0) + 1) changed()
        else event({ type, ...JSON.parse(data) }, number)
        last = number
      }
    }
  } catch {
    // The connection broke, or was silent for too long.
  } finally {
    clearTimeout(timer)
  }
  return last !== undefined
}

/** A server-sent event, as a sandbox writes it. */
const EVENT = /event: (\w+)\nid: (\d+)\ndata: (.*)$/s

/** How long a stream may take to open, and be silent afterwards (it has a heartbeat each 15 s), in ms. */
const OPEN_WITHIN = 2_000
const SILENT_WITHIN = 40_000

/** How long the sandbox may take to respond to a read of the console, in ms. */
export const RESPOND_WITHIN = 10_000

/** The time between two attempts, in ms, and how many may fail in a row. */
const RETRY = 1_000
const MAX_FAILURES = 60

const NO_RESPONSE = 'The sandbox is not responding.'

/** What a page of another origin needs. Its browser does not say whether a response was refused. */
function optionOf(address: string): string {
  const origin = globalThis.location?.origin ?? ''
  if (!/^https?:/.test(origin) || origin === new URL(address).origin) return ''
  return ` --allowed-origin ${origin}: a page of another origin, or port, needs this option`
}

/** A failed request to the control interface. */
export class RemoteError extends Error {
  constructor(
    message: string,
    /** What the sandbox said, without what failed. */
    readonly reason: string,
    /** Undefined without a response. */
    readonly status: number | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
