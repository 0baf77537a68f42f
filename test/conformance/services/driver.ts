import type { Json, Operation, Running, Service } from './types.js'

/** A request to a service, before it is sent. */
export interface Ask {
  operation: Operation
  id: string
  method: string
  query: Record<string, string>
  headers: Record<string, string>
  body: BodyInit | undefined
  key: string | undefined
}

/** What a client sees of a response. */
export interface Seen {
  status: number
  body: unknown
  retryAfter?: string
}

/** A client with a clock of its own. */
export interface Driver {
  service: Running
  advance(ms: number): void
  /** Sends the request of an operation, changed as given. */
  send(operation: Operation, change?: Partial<Ask>): Promise<Seen>
  /** Triggers a run and returns its id. */
  trigger(playbook?: string, key?: string): Promise<string>
}

/** What these services have; operations that came later are not among it. */
export const PATHS: Record<Operation, (id: string) => string> = {
  getCurrentWorkspace: () => '/workspaces/me',
  listPlaybooks: () => '/playbooks',
  listProviders: () => '/providers',
  triggerRun: (id) => `/playbooks/${encodeURIComponent(id)}/runs`,
  getRun: (id) => `/runs/${encodeURIComponent(id)}`,
}

async function seen(response: Response): Promise<Seen> {
  const text = await response.text()
  const retryAfter = response.headers.get('retry-after')
  let body: unknown = text
  try {
    body = JSON.parse(text)
  } catch {}
  return { status: response.status, body, ...(retryAfter !== null && { retryAfter }) }
}

export function drive(service: Pick<Service, 'create'>): Driver {
  let now = Date.parse('2026-11-22T10:00:00.000Z')
  const running = service.create({ now: () => now })
  const { keys, playbooks, inputs } = running
  const driver: Driver = {
    service: running,
    advance: (ms) => {
      now += ms
    },
    async send(operation, change = {}) {
      const trigger = operation === 'triggerRun'
      const ask: Ask = {
        ...{ operation, id: trigger ? playbooks.succeeds : '', method: trigger ? 'POST' : 'GET', key: keys.valid },
        ...{ query: {}, headers: {}, body: trigger ? JSON.stringify({ inputs }) : undefined, ...change },
      }
      const headers = {
        ...(ask.key !== undefined && { authorization: `Bearer ${ask.key}` }),
        ...(trigger && { 'content-type': 'application/json' }),
        ...ask.headers,
      }
      const query = new URLSearchParams(ask.query).toString()
      const url = `${running.baseUrl}${PATHS[operation](ask.id)}${query && `?${query}`}`
      return seen(await running.fetch(url, { method: ask.method, headers, body: ask.body ?? null }))
    },
    async trigger(playbook = playbooks.succeeds, key = keys.valid) {
      const { body } = await driver.send('triggerRun', { id: playbook, key })
      return String((body as Json | undefined)?.id)
    },
  }
  return driver
}
