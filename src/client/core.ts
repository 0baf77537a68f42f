import { protocol } from '../../generated/operations.js'
import { hasNullBody } from '../internal/status.js'
import { onAbort, throwIfAborted } from '../internal/time.js'
import {
  type Call,
  type Keys,
  type Layer,
  type Progress,
  type Reply,
  type Send,
  type Target,
  timeoutError,
} from './call.js'
import type { Known } from './check.js'
import { authenticate, createCredentials, createKeys } from './layers/authenticate.js'
import { type Cache, createCache } from './layers/cache.js'
import { deprecation, observeAttempt } from './layers/observe.js'
import { retry } from './layers/retry.js'
import { limits } from './limits/index.js'
import { createWorkspace, findWorkspace, type Workspace } from './limits/workspace.js'
import { headersByName } from './openapi-fetch.js'
import { type CallOptions, callSettings, type Settings } from './options.js'
import { createStartedRuns } from './started-run.js'
import { transport } from './transport.js'

/** What a client and a `fetch` have in common: calls, and the layers that their requests go through. */
export interface Core {
  /** Runs the work of a call within its total time, until the caller aborts it. */
  withCall<T>(input: CallInput, work: (call: Call) => Promise<T>): Promise<T>
  /** Sends the request of a call through the layers. */
  exchange(request: Request, call: Call): Promise<Reply>
}

/** How a call begins. */
export interface CallInput {
  target: Target
  options?: CallOptions | undefined
  priority?: Call['priority']
  /** Where the keys are noted that it was sent with; of its own by default. */
  keys?: Keys | undefined
}

export function createCore(settings: Settings, shared: Shared): Core {
  const { baseUrl, plan, rateLimiter, apiKey } = settings
  const credentials = createCredentials(apiKey)
  const { queue, heed429 } = limits({ workspace: workspaceOf(settings, shared), plan, rateLimiter, hooks: settings })
  // A request goes through them from the first to the last, and its response back.
  const layers: Layer[] = [
    deprecation(settings, shared.deprecations),
    shared.cache.layer(credentials, settings),
    retry(settings, credentials),
    queue,
    authenticate(credentials, baseUrl),
    heed429,
    observeAttempt(settings),
  ]
  const last = transport(settings.fetch, settings.maxResponseSize)
  return {
    withCall: createWithCall(settings),
    exchange: createExchange(layers.reduceRight((next, layer) => layer(next), last)),
  }
}

function createWithCall({ baseUrl, apiKey, headers: ofClient, call: defaults, time }: Settings): Core['withCall'] {
  const { host } = new URL(baseUrl)
  const onlyKey = typeof apiKey === 'string' ? createKeys(apiKey) : undefined
  const defaultHeaders = { ...DEFAULT_HEADERS, ...headersByName(ofClient) }
  return async ({ target, options, priority, keys = onlyKey ?? createKeys() }, work) => {
    const settings = callSettings(defaults, options)
    const { totalTimeout, serviceVersion } = settings
    const headers = {
      ...defaultHeaders,
      ...(serviceVersion && { [VERSION_HEADER]: serviceVersion }),
      ...headersByName(options?.headers),
    }
    const progress: Progress = { attempts: 0, keys, refused: false, mayHaveArrived: false }
    const deadline = time.now() + totalTimeout
    const late = () => timeoutError({ ...target, host, settings, progress }, 'totalTimeout')
    return time.withTimeout(options?.signal ?? undefined, totalTimeout, late, (signal, abort) =>
      work({ ...target, host, settings, headers, time, priority, deadline, progress, signal, abort }),
    )
  }
}

const VERSION_HEADER = protocol.versionHeader.toLowerCase()

/** A browser sets its own user agent, and would ask the service to allow another. */
const DEFAULT_HEADERS = {
  accept: 'application/json',
  'user-agent': 'document' in globalThis || 'importScripts' in globalThis ? undefined : protocol.userAgent,
}

const createExchange =
  (send: Send): Core['exchange'] =>
  async (request, call) => {
    const { url, method, headers, signal } = request
    // Middleware may have given the request a signal of its own.
    const ignore = onAbort(signal, () => call.abort(signal.reason))
    try {
      const body = await bodyOf(request)
      if (signal?.aborted) call.abort(signal.reason)
      throwIfAborted(call.signal)
      return await send({ url, method, headers: Object.fromEntries(headers), body }, call)
    } finally {
      ignore()
    }
  }

/** The whole body, so that it can be sent again: as text, or as bytes when it is none or `fetch` would give it a type. */
async function bodyOf(request: Request): Promise<string | ArrayBuffer | undefined> {
  if (['GET', 'HEAD'].includes(request.method)) return undefined
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength === 0) return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return request.headers.has('content-type') ? text : bytes
  } catch {
    return bytes
  }
}

/** A real Response, which can be read and cloned. */
export function responseOf(reply: Reply): Response {
  const { url, status, statusText, headers, text, bytes } = reply
  // The constructor takes no other status, though servers send some, and no text of a status outside of Latin-1.
  const response = new Response(text && !hasNullBody(status) ? (bytes ?? text) : null, {
    status: Math.min(status, 599),
    headers,
  })
  // The constructor adds a type to a text. The others describe the body as it was on its way.
  if (!headers.has('content-type')) response.headers.delete('content-type')
  response.headers.delete('content-encoding')
  response.headers.delete('content-length')
  return Object.defineProperties(response, {
    url: { value: url },
    status: { value: status },
    statusText: { value: statusText },
    // The runtime's own would have none of them.
    clone: { value: () => responseOf(reply) },
  })
}

/** What clients share that were made from one another. */
export interface Shared extends Known {
  cache: Cache
  /** The workspace of a client that neither names one nor has a key that stays the same. */
  ownWorkspace: Workspace
  /** The deprecations that were reported. */
  deprecations: Set<string>
}

export const createShared = (settings: Settings): Shared => ({
  cache: createCache(settings.cache ?? true, `${settings.baseUrl} ${workspaceId(settings)}`, settings.clock),
  ownWorkspace: createWorkspace(settings.time),
  deprecations: new Set(),
  startedRuns: createStartedRuns(settings.time),
  warned: new Set(),
})

/** Finds the workspace of a client for each request, also when it was dropped while it was idle. */
function workspaceOf(settings: Settings, { ownWorkspace }: Shared): () => Workspace {
  const { baseUrl, fetch, plan, polling, time } = settings
  const id = workspaceId(settings)
  let last: Workspace | undefined
  const find = () => {
    const workspace = id === undefined ? ownWorkspace : findWorkspace(time, fetch, `${baseUrl} ${id}`, last)
    if (workspace !== last) workspace.join(plan, polling.rateShare)
    last = workspace
    return workspace
  }
  // Its plan applies from now on.
  find()
  return find
}

/** Names the workspace of a client by the option, or by a key that stays the same. */
const workspaceId = ({ workspace, apiKey }: Settings): string | undefined =>
  workspace !== undefined ? `name ${workspace}` : typeof apiKey === 'string' ? `key ${apiKey}` : undefined
