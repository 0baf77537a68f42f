import { reply, type When } from '../changes.js'
import type { Ask, Driver } from '../driver.js'
import { type Broken, staged } from '../faults.js'
import type { Change, Context, Json, Reply } from '../types.js'

const NOTHING = 'A refused request has no effect and shows nothing of what it asked for.'

const of =
  (status: number, operation: Context['operation']): When =>
  (c) =>
    c.operation === operation && status > 0
/** Adds something to the body of such refusals. */
const tells = (status: number, operation: Context['operation'], more: (c: Context) => Json | undefined): Change =>
  reply(of(status, operation), (was, c) =>
    was.status === status ? { ...was, body: { ...(was.body as Json), ...more(c) } } : was,
  )
const acme = (c: Context) => c.world.principals[0]!
/** As the owner of the first workspace sees it. */
const owned = (c: Context): Context => ({ ...c, principal: acme(c) })

/** Starts a run, and refuses all the same. */
const starts =
  (status: number, shows: (id: string) => Partial<Reply>): Change =>
  (base) => ({
    finish(c, was) {
      const playbook = base.findPlaybook(owned(c))
      if (c.operation !== 'triggerRun' || was.status !== status || !playbook) return base.finish(c, was)
      const run = { id: `run_x${c.count}y${c.now % 1_000}`, playbook, at: c.now, inputs: {} }
      acme(c).workspace.runs.push(run)
      const { body, ...more } = shows(run.id)
      return base.finish(c, { ...was, ...more, body: { ...(was.body as Json), ...(body as Json) } })
    },
  })
const location = (id: string) => ({ headers: { location: `/v1/runs/${id}` } })

const sends =
  (...args: [Parameters<Driver['send']>[0], Partial<Ask>]) =>
  (d: Driver) =>
    d.send(...args)
const run = async (d: Driver) => d.send('getRun', { id: await d.trigger(), key: 'nobody' })
/** The run that the first request of a service has started. */
const thenRead = (ask: Partial<Ask>) => async (d: Driver) => [
  await d.send('triggerRun', ask),
  await d.send('getRun', { id: 'run_x1y0' }),
]
const asReader = (d: Driver) => d.send('triggerRun', { key: d.service.keys.readOnly })

// biome-ignore format: a row is a line
export const refusals: Broken[] = staged('refusals', NOTHING, [
  ['a 401 has the list of playbooks in its body', tells(401, 'listPlaybooks', (c) => ({ data: c.does.items(owned(c)) })), sends('listPlaybooks', { key: undefined })],
  ['a 401 has the run in its body', tells(401, 'getRun', (c) => ({ run: [c.does.findRun(owned(c))].map((found) => found && c.does.run(c, found))[0] })), run],
  ['a 401 has the workspace in its body', tells(401, 'getCurrentWorkspace', (c) => ({ workspace: c.does.workspace(owned(c)) })), sends('getCurrentWorkspace', { key: undefined })],
  ['a 401 names another playbook than was asked for', tells(401, 'triggerRun', () => ({ hint: 'Did you mean Playbook a7?', name: 'Playbook a7' })), sends('triggerRun', { key: undefined })],
  ['a 404 names a playbook of another workspace', tells(404, 'getRun', (c) => (c.principal.key === acme(c).key ? {} : { playbook: 'Playbook a2' })), async (d) => d.send('getRun', { id: await d.trigger(), key: d.service.keys.other })],
  ['a 403 to a read-only key names the run that it started', starts(403, (run_id) => ({ body: { run_id } })), asReader],
  ['a 403 to a read-only key has the run that it started', starts(403, (id) => ({ body: { run: { id } } })), asReader],
  ['a 401 has the Location of a run that it started', starts(401, location), thenRead({ key: 'nobody' })],
  ['a 400 names the run that it started', starts(400, (run_id) => ({ body: { run_id } })), sends('triggerRun', { body: '{}' })],
  ['a 400 has the Location of a run that it started', starts(400, location), thenRead({ body: '{' })],
])
