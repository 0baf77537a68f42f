import type { ServiceRequest } from '../service/request.js'
import type { SerializedResponse } from '../service/respond.js'

/** A page of any origin may call the sandbox: its keys are for trying only. */
export const allowOrigin = (response: SerializedResponse): SerializedResponse => ({
  ...response,
  headers: { ...response.headers, 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' },
})

/** The response to a browser that asks before it sends the request itself. */
export const preflight = ({ header }: ServiceRequest): SerializedResponse => ({
  status: 204,
  headers: {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': header('access-control-request-method') ?? 'GET, POST',
    'access-control-allow-headers': header('access-control-request-headers') ?? '*',
    'access-control-max-age': '600',
  },
  text: '',
})
