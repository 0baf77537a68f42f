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
/** Responds with 500 to each trigger with such inputs. */
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

export const WORKSPACE = 'A request acts for the one workspace of its key.'
export const INVALID = 'A missing or invalid key gets 401.'
export const LACKS = 'A valid key without the permission gets 403.'
export const ALL = 'Every operation needs a key.'
export const POLLS = 'A client follows a run by reading its status and steps again and again.'
export const TRIGGERS = 'A POST to the runs of a playbook triggers a run of it.'
export const NONE = 'An id that does not exist gets 404.'
export const BAD = 'A wrong body gets 400.'
export const TRANSIENT = 'A 500 is transient, and its request may be sent again.'
export const PLAYBOOKS = 'The list of playbooks has those of the workspace.'
export const ENVELOPE = 'A list is an object with the array data and with meta.'
export const META = 'In meta, total, page and per_page are integers.'
export const LIMITS = 'A limit is that of the workspace, whatever its keys and clients.'
export const EXCEEDED = 'A request above the limit gets 429.'
export const HEADER = 'The Retry-After of a 429 has the seconds of retry_after.'
export const RUN_ID = 'The id of a run is a string: a prefix and an opaque part.'
export const STARTED = 'started_at is a time of ISO 8601 in UTC.'
export const STEP_ID = 'The id of a step is a string that names it within its run.'
export const APPROVAL = 'A step that waits for approval has no capability.'

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
