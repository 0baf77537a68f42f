import type { OperationId } from '../../../../generated/contract.js'
import { duplicateName, parseJson } from '../../../internal/http/json.js'

/** A sent request. It contains secrets; a report contains a `SeenRequest`. */
export interface SentRequest {
  method: string
  url: string
  headers: Headers
  body?: string | Uint8Array<ArrayBuffer> | undefined
  /** Whether a recorder kept the beginning of the body only. */
  isCut?: boolean
}

/** Why the text of a body is not JSON that every parser reads the same. */
export type EncodingFault = 'byte-order-mark' | 'not-utf-8' | 'duplicate-name'

/** A raw request and response: nothing is masked or cut. */
export interface Exchange {
  operation: OperationId
  request: SentRequest
  /** Why there is no response. */
  failure: Failure | undefined
  /** 0 without a response. */
  status: number
  headers: Headers
  /** Whether the headers of the response are known; a recording may leave all of them out. */
  hasHeaders: boolean
  text: string
  /** The parsed body; undefined when it is empty, not JSON or not known. */
  body: unknown
  /** Whether `text` is the whole body; a recording may lack it. */
  bodyState: 'complete' | 'truncated' | 'not-recorded'
  encodingFaults: readonly EncodingFault[]
  /** The duration including the body, in ms. */
  duration: number
}

export interface Failure {
  kind: 'timeout' | 'connection'
  /** The code of a system error, such as ECONNREFUSED. */
  code?: string | undefined
  message: string
}

/** A response as it was received or recorded; `text` is undefined when the body was not recorded. */
interface ReceivedResponse extends Pick<Exchange, 'status' | 'headers' | 'duration'> {
  text: string | undefined
  hasHeaders?: boolean
  truncated?: boolean
  isUtf8?: boolean
}

export function exchangeOf(
  operation: OperationId,
  request: SentRequest,
  { hasHeaders = true, text, truncated = false, isUtf8 = true, ...response }: ReceivedResponse,
): Exchange {
  const hasMark = text?.startsWith(BYTE_ORDER_MARK) === true
  const body = text === undefined || truncated ? undefined : parseJson(hasMark ? text.slice(1) : text)
  const bodyState = text === undefined ? 'not-recorded' : truncated ? 'truncated' : 'complete'
  const faults: (EncodingFault | false)[] = [
    hasMark && 'byte-order-mark',
    !isUtf8 && 'not-utf-8',
    body !== undefined && duplicateName(text ?? '') !== undefined && 'duplicate-name',
  ]
  const encodingFaults = faults.filter((fault) => fault !== false)
  limitDepth(body)
  const known = { hasHeaders, text: text ?? '', body, bodyState, encodingFaults } as const
  return { operation, request, failure: undefined, ...response, ...known }
}

/** Empties what is nested deeper than any schema describes: functions that recurse fail some thousand levels down. */
function limitDepth(value: unknown, levels = 100): void {
  if (typeof value !== 'object' || value === null) return
  const own = value as Record<string, unknown>
  for (const key of Object.keys(own))
    if (levels > 0) limitDepth(own[key], levels - 1)
    else own[key] = null
}

/** The longest body that is read, in bytes. */
export const MAX_RESPONSE_BODY = 16 * 2 ** 20

/** The text of a body, and whether it is UTF-8; one that is cut may end within a character. */
export function decodeBody(bytes: Uint8Array, truncated = false): { text: string; isUtf8: boolean } {
  const decode = (fatal: boolean) => new TextDecoder('utf-8', { ignoreBOM: true, fatal }).decode(bytes)
  try {
    return { text: decode(!truncated), isUtf8: true }
  } catch {
    return { text: decode(false), isUtf8: false }
  }
}

const BYTE_ORDER_MARK = '\ufeff'
