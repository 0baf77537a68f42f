import { type OperationId, protocol } from '../../generated/operations.js'
import { now } from '../internal/sleep.js'
import { withinTotal } from './layers/timeout.js'
import {
  type HeadersOptions,
  mergeHeaders,
  type Outcome,
  type RequestBuilder,
  type RequestInput,
  toResponse,
} from './openapi-fetch.js'
import { type CallOptions, callSettings, type Settings } from './options.js'
import type { Call, Reply, Send } from './pipeline.js'

/** What is called. */
export interface Target {
  /** Undefined for a path that the contract does not have. */
  operation: OperationId | undefined
  method: string
  path: string
}

/** A call that is over, with its response. */
export interface CallOutcome extends Outcome {
  call: Call
  /** As the pipeline returned it; undefined when a middleware responded itself. */
  reply: Reply | undefined
}

/** Names of options that are for one way of calling only, and whether a watcher calls. */
export interface CallerOptions {
  more?: string[] | undefined
  priority?: 'poll' | undefined
}

export type Caller = (
  target: Target,
  input: RequestInput,
  options?: CallOptions,
  callerOptions?: CallerOptions,
) => Promise<CallOutcome>

/** Sends calls: openapi-fetch builds the request, and its `fetch` is the pipeline with what it has to know of the call. */
export const createCaller = (client: Settings, builder: RequestBuilder, send: Send): Caller => {
  const clientHeaders = headersOf(client.headers, client.call.serviceVersion)
  return async ({ operation, method, path }, { params, body }, options, { more, priority } = {}) => {
    const settings = callSettings(client.call, options, more)
    const signal = options?.signal
    signal?.throwIfAborted()
    const call: Call = {
      ...{ operation, method, path, settings, signal, priority },
      deadline: now() + settings.totalTimeout,
      shared: false,
      attempts: 0,
      renewed: undefined,
    }
    const headers = options ? headersOf(client.headers, settings.serviceVersion, options.headers) : clientHeaders
    let reply: Reply | undefined
    const request = () =>
      builder.request(method, path, { params, headers, body }, async (request) => {
        signal?.throwIfAborted()
        reply = await send(request, call)
        return toResponse(reply)
      })
    // Without middleware every wait ends by itself in time.
    const outcome = await (builder.hasMiddleware() ? withinTotal(call, request) : request())
    return { ...outcome, call, reply }
  }
}

/** An object, which openapi-fetch copies faster than a Headers. */
const headersOf = (client: HeadersOptions | undefined, version: string | undefined, own?: HeadersOptions) =>
  Object.fromEntries(mergeHeaders(client, version === undefined ? {} : { [protocol.versionHeader]: version }, own))
