import type { RequestRecord } from '../log.js'
import type { Model } from './model.js'
import { curlOf } from './text.js'

/** Why a request got its response; undefined when it succeeded. */
export function reasonOf({ reason, error, response, key }: RequestRecord): string | undefined {
  if (error !== undefined) return `The handler failed: ${error}`
  switch (reason?.type) {
    case 'key':
      return key === undefined ? 'It has no key, or not as a bearer token.' : 'No workspace has this key.'
    case 'permission':
      return `The key "${key}" may not call ${reason.operation}.`
    case 'plan':
      return `The plan ${reason.plan} has no access to the API.`
    case 'limit':
      return `${reason.tokens.toFixed(1)} tokens were left of ${reason.limit.burst}; there is one in ${reason.retryAfter} s.`
    case 'validation': {
      const { in: location, name, pointer, keyword } = reason.problem
      return `${[location, name].filter(Boolean).join(' ')}${pointer ?? ''} does not match the contract (${keyword}).`
    }
    case 'fault':
      return `Fault number ${reason.number}${response ? '' : ': there was no response'}.`
    default:
      return response ? undefined : 'The client disconnected before it had a response.'
  }
}

/** The filter of a list of requests; empty for all. */
export interface RequestFilter {
  /** `2` to `5` for a class of statuses, `none` for no response. */
  status: string
  operation: string
  text: string
}

export function matches(record: RequestRecord, { status, operation, text }: RequestFilter): boolean {
  const { response, request } = record
  const statusClass = response === undefined ? 'none' : `${response.status}`.slice(0, 1)
  if (status !== '' && status !== statusClass) return false
  if (operation !== '' && operation !== (record.operation ?? 'none')) return false
  if (text === '') return true
  const searched = [
    record.key,
    `${request.method} ${request.path}`,
    response?.status,
    reasonOf(record),
    request.body,
    response?.body,
  ]
  return searched.some((each) => textFor(each).toLowerCase().includes(text.toLowerCase()))
}

const textFor = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** A logged request as a command, with the key of the same name: the log has no values of keys. */
export function curlOfRecord(
  { request, key }: RequestRecord,
  baseUrl: string,
  { workspaces }: Pick<Model, 'workspaces'>,
): string {
  const { method, path, headers, body } = request
  const value = workspaces.flatMap(({ keys }) => keys).find(({ name }) => name === key)?.value ?? 'YOUR_KEY'
  const sent = Object.entries(headers).flatMap(([name, text]): [string, string][] => {
    if (name === 'authorization') return [[name, `Bearer ${value}`]]
    return OF_THE_CLIENT.test(name) ? [] : [[name, text]]
  })
  return curlOf(method, urlOf(path, baseUrl), sent, body === undefined ? undefined : textFor(body))
}

/** The paths in the log begin with or without the version segment. */
function urlOf(path: string, baseUrl: string): string {
  const segment = new URL(baseUrl).pathname.split('/').pop()
  return path.startsWith(`/${segment}/`) ? baseUrl + path.slice(`/${segment}`.length) : baseUrl + path
}

/** Headers that curl writes itself, and those that only browsers send. */
const OF_THE_CLIENT =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|user-agent|cookie|origin|referer|keep-alive|priority|cache-control|pragma|dnt|accept-language|sec-.*)$/
