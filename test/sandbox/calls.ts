import { once } from 'node:events'
import { connect } from 'node:net'

export interface CallResult {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: what a body has is what the tests are about
  body: any
}

const resultOf = async (response: Response): Promise<CallResult> => ({
  status: response.status,
  headers: response.headers,
  body: await response.json(),
})

/** A sandbox, or a world or a server on a port. */
interface Called {
  fetch?: typeof globalThis.fetch
  baseUrl: string
  keys?: Readonly<Record<string, string>>
}

const keyOf = ({ keys }: Called): string => keys?.valid ?? 'key_valid'

/** Sends GET requests with a key, by default the one that may do everything. */
export const caller =
  (called: Called, key = keyOf(called)) =>
  async (path: string, headers: Record<string, string> = {}): Promise<CallResult> => {
    const { fetch = globalThis.fetch, baseUrl } = called
    return resultOf(await fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${key}`, ...headers } }))
  }

/** Triggers a run of a playbook, with a text or a JSON value as the body. */
export async function trigger(
  called: Called,
  playbook: string,
  body: unknown = { inputs: {} },
  key = keyOf(called),
): Promise<CallResult> {
  const { fetch = globalThis.fetch, baseUrl } = called
  return resultOf(
    await fetch(`${baseUrl}/playbooks/${playbook}/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  )
}

/** Sends bytes to a port, with pauses in ms, and gathers what comes back until the connection is closed. */
export async function raw(port: number, ...parts: (string | number)[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.on('error', () => {})
  socket.on('end', () => socket.end())
  for (const part of parts)
    if (typeof part === 'number') await new Promise((resolve) => setTimeout(resolve, part))
    else if (part === 'FIN') socket.end()
    else socket.write(part)
  if (!socket.closed) await once(socket, 'close')
  return received
}

/** The error that a function throws, with its name. */
export const messageOf = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`
  }
  return 'nothing was thrown'
}
