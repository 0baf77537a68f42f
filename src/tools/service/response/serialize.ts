import { hasNullBody } from '../../../internal/contract/status.js'
import type { ServiceResponse } from './respond.js'

/** A response, ready to be sent. */
export interface SerializedResponse {
  status: number
  headers: Readonly<Record<string, string>>
  cookies?: readonly string[] | undefined
  text: string
}

/** `defaults` are headers that the response may replace. */
export const serialize = (
  { status, headers, cookies, body }: ServiceResponse,
  defaults?: object,
): SerializedResponse => {
  const text = body === undefined || hasNullBody(status) ? '' : JSON.stringify(body)
  return { status, headers: Object.assign({}, text && JSON_HEADERS, defaults, headers), cookies, text }
}

export const JSON_HEADERS = { 'content-type': 'application/json' }

/** The response for `fetch`, which allows no body for HEAD and for these statuses. */
export const toResponse = (
  method: string,
  { status, headers, cookies, text }: SerializedResponse,
  ResponseClass: new (body: string | null, init: ResponseInit) => Response = Response,
): Response => {
  const body = method === 'HEAD' || hasNullBody(status) ? null : text
  const pairs = cookies?.map((cookie): [string, string] => ['set-cookie', cookie])
  const init = { status, headers: pairs ? [...Object.entries(headers), ...pairs] : headers }
  return new ResponseClass(body, init)
}
