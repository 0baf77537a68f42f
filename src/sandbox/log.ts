import type { OperationId } from '../../generated/operations.js'
import { parseJson } from '../internal/json.js'

/** A request to the sandbox and what it answered. Keys are masked. */
export interface RequestRecord {
  /** Undefined when the contract has no such operation. */
  operation: OperationId | undefined
  /** The name of the key in the world; `unknown` for another one, undefined without one. */
  key: string | undefined
  request: {
    method: string
    /** With the query. */
    path: string
    headers: Record<string, string>
    /** Parsed when it is JSON. Undefined without a body, or when the request was refused before its body was read. */
    body: unknown
  }
  /** Undefined when the connection was dropped, or the answer did not keep to the contract. */
  response: { status: number; headers: Record<string, string>; body: unknown } | undefined
}

/** What is kept of a request until somebody asks: making a record of it has to wait, it would cost every call. */
export interface RawRecord {
  operation: OperationId | undefined
  key: string | undefined
  method: string
  path: string
  headers: () => Iterable<[string, string]>
  body: string | undefined
  response: { status: number; headers: Readonly<Record<string, string>>; text: string } | undefined
}

export interface RequestLog {
  add(record: RawRecord): void
  /** The last requests, the oldest first. */
  records(): RequestRecord[]
  reset(): void
}

/** Keeps the last `size` requests. Every occurrence of one of `secrets` is masked. */
export function createRequestLog(size: number, secrets: readonly string[]): RequestLog {
  let kept: RawRecord[] = []
  let next = 0
  const masked = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, MASK).replaceAll(encodeURIComponent(secret), MASK), text)
  const record = ({ operation, key, method, path, headers, body, response }: RawRecord): RequestRecord => ({
    operation,
    key,
    request: {
      method,
      path: masked(path),
      headers: Object.fromEntries(
        [...headers()].map(([name, value]) => [name, SECRET_HEADERS.has(name.toLowerCase()) ? MASK : masked(value)]),
      ),
      body: body === undefined ? undefined : parsed(masked(body)),
    },
    response: response && {
      status: response.status,
      headers: { ...response.headers },
      body: parsed(masked(response.text)),
    },
  })
  return {
    add(record) {
      kept[next] = record
      next = (next + 1) % size
    },
    records: () => [...kept.slice(next), ...kept.slice(0, next)].map(record),
    reset() {
      kept = []
      next = 0
    },
  }
}

const MASK = '****'
const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie'])

const parsed = (text: string): unknown => parseJson(text) ?? text
