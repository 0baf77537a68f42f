import { VERSION } from '../../../support/fixtures.js'
import { always, body, instead, type When } from '../changes.js'
import type { Ask, Driver } from '../driver.js'
import { type Broken, bodies, replies, type Staged, sends, shaped, staged } from '../faults.js'
import { at } from '../situations.js'
import type { Change, Context, Json, Reply, Run, Step } from '../types.js'

const RUN = 'A run has id, status and playbook_id, all strings, the timestamp started_at, and steps, an array.'
const APART = 'A run is read with its own id, and shows its own playbook, status and steps.'
const STEPS = 'Steps are in the order of the run; each has a string id that identifies it, and a status.'
const CAPABILITY = 'A capability is a string <provider>.<action>; a step that waits for approval has none.'
const STARTED = 'started_at is the timestamp of the start, in UTC and ISO 8601.'
const ID = 'The id of a run is a prefix followed by an opaque part.'
const WORKSPACE = 'GET /workspaces/me responds with the workspace of the key, a single object.'
const TRIGGER = 'POST /playbooks/:id/runs triggers a run, which can be polled by its id.'

/** Polls a run, once a second. */
async function poll(d: Driver, id: string, times: number, more: Partial<Ask> = {}) {
  const all = []
  for (let index = 0; index < times; index++, d.advance(1000)) all.push((await d.send('getRun', { id, ...more })).body)
  return all
}
const follow =
  (playbook: 'succeeds' | 'fails' | 'waits' = 'succeeds', times = 5) =>
  async (d: Driver) =>
    poll(d, await d.trigger(d.service.playbooks[playbook]), times)
const approved = async (d: Driver) => {
  const id = await d.trigger(d.service.playbooks.waits)
  const before = await poll(d, id, 2)
  d.service.approve(id)
  return [before, await poll(d, id, 3)]
}
const two = async (d: Driver) => {
  const first = await d.trigger()
  const second = await d.trigger(d.service.playbooks.fails)
  return [await poll(d, first, 3), await poll(d, second, 1)]
}
const steps =
  (edit: (steps: Step[], run: Run, c: Context) => unknown): Change =>
  (base) => ({
    shown: (c, run, all) => edit(base.shown(c, run, all), run, c) as Step[],
  })
const each = (edit: (step: Step, index: number, c: Context, run: Run) => object) =>
  steps((all, run, c) => all.map((step, index) => edit(step, index, c, run)))
const withAction = (edit: (step: Step, index: number, c: Context) => object) =>
  each((step, index, c) => (step.capability ? edit(step, index, c) : step))
const ended = (run: Run, c: Context) => c.now - run.at >= 3000
const latest = (base: Parameters<Change>[0], c: Context, run: Run) =>
  base.steps(c, c.principal.workspace.runs.at(-1) ?? run)
const edits = (edit: (run: Json, c: Context) => unknown) => bodies(edit)
const time =
  (form: (ms: number, c: Context) => unknown) =>
  (when: When): Change =>
    instead('startedAt', when, () => (c, run) => form(run.at, c) as string)
const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`
const runId =
  (form: (opaque: string, c: Context) => string): Change =>
  () => ({ runId: (c, opaque) => form(opaque, c) })
const read = async (d: Driver) => d.send('getRun', { id: await d.trigger() })

/** Where a service may name the run that a trigger has started. */
const NAMED: Record<string, (id: string) => Reply> = {
  run_id: (run_id) => ({ status: 202, body: { run_id } }),
  'run.id': (id) => ({ status: 202, body: { run: { id } } }),
  'data.id': (id) => ({ status: 201, body: { data: { id } } }),
  Location: (id) => ({ status: 202, headers: { location: `${VERSION}/runs/${id}` } }),
  'the Location of a 303': (id) => ({ status: 303, headers: { location: `${VERSION}/runs/${id}` } }),
}
const wrongRun = ({ id, status }: Json) => ({ id, state: status, started: 5 })
const namedElsewhere = Object.entries(NAMED).map(
  ([where, reply]): Staged => [
    `a run named in ${where} has an id alone`,
    (base) => ({ triggered: (_, { id }) => reply(id), run: (c, run) => wrongRun(base.run(c, run)) }),
    async (d) => d.send('triggerRun'),
  ],
)

// biome-ignore format: a row is a line
export const runs: Broken[] = [
  ...staged('runs named elsewhere', RUN, namedElsewhere),
  ...shaped('runs', RUN, {
    'status is left out @ run ended | run pinned': edits(({ status: _, ...run }) => run),
    'status is null @ run running | run reader ended': edits((run) => ({ ...run, status: null })),
    'status is empty @ run ended': edits((run) => ({ ...run, status: '' })),
    'status is a number @ run seventh | run ended': edits((run) => ({ ...run, status: 2 })),
    'status is an object @ run running': edits((run) => ({ ...run, status: { name: run.status } })),
    'playbook_id is left out @ run ended | run reader': edits(({ playbook_id: _, ...run }) => run),
    'playbook_id is null @ run running': edits((run) => ({ ...run, playbook_id: null })),
    'playbook_id is empty @ run later': edits((run) => ({ ...run, playbook_id: '' })),
    'id is left out @ run ended | run query': edits(({ id: _, ...run }) => run),
    'id is a number @ run reader': edits((run) => ({ ...run, id: 42 })),
    'steps are left out @ run ended | run reader': edits(({ steps: _, ...run }) => run),
    'steps are null @ run ended | run query': edits((run) => ({ ...run, steps: null })),
    'steps are an object @ run ended': edits((run) => ({ ...run, steps: { ...(run.steps as Step[]) } })),
    'steps are a number @ run seventh': edits((run) => ({ ...run, steps: 3 })),
    'the run is inside run @ run ended | run pinned reader': edits((run) => ({ run })),
    'the run is a list @ run query': edits((run) => [run]),
    'the body is empty @ run ended': replies((was) => (was.status < 300 ? { status: 200, text: '' } : was)),
    'a run cannot be read @ run ended | run running seventh | run reader ended': sends(404),
    'a run always fails with 500 @ run ended': sends(500),
  }),
  ...staged('runs', APART, [
    ['every run is the latest one', (base) => ({ findRun: (c) => base.findRun(c) && c.principal.workspace.runs.at(-1) }), two],
    ['every run has the steps of the latest one', (base) => ({ steps: (c, run) => latest(base, c, run) }), two],
    ['the status is that of the latest run', (base) => ({ status: (c, run) => base.status(c, run, latest(base, c, run)) }), two],
    ['a second run cannot be read', (base) => ({ findRun: (c) => (firstOf(c) === base.findRun(c) ? base.findRun(c) : undefined) }), two],
    ['a first run cannot be read after a second one', (base) => ({ findRun: (c) => [base.findRun(c)].find((run) => run === lastOf(c)) }), two],
    ['a second run has the id of the first one', runId(() => 'run_1'), two],
    ['the steps of a second run follow those of the first', joined(), two],
    ['the playbook is that of the latest run', body(at('run').when, (run, c) => ({ ...run, playbook_id: lastOf(c)?.playbook.id })), two],
    ['the id is that of the latest run', body(at('run').when, (run, c) => ({ ...run, id: lastOf(c)?.id })), two],
    ['started_at is that of the latest run', (base) => ({ startedAt: (c) => base.startedAt(c, lastOf(c)!) }), twoLater],
    ['simultaneous triggers create one run', runId((opaque, c) => (c.together ? 'run_x' : `run_${opaque}`)), atOnce, 'thorough'],
    ['the playbook changes when the run ends', body(at('run ended').when, (run) => ({ ...run, playbook_id: 'pb_a2' })), follow()],
    ['the id of a run that has ended is another one', body(at('run ended').when, (run) => ({ ...run, id: `${run.id}_done` })), follow()],
    ['playbook_id is the name of the playbook', body(at('run').when, (run) => ({ ...run, playbook_id: 'Playbook a1' })), read],
  ]),
  ...staged('steps', STEPS, [
    ['steps are reversed at the end', steps((all, run, c) => (ended(run, c) ? [...all].reverse() : all)), follow()],
    ['the latest step comes first', steps((all) => [...all].reverse()), follow()],
    ['steps are in the order of their status', steps((all) => all.toSorted((a, b) => (a.status < b.status ? -1 : 1))), follow('fails')],
    ['steps change places at every second poll', steps((all, _, c) => (c.count % 2 ? all : [...all].reverse())), follow()],
    ['steps that succeeded vanish', steps((all) => all.filter(({ status }) => status !== 'succeeded')), follow()],
    ['there are no steps at the end', steps((all, run, c) => (ended(run, c) ? [] : all)), follow()],
    ['only the last step is left at the end', steps((all, run, c) => (ended(run, c) ? all.slice(-1) : all)), follow()],
    ['the step that waited vanishes after the approval', steps((all, run) => (run.approvedAt ? all.filter(({ capability }) => capability) : all)), approved],
    ['steps are there twice', steps((all) => [...all, ...all]), follow()],
    ['two steps have the same id', each((step, index) => ({ ...step, id: index > 0 ? 'step_2' : step.id })), follow()],
    ['steps that failed have the id of the first', each((step) => (step.status === 'failed' ? { ...step, id: 'step_1' } : step)), follow('fails')],
    ['the ids of steps change from poll to poll', each((step, _, c) => ({ ...step, id: `${step.id}_${c.count}` })), follow()],
    ['the ids of steps change at the end', each((step, _, c, run) => (ended(run, c) ? { ...step, id: `${step.id}_done` } : step)), follow()],
    ['ids of steps are numbers', each((step, index) => ({ ...step, id: index })), follow()],
    ['ids of steps are empty when they wait', each((step) => (step.capability ? step : { ...step, id: '' })), follow('waits')],
    ['steps that failed have no id', each(({ id, ...step }) => (step.status === 'failed' ? step : { id, ...step })), follow('fails')],
    ['steps that run have no status', each(({ status, ...step }) => (status === 'running' ? step : { status, ...step })), follow()],
    ['the status of steps that failed is null', each((step) => (step.status === 'failed' ? { ...step, status: null } : step)), follow('fails')],
    ['the status of steps is a number', each((step) => ({ ...step, status: 1 })), follow()],
    ['the status of steps that wait is empty', each((step) => (step.capability ? step : { ...step, status: '' })), follow('waits')],
    ['steps are texts', each(({ id }) => id as never), follow()],
    ['steps have null among them', steps((all) => [...all, null]), follow()],
  ]),
  ...staged('steps', CAPABILITY, [
    ['a capability has no dot', withAction((step) => ({ ...step, capability: step.capability!.replace('.', '_') })), follow()],
    ['a capability has no action', withAction((step) => ({ ...step, capability: 'tickets.' })), follow()],
    ['a capability has no provider', withAction((step) => ({ ...step, capability: '.find' })), follow()],
    ['a capability is an object', withAction((step) => ({ ...step, capability: { provider: 'tickets', action: 'find' } })), follow()],
    ['a capability is null where there is none', each((step) => ({ ...step, capability: step.capability ?? null })), follow('waits')],
    ['a capability is empty where there is none', each((step) => ({ ...step, capability: step.capability ?? '' })), follow('waits')],
    ['a step that waits has a capability', each((step) => ({ ...step, capability: step.capability ?? 'mail.ask' })), follow('waits')],
    ['a capability changes when the step ends', withAction((step) => ({ ...step, capability: step.status === 'running' ? 'a.b' : 'a.c' })), follow()],
    ['a capability changes from poll to poll', withAction((step, _, c) => ({ ...step, capability: `mail.v${c.count}` })), follow()],
    ['a capability is left out when the step ends', withAction(({ capability, ...step }) => (step.status === 'running' ? { ...step, capability } : step)), follow()],
    ['the second step has a capability without a dot', withAction((step, index) => (index === 1 ? { ...step, capability: 'refund' } : step)), follow()],
  ]),
  ...shaped('started_at', STARTED, {
    'it is two hours ahead @ run | run ended': time((ms) => iso(ms + 7_200_000)),
    'it is five hours behind @ run reader': time((ms) => iso(ms - 18_000_000)),
    'it has no zone @ run | run ended': time((ms) => iso(ms).slice(0, 19)),
    'it has another zone @ run running': time((ms) => iso(ms + 7_200_000).replace('Z', '+02:00')),
    'it is the form of RFC 1123 @ run ended': time((ms) => new Date(ms).toUTCString()),
    'it is a number of seconds @ run | run reader': time((ms) => Math.floor(ms / 1000)),
    'it is a number in text @ run pinned': time((ms) => String(ms)),
    'it is a date @ run ended': time((ms) => iso(ms).slice(0, 10)),
    'it is null @ run running': time(() => null),
    'it is empty @ run seventh': time(() => ''),
    'it is 1970 @ run ended | run later': time(() => '1970-01-01T00:00:00Z'),
    'day and month are interchanged @ run': time((ms) => iso(ms).replace(/-(\d\d)-(\d\d)/, '-$2-$1')),
    'it is written in words @ run query': time(() => 'a minute ago'),
  }),
  ...staged('started_at', STARTED, [
    ['it is the time of each response', time((_, c) => iso(c.now))(always), follow()],
    ['it is the time of each response to the read-only key', time((_, c) => iso(c.now))(at('run reader').when), followReader],
    ['it is written in the language of the client', (base) => ({ startedAt: (c, run) => (c.request.headers.get('accept-language')?.startsWith('de') ? new Date(run.at).toLocaleString('de', { timeZone: 'UTC' }) : base.startedAt(c, run)) }), async (d) => d.send('getRun', { id: await d.trigger(), headers: { 'accept-language': 'de' } })],
    ['it is a second later at every poll', (base) => ({ startedAt: (c, run) => base.startedAt(c, { ...run, at: run.at + c.count * 1000 }) }), follow()],
    ['it is the time of the approval once that is given', (base) => ({ startedAt: (c, run) => base.startedAt(c, { ...run, at: run.approvedAt ?? run.at }) }), approved],
  ]),
  ...staged('ids of runs', ID, [
    ['a uuid without a prefix', runId((opaque) => `${Number.parseInt(opaque, 36).toString(16).padStart(8, '0')}-4f5e-4d0c-9f3e-0b7e5b0a1c2d`), read],
    ['digits', runId((opaque) => String(Number.parseInt(opaque, 36))), read],
    ['a prefix and nothing more', runId(() => 'run_'), read],
  ]),
  ...shaped('responses', WORKSPACE, {
    'there is no workspace @ me | me pinned | me reader': sends(404),
    'the workspace is a list @ me | me reader': bodies((workspace) => [workspace]),
    'the workspace is a text @ me other': bodies(({ name }) => name),
    'the workspace is null @ me pinned | me busy': bodies(() => null),
    'the workspace has no body @ me query': replies((was) => (was.status < 300 ? { status: 204 } : was)),
    'the workspace is HTML @ me seventh': replies((was) => (was.status < 300 ? { status: 200, text: '<p>Hi</p>' } : was)),
  }),
  ...shaped('responses', TRIGGER, {
    'a trigger gets 405 @ trigger | trigger pinned | trigger none': sends(405),
    'a trigger always gets 500 @ trigger two': sends(500),
    'a trigger while something runs gets 404 @ trigger busy': sends(404),
  }),
  ...staged('responses', TRIGGER, [
    ['a run that was triggered can never be read', instead('findRun', always, () => () => undefined), read],
    ['the id of a trigger is that of another run', (base) => ({ triggered: (c, run) => base.triggered(c, { ...run, id: `${run.id}0` }) }), read],
    ['a run cannot be read in its second second', () => ({ findRun: (c) => c.principal.workspace.runs.find(({ id, at: start }) => id === c.id && Math.floor((c.now - start) / 1000) !== 1) }), follow()],
    ['a run cannot be read while it waits', waitsUnseen(), follow('waits')],
  ]),
]

function firstOf(c: Context): Run | undefined {
  return c.principal.workspace.runs[0]
}
function lastOf(c: Context): Run | undefined {
  return c.principal.workspace.runs.at(-1)
}
async function followReader(d: Driver) {
  return poll(d, await d.trigger(), 3, { key: d.service.keys.readOnly })
}
function waitsUnseen(): Change {
  return (base) => ({
    findRun: (c) => [base.findRun(c)].find((run) => run && base.steps(c, run).at(-1)?.status !== 'waiting_approval'),
  })
}
function joined(): Change {
  return (base) => ({
    steps: (c, run) => [...(firstOf(c) === run ? [] : base.steps(c, firstOf(c)!)), ...base.steps(c, run)],
  })
}
async function twoLater(d: Driver) {
  const first = await d.trigger()
  d.advance(90_000)
  await d.trigger()
  return poll(d, first, 1)
}
async function atOnce(d: Driver) {
  const [first, second] = await Promise.all([d.trigger(), d.trigger(d.service.playbooks.fails)])
  return [await poll(d, first!, 1), await poll(d, second!, 1)]
}
