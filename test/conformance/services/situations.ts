import type { Ask, Driver, Seen } from './driver.js'
import type { Context, Operation } from './types.js'

// Where a fault shows: "playbooks page2 pinned" both narrows a fault to such requests and says how to send them.

interface Situation {
  when: (c: Context) => boolean
  /** What the request needs to be in the situation. */
  ask?: (d: Driver) => Partial<Ask>
  /** What has to happen before. */
  before?: (d: Driver) => Promise<unknown>
  /** How many requests to send, one after the other or together. */
  times?: number
  together?: boolean
  thorough?: boolean
}

const runOf = (c: Context) =>
  c.world.principals.flatMap(({ workspace }) => workspace.runs).find(({ id }) => id === c.id)
const ended = (c: Context) => c.now - (runOf(c)?.at ?? c.now) >= 3000
const SITUATIONS: Record<string, Situation> = {
  page2: {
    when: (c) => c.url.searchParams.get('page') === '2',
    ask: () => ({ query: { page: '2', per_page: '2' } }),
  },
  query: { when: (c) => c.url.search !== '', ask: () => ({ query: { per_page: '3' } }) },
  pinned: {
    when: (c) => c.request.headers.has('service-version'),
    ask: ({ service }) => ({ headers: { 'service-version': service.release } }),
  },
  seventh: { when: (c) => c.count % 7 === 0, times: 7, thorough: true },
  later: {
    when: (c) => c.now - c.world.created >= 60_000,
    before: async (d) => d.advance(61_000),
    thorough: true,
  },
  together: { when: (c) => c.together, times: 3, together: true, thorough: true },
  busy: {
    when: (c) => c.world.principals.some(({ workspace }) => workspace.runs.some((run) => c.now - run.at < 3000)),
    before: (d) => d.trigger(),
  },
  running: { when: (c) => !ended(c) },
  ended: { when: ended, before: async (d) => d.advance(5000) },
  other: {
    when: (c) => c.request.headers.get('authorization') === `Bearer ${c.world.principals[2]!.key}`,
    ask: ({ service }) => ({ key: service.keys.other }),
  },
  hobby: {
    when: (c) => c.request.headers.get('authorization') === `Bearer ${c.world.principals[3]!.key}`,
    ask: ({ service }) => ({ key: service.keys.hobby }),
  },
  beyond: {
    when: (c) => Number(c.url.searchParams.get('page')) > 30,
    ask: () => ({ query: { page: '99' } }),
  },
  reader: {
    when: (c) => c.request.headers.get('authorization') === `Bearer ${c.world.principals[1]!.key}`,
    ask: ({ service }) => ({ key: service.keys.readOnly }),
  },
  none: {
    when: (c) => /^\{"inputs":\{\}\}$/.test(new TextDecoder().decode(c.body)),
    ask: () => ({ body: '{"inputs":{}}' }),
  },
  two: {
    when: (c) => new TextDecoder().decode(c.body).split('":"').length === 3,
    ask: () => ({ body: '{"inputs":{"order":"42","reason":"late"}}' }),
  },
}

export interface Shape {
  when: (c: Context) => boolean
  /** Sends such a request, or as many as it takes, changed as given. */
  show: (d: Driver, change?: (d: Driver, ask: Partial<Ask>) => Partial<Ask>) => Promise<Seen[]>
  thorough: boolean
}

function merged(asks: Partial<Ask>[]): Partial<Ask> {
  const all: Partial<Ask> = {}
  for (const { query, headers, ...rest } of asks) {
    Object.assign(all, rest)
    if (query) all.query = { ...all.query, ...query }
    if (headers) all.headers = { ...all.headers, ...headers }
  }
  return all
}

const OPERATIONS: Record<string, Operation> = {
  ...{ me: 'getCurrentWorkspace', playbooks: 'listPlaybooks', providers: 'listProviders' },
  ...{ run: 'getRun', trigger: 'triggerRun', any: 'listProviders' },
}

/** A shape of requests, written as an operation, or `any`, and situations: "run pinned ended". */
export function at(text: string): Shape {
  const [first = '', ...names] = text.split(' ')
  const situations = names.map((name) => {
    const situation = SITUATIONS[name]
    if (!situation) throw new TypeError(`There is no situation "${name}".`)
    return situation
  })
  const operation = OPERATIONS[first]!
  const times = Math.max(1, ...situations.map((situation) => situation.times ?? 1))
  return {
    when: (c) => (first === 'any' || c.operation === operation) && situations.every(({ when }) => when(c)),
    async show(d, change = (_, ask) => ask) {
      const id = operation === 'getRun' ? { id: await d.trigger() } : {}
      for (const { before } of situations) await before?.(d)
      const ask = change(d, merged([id, ...situations.map((situation) => situation.ask?.(d) ?? {})]))
      if (situations.some(({ together }) => together))
        return Promise.all(Array.from({ length: times }, () => d.send(operation, ask)))
      const all: Seen[] = []
      for (let sent = 0; sent < times; sent++) all.push(await d.send(operation, ask))
      return all
    },
    thorough: situations.some(({ thorough }) => thorough === true),
  }
}
