import { STATUS } from '../../internal/contract/status.js'
import { throwIfAborted } from '../../internal/time/abort.js'
import type { Cache } from '../cache/index.js'
import { ConnectionError, TimeoutError } from '../errors.js'
import { report, reportDeprecation } from '../hooks.js'
import { createLimits } from '../limits/index.js'
import type { Workspace } from '../limits/workspace.js'
import { type CallOptions, callSettings, type Settings } from '../options.js'
import { createAttempt } from './attempt.js'
import { type Call, type ClientRequest, fits, inTime, nameOf, type Reply, type Target } from './call.js'
import { createFetchAdapter, type FetchAdapter, linkOf } from './fetch.js'
import { type ApiKey, createKeys, type Keys, validKey } from './keys.js'
import { askedWait, backoff, isOfGateway, mayRetry } from './retry.js'

/** What a client and a `fetch` have in common: how a call begins, and how its request is sent. */
export interface Pipeline {
  /** @throws TypeError for an option that is wrong */
  begin(target: Target, how?: Beginning): Call
  /** Sends the request of a call: from the cache, or through the rules of the service. */
  send(request: ClientRequest, call: Call): Promise<Reply>
  throwIfLoop: FetchAdapter['throwIfLoop']
}

/** How a call begins, beside its target. */
export interface Beginning {
  options?: CallOptions | undefined
  priority?: Call['priority']
  /** Where the keys are noted that it is sent with; the call's own by default. */
  keys?: Keys
  /** The key of its first attempt, where it was read before. */
  firstKey?: string | undefined
}

/** What the pipelines of clients share that were made from one another. */
export interface SharedState {
  cache: Cache
  workspace: () => Workspace
  /** The deprecations that were reported. */
  deprecations: Set<string>
}

export function createPipeline(settings: Settings, { cache, workspace, deprecations }: SharedState): Pipeline {
  const { baseUrl, host, apiKey, call: defaults, time } = settings
  const credentials = createCredentials(apiKey)
  const onlyKey = typeof apiKey === 'string' ? createKeys(apiKey) : undefined
  const adapter = createFetchAdapter(settings.fetch)
  const sendInTurn = createSendInTurn(settings, adapter, credentials, workspace)
  const through = cache.through(credentials, settings, sendInTurn)
  return {
    throwIfLoop: adapter.throwIfLoop,
    begin(target, { options, priority = 'ordinary', keys = onlyKey ?? createKeys(apiKey), firstKey } = {}) {
      const { operation, meta, method, path } = target
      const settings = callSettings(defaults, options)
      return {
        ...{ operation, meta, method, path, settings, time, host, priority, keys },
        signal: options?.signal ?? undefined,
        deadline: time.now() + settings.totalTimeout,
        shared: false,
        attempts: 0,
        authorization: undefined,
        within: linkOf(options?.signal),
        firstAuthorization: firstKey === undefined ? undefined : authorizationOf(firstKey),
      }
    },
    async send(request, call) {
      throwIfAborted(call.signal)
      checkAddress(baseUrl, request.url, () => nameOf(call))
      const reply = await through(request, call)
      if (settings.onDeprecation) reportDeprecation(settings, deprecations, call, reply)
      return reply
    },
  }
}

/** The `Authorization` of a request, with the key as it is now. Basis: S23. */
const createCredentials =
  (apiKey: ApiKey) =>
  async (call: Call): Promise<string> => {
    const key = typeof apiKey === 'string' ? apiKey : validKey(await inTime(call, async () => apiKey()))
    call.keys.add(key)
    return authorizationOf(key)
  }

const authorizationOf = (key: string): string => `Bearer ${key}`

/** @throws TypeError for an address where no key may be sent */
export function checkAddress(baseUrl: string, url: string, what: () => string): void {
  if (!url.startsWith(`${baseUrl}/`))
    throw new TypeError(`${what()} is outside baseUrl, where no key is sent. A path begins with "/".`)
}

/** Sends a request that no cache has. */
export type SendInTurn = (request: ClientRequest, call: Call) => Promise<Reply>

/**
 * Sends a request in its turn, with the key as it is then, and again where that is safe; after a 401 once with another key,
 * if there is one. Basis: S23, S24, S28, S33.
 */
function createSendInTurn(
  settings: Settings,
  adapter: FetchAdapter,
  credentials: (call: Call) => Promise<string>,
  workspace: () => Workspace,
): SendInTurn {
  const limits = createLimits(workspace, settings)
  const attempt = createAttempt(adapter, settings)
  return async (request, call) => {
    const { time } = call
    let mayHaveArrived = false
    let mayRenew = true
    let renewed = call.firstAuthorization
    for (;;) {
      const quota = limits.quotaOf(call)
      const { refusal, isProbe } = limits.takeNow(quota, call) ? AT_ONCE : await limits.wait(quota, call)
      if (refusal) return refusal
      call.authorization = renewed ?? (await credentials(call))
      // A 429 may have come while the key was fetched.
      if (!isProbe && quota.meaningFor(call) !== 'send') continue

      const outcome: Reply | ConnectionError = await attempt(request, call, mayHaveArrived).catch(connectionErrorOf)
      const reply: Reply | undefined = outcome instanceof Error ? undefined : outcome
      const isLimited = reply?.status === STATUS.rateLimited
      // An outage does not show whether a pause is over.
      if (isProbe && reply && !isLimited && reply.status < STATUS.internalError) quota.update({ type: 'over' })
      if (reply?.ok) return reply
      if (outcome instanceof Error && call.signal?.aborted) throw outcome

      renewed = undefined
      if (mayRenew && reply?.status === STATUS.unauthorized) {
        const next = await credentials(call)
        if (next !== call.authorization) renewed = next
      }
      if (renewed) mayRenew = false
      const asked = reply && askedWait(reply, time)
      const wait = isLimited ? limits.pause(quota, reply, call) : renewed ? 0 : backoff(asked, call.attempts)
      if (!renewed && !(mayRetry(call, outcome, asked) && fits(call, wait))) return replyOrThrow(outcome)

      mayHaveArrived ||= reply ? isOfGateway(reply) : (outcome as ConnectionError).sent
      report('onRetry', settings.onRetry, call, { status: reply?.status, wait, reason: reasonOf(outcome) })
      // After a 429 the request waits for its turn, with all others of its quota.
      if (!isLimited) await time.sleep(wait, call.signal)
    }
  }
}

const AT_ONCE = { refusal: undefined, isProbe: false }

/** @throws what is no failure of the connection */
function connectionErrorOf(error: unknown): ConnectionError {
  if (error instanceof ConnectionError) return error
  throw error
}

function replyOrThrow(outcome: Reply | ConnectionError): Reply {
  if (outcome instanceof Error) throw outcome
  return outcome
}

const reasonOf = (outcome: Reply | ConnectionError): 'status' | 'timeout' | 'connection' =>
  outcome instanceof TimeoutError ? 'timeout' : outcome instanceof Error ? 'connection' : 'status'
