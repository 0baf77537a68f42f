import { createService } from './create.js'
import type { Ask, Driver, Seen } from './driver.js'
import type { Behaviours, Change, Context, Json, Operation, Reply, Service } from './types.js'

// Where a fault shows: "listPlaybooks, page 2, pinned" both narrows a fault to such requests and says how to send them.

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

const ended = (c: Context) => c.does.findRun(c) !== undefined && c.now - c.does.findRun(c)!.at >= 3000
const SITUATIONS: Record<string, Situation> = {
  'page 2': {
    when: (c) => c.url.searchParams.get('page') === '2',
    ask: () => ({ query: { page: '2', per_page: '2' } }),
  },
  query: { when: (c) => c.url.search !== '', ask: () => ({ query: { per_page: '3' } }) },
  pinned: {
    when: (c) => c.request.headers.has('service-version'),
    ask: ({ service }) => ({ headers: { 'service-version': service.release } }),
  },
  seventh: { when: (c) => c.count % 7 === 0, times: 7, thorough: true },
  'after 60 s': {
    when: (c) => c.now - c.world.created >= 60_000,
    before: async (d) => d.advance(61_000),
    thorough: true,
  },
  together: { when: (c) => c.together, times: 3, together: true, thorough: true },
  'a run in progress': {
    when: (c) => c.world.principals.some(({ workspace }) => workspace.runs.some((run) => c.now - run.at < 3000)),
    before: (d) => d.trigger(),
  },
  'run in progress': { when: (c) => !ended(c) },
  'run ended': { when: ended, before: async (d) => d.advance(5000) },
  'other key': {
    when: (c) => c.request.headers.get('authorization') === `Bearer ${c.world.principals[2]!.key}`,
    ask: ({ service }) => ({ key: service.keys.other }),
  },
  'read-only key': {
    when: (c) => c.request.headers.get('authorization') === `Bearer ${c.world.principals[1]!.key}`,
    ask: ({ service }) => ({ key: service.keys.readOnly }),
  },
  'no inputs': {
    when: (c) => /^\{"inputs":\{\}\}$/.test(new TextDecoder().decode(c.body)),
    ask: () => ({ body: '{"inputs":{}}' }),
  },
  'two inputs': {
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

/** A shape of requests, written as an operation, or `any`, and situations: "getRun, pinned, run ended". */
export function at(text: string): Shape {
  const [first = '', ...names] = text.split(', ')
  const situations = names.map((name) => {
    const situation = SITUATIONS[name]
    if (!situation) throw new TypeError(`There is no situation "${name}".`)
    return situation
  })
  const operation = first === 'any' ? 'listProviders' : (first as Operation)
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

/** A broken service, and requests whose responses show its fault. */
export interface Broken extends Service {
  kind: 'broken'
  sentence: string
  visible: string
  show: (d: Driver) => Promise<unknown>
}

/** What a broken service breaks, and how. */
export interface Fault {
  name: string
  sentence: string
  visible: string
  change: Change
  show: (d: Driver) => Promise<unknown>
  thorough?: boolean
}

export const broken = (group: string, { name, sentence, visible, change, show, thorough }: Fault): Broken => ({
  ...{ name, class: group, kind: 'broken', sentence, visible, show },
  ...(thorough && { depth: 'thorough' }),
  create: (options) => createService([change], options),
})

/** Replaces successful bodies of such requests. */
export const body = (when: (c: Context) => boolean, edit: (body: Json, c: Context) => unknown): Change =>
  reply(when, (was, c) => (was.status < 300 ? { ...was, body: edit(was.body as Json, c) } : was))

/** Replaces the replies to such requests. */
export const reply =
  (when: (c: Context) => boolean, edit: (was: Reply, c: Context) => Reply): Change =>
  (base) => ({
    finish: (c, was) => (when(c) ? edit(base.finish(c, was), c) : base.finish(c, was)),
  })

/** Replaces one behaviour for such requests. */
export const instead =
  <Name extends Exclude<keyof Behaviours, 'stages' | 'setUp'>>(
    name: Name,
    when: (c: Context) => boolean,
    other: (base: Behaviours) => Behaviours[Name],
  ): Change =>
  (base) => {
    const [was, is] = [base[name], other(base)] as ((c: Context, ...rest: never[]) => unknown)[]
    return { [name]: (c: Context, ...rest: never[]) => (when(c) ? is! : was!)(c, ...rest) }
  }
