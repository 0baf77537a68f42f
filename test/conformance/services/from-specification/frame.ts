import { body, instead, type When } from '../changes.js'
import type { Ask, Driver } from '../driver.js'
import type { Change, Context, Json, Operation, Principal, Reply, Run, Running, Step } from '../types.js'

// Faults that were written from the specification alone, each with the sentence of it that the service contradicts.

export type Show = (d: Driver) => Promise<unknown>
export interface Flags {
  /** Somebody without the right key sees or triggers something, a run starts twice, or a run is lost. */
  critical?: true
  depth?: 'thorough'
}
export type Row = [sentence: string, visible: string, change: Change, show: Show, flags?: Flags]
export const CRITICAL: Flags = { critical: true }
export const THOROUGH: Flags = { depth: 'thorough' }

export const on =
  (...operations: string[]): When =>
  (c) =>
    operations.includes(c.operation ?? '')
export const pinned: When = (c) => c.request.headers.has('service-version')
export const failing =
  (...statuses: number[]) =>
  (edit: (was: Reply, c: Context) => Reply): Change =>
  (base) => ({
    finish: (c, was) => (statuses.includes(was.status) ? edit(base.finish(c, was), c) : base.finish(c, was)),
  })
export const as = (status: number, content: Json) => (): Reply => ({ status, body: content })
export const internal = as(500, { error: 'internal', message: 'Something went wrong.' })
/** Answers 500 to each trigger with such inputs. */
export const crashes = (on: (name: string, value: string) => boolean): Change =>
  instead(
    'triggered',
    (c) => Object.entries(c.inputs).some(([name, value]) => on(name, value)),
    () => internal,
  )
export const runs =
  (edit: (was: Json, c: Context, run: Run) => unknown): Change =>
  (base) => ({ run: (c, run) => edit(base.run(c, run), c, run) as Json })
export const steps = (edit: (step: Step, index: number) => unknown): Change =>
  runs((was) => ({ ...was, steps: (was.steps as Step[]).map(edit) }))
export const startedAt = (edit: (at: number) => unknown): Change =>
  runs((was, _c, run) => ({ ...was, started_at: edit(run.at) }))
export const buckets =
  (bucket: (c: Context) => string): Change =>
  () => ({ bucket })
export const limited = (edit: (was: Reply, body: Json, c: Context) => Reply): Change =>
  failing(429)((was, c) => edit(was, was.body as Json, c))
export const metas = (when: When, edit: (meta: Json, c: Context) => unknown): Change =>
  body(when, (was, c) => ({ ...was, meta: edit(was.meta as Json, c) }))
/** Lets requests with another key in. */
export const lets =
  (find: (c: Context, key: string) => Principal | undefined): Change =>
  (base) => ({
    accepts: (c, key) => base.accepts(c, key) ?? find(c, key),
  })
export const loses =
  (lost: (c: Context, run: Run) => boolean): Change =>
  (base) => ({
    findRun(c) {
      const run = base.findRun(c)
      return run && lost(c, run) ? undefined : run
    },
  })
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
export const iso = (at: number) => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

export const send =
  (operation: Operation, ask: Partial<Ask> | ((d: Driver) => Partial<Ask>) = {}): Show =>
  (d) =>
    d.send(operation, typeof ask === 'function' ? ask(d) : ask)
export const wrong = (content: string): Show => send('triggerRun', { body: content })
export const poll =
  (after = 0, playbook: keyof Running['playbooks'] = 'succeeds'): Show =>
  async (d) => {
    const id = await d.trigger(d.service.playbooks[playbook])
    d.advance(after)
    return d.send('getRun', { id })
  }
export const pollOf =
  (content: string): Show =>
  async (d) => {
    const { body } = await d.send('triggerRun', { body: content })
    return d.send('getRun', { id: String((body as Json).id) })
  }
/** Sends as many requests as a workspace may at once, then what follows. */
export const drained =
  (then: Show, operation: Operation = 'getCurrentWorkspace', times = 120): Show =>
  async (d) => {
    for (let sent = 0; sent < times; sent++) await d.send(operation)
    return then(d)
  }
export const me = send('getCurrentWorkspace')
export const page2 = send('listPlaybooks', { query: { page: '2', per_page: '5' } })
export const pin = ({ service }: Driver): Partial<Ask> => ({ headers: { 'service-version': service.release } })
export const byOther = ({ service }: Driver): Partial<Ask> => ({ key: service.keys.other })
export const byReader = ({ service }: Driver): Partial<Ask> => ({ key: service.keys.readOnly })
export const noKey: Partial<Ask> = { key: undefined }
export const twice =
  (operation: Operation): Show =>
  async (d) => [await d.send(operation), await d.send(operation, byOther(d))]

export const WORKSPACE = 'Every request is made on behalf of one workspace, identified by the API key.'
export const INVALID = 'When the key is missing or invalid, the service answers 401.'
export const LACKS = 'When the key is valid but lacks permission for the action, the service answers 403.'
export const ALL = 'All endpoints require authentication (section 5).'
export const POLLS =
  "When a client wants to observe how a triggered run progresses, it repeatedly issues GET /runs/:id with the run's id and reads `status` and `steps`."
export const TRIGGERS = 'POST /playbooks/:id/runs: Triggers a run of the playbook.'
export const NONE = 'Requests to endpoints that do not exist for a given id return 404 (section 7).'
export const BAD = '400: Bad request; the request body is wrong.'
export const TRANSIENT = '500: Internal error of the service. Transient; safe to retry.'
export const PLAYBOOKS = 'GET /playbooks: List envelope whose `data` holds the playbooks of the workspace.'
export const ENVELOPE =
  'When a list endpoint responds, the body is an object with `data` (array) and `meta` (`total`, `page`, `per_page`).'
export const META = 'meta: Holds `total`, `page` and `per_page`, all integers.'
export const LIMITS = 'Limits apply per workspace, not per key or per client.'
export const EXCEEDED = 'When the limit is exceeded, the service answers 429 (section 7).'
export const HEADER =
  'A 429 response also carries the HTTP header `Retry-After` with the same value as `retry_after`, in seconds.'
export const RUN_ID =
  'id: string. Identifier of the run, in the form of a prefix followed by an opaque part (<run_id>).'
export const STARTED = 'started_at: string. Timestamp in ISO 8601 UTC form (<timestamp>).'
export const STEP_ID = 'id: string. Identifier of the step within the run (<step_id>).'
export const APPROVAL = 'capability: It is absent on a step shown in the waiting_approval status.'

/** Lists that are kept under their address, for whichever workspace asks next. */
export const cachedLists =
  (when: When): Change =>
  (base) => {
    const kept = new Map<string, Reply>()
    return {
      list(c) {
        const found = when(c) ? kept.get(c.url.href) : undefined
        const is = found ?? base.list(c)
        kept.set(c.url.href, is)
        return is
      },
    }
  }
