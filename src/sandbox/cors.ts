import type { IncomingMessage } from 'node:http'
import type { SerializedResponse as Reply } from '../service/respond.js'

/** A page of any origin may call the sandbox: its keys are for trying only. */
export const allowOrigin = (reply: Reply): Reply => ({
  ...reply,
  headers: { ...reply.headers, 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' },
})

/** The answer to a browser that asks before it sends the request itself. */
export const preflight = ({ headers }: IncomingMessage): Reply => ({
  status: 204,
  headers: {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': headers['access-control-request-method'] ?? 'GET, POST',
    'access-control-allow-headers': headers['access-control-request-headers'] ?? '*',
    'access-control-max-age': '600',
  },
  text: '',
})
