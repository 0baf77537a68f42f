import { operations } from '../../../../generated/contract.js'
import {
  integer,
  type OptionRules,
  oneOf,
  optionProblems,
  rule,
  shown,
  throwIfProblems,
} from '../../../internal/options.js'
import { onAbort } from '../../../internal/time/abort.js'
import { withTimeout } from '../../../internal/time/system.js'
import type { Engine } from '../engine.js'
import { UNKNOWN_KEY, unknownKey } from '../world/name.js'
import type { RequestFilter } from './index.js'
import type { RequestRecord } from './request-record.js'

/** How long to wait for a request. */
export interface WaitOptions {
  /** In ms of real time; default 5,000. */
  timeout?: number | undefined
  signal?: AbortSignal | undefined
}

const FILTER: OptionRules<RequestFilter> = {
  operation: oneOf(...Object.keys(operations)),
  status: integer(100, 599),
  key: rule((value) => typeof value === 'string', 'the name of a key'),
  body: rule(() => true, 'a JSON value'),
  after: integer(0),
}

const WAIT: OptionRules<WaitOptions> = {
  timeout: rule((value) => typeof value === 'number' && value >= 0, 'a number of ms >= 0'),
  signal: rule((value) => value instanceof AbortSignal, 'an AbortSignal'),
}

/** @throws TypeError that names every invalid property, also an unknown key where the sandbox is at hand */
export function requireFilter(filter: RequestFilter, engine?: Pick<Engine, 'keys'>): RequestFilter {
  const names = engine && new Set([...engine.keys.values()].map(({ name }) => name)).add(UNKNOWN_KEY)
  throwIfProblems('This filter of requests is not valid', [
    ...optionProblems(filter, FILTER),
    names !== undefined && unknownKey(filter?.key, names),
  ])
  return filter
}

/** How long to wait. @throws TypeError that names every invalid option */
export function waitSettings(options: WaitOptions) {
  throwIfProblems('waitForRequest', optionProblems(options, WAIT))
  const { timeout = 5_000, signal } = options
  return { timeout, signal }
}

/** The error of a wait for a world that is gone. */
export class WorldGoneError extends Error {
  constructor(what = 'world was deleted or replaced') {
    super(`The ${what} before a matching request arrived.`)
  }
}

/** The first request of the log that matches, or the next one. @throws Error after `timeout`, or WorldGoneError */
export async function waitForRequest(
  engine: Engine,
  filter: RequestFilter = {},
  options: WaitOptions = {},
): Promise<RequestRecord> {
  requireFilter(filter, engine)
  const { log, events } = engine
  const { timeout, signal } = waitSettings(options)
  const [found] = log.records(filter, 1)
  if (found) return found
  const late = () => new Error(nothingMatched(filter, timeout, log.records({ after: filter.after })))
  return withTimeout(
    signal,
    timeout,
    late,
    (ended, abort) =>
      new Promise((resolve) => {
        const unsubscribe = events.subscribe(
          (event) => {
            if (event.type !== 'request') return
            const [match] = log.records({ ...filter, after: Math.max(filter.after ?? 0, event.request.number - 1) }, 1)
            if (!match) return
            unsubscribe()
            resolve(match)
          },
          () => abort(new WorldGoneError()),
        )
        onAbort(ended, unsubscribe)
      }),
  )
}

/** How long a request of the control interface may wait, in ms. */
export const MAX_TIMEOUT = 60_000

/** The maximum number of requests that the message of a timeout lists. */
const MOST_LISTED = 10

/** Says that no request matched the filter within `timeout` ms, and which came instead. */
export function nothingMatched(filter: RequestFilter, timeout: number, came: readonly RequestRecord[]): string {
  const wanted = Object.entries(filter).map(([name, value]) => `${name}: ${shownJson(value)}`)
  const listed = came.slice(-MOST_LISTED).map(({ operation, key, request, response }) => {
    const outcome = response?.status ?? 'without a response'
    return `- ${request.method} ${request.path} (${operation ?? 'no operation'}, key ${key ?? 'none'}): ${outcome}`
  })
  const within = `arrived within ${timeout} ms.`
  if (wanted.length === 0) return `No request ${within}`
  const instead =
    came.length === 0
      ? 'No request arrived.'
      : `The last ${listed.length} of ${came.length} that arrived:\n${listed.join('\n')}`
  return `No request with { ${wanted.join(', ')} } ${within} ${instead}`
}

const shownJson = (value: unknown): string => JSON.stringify(value) ?? shown(value)
