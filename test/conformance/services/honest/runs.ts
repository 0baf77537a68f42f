import { VERSION } from '../../../support/fixtures.js'
import type { Change, Context, Json, PlannedStep, Reply, Run, Step } from '../types.js'
import type { Rows } from './resources.js'

const run =
  (edit: (run: Json, c: Context) => Json): Change =>
  (base) => ({ run: (c, of) => edit(base.run(c, of), c) })
const statuses =
  (names: Record<string, string>): Change =>
  (base) => ({
    status: (c, of, steps) => names[base.status(c, of, steps)] ?? base.status(c, of, steps),
  })
const steps =
  (edit: (steps: Step[], run: Run, elapsed: number) => Step[]): Change =>
  (base) => ({
    shown: (c, of, all) => edit(base.shown(c, of, all), of, c.now - of.at),
  })
const each = (edit: (step: Step, index: number) => object): Change =>
  steps((all) => all.map((step, at) => edit(step, at) as Step))
const named = (names: Record<string, string>): Change =>
  each((step) => ({ ...step, status: names[step.status] ?? step.status }))
const plan =
  (edit: (steps: PlannedStep[]) => PlannedStep[]): Change =>
  (base) => ({
    setUp: (world) => {
      base.setUp(world)
      // Two keys belong to one workspace.
      const workspaces = new Set(world.principals.map(({ workspace }) => workspace))
      for (const { playbooks } of workspaces) for (const one of playbooks) one.steps = edit(one.steps)
    },
  })
const pending = (run: Run, from: number): Step[] =>
  run.playbook.steps.slice(from).map(({ id }) => ({ id, status: 'pending' }))
const runId =
  (form: (opaque: string) => string): Change =>
  () => ({ runId: (_, opaque) => form(opaque) })
/** The same, for a day: the playbooks were triggered an hour ago as well. */
const recognisedForADay: Change = (base) => {
  const does = { ...base, ...recognised(base) }
  return {
    ...does,
    setUp: (world) => {
      base.setUp(world)
      const { runs, playbooks } = world.principals[0]!.workspace
      for (const [index, playbook] of playbooks.slice(0, 3).entries())
        runs.push({ id: `run_before${index}`, playbook, at: world.created - 3_600_000, inputs: { order: '42' } })
    },
  }
}
/** Ids are counted, and a thousand runs were there before. */
const numbered: Change = (base) => ({
  setUp: (world) => {
    base.setUp(world)
    const { runs, playbooks } = world.principals[0]!.workspace
    for (let number = 1; number <= 1000; number++)
      runs.push({ id: `run_${number}`, playbook: playbooks[0]!, at: world.created - 3_600_000, inputs: {} })
  },
  runId: (c) => `run_${1000 + c.count}`,
})
const time =
  (form: (iso: string, c: Context) => string): Change =>
  () => ({
    startedAt: (c, { at }) => form(new Date(at).toISOString(), c),
  })
const late =
  (ms: number): Change =>
  () => ({ startedAt: (_, { at }) => new Date(at + ms).toISOString() })
const day = (iso: string) =>
  Math.floor((Date.parse(iso) - Date.parse(`${iso.slice(0, 4)}-01-01T00:00:00Z`)) / 86_400_000) + 1
const trigger =
  (edit: (run: Json, path: string) => Reply): Change =>
  (base) => ({
    triggered: (c, of) => edit(base.run(c, of), `${VERSION}/runs/${of.id}`),
  })
/** A trigger that was sent before starts no run of its own. */
const recognised: Change = (base) => ({
  triggered: (c, of) => {
    const same = (other: Run) =>
      other.playbook === of.playbook && JSON.stringify(other.inputs) === JSON.stringify(of.inputs)
    return base.triggered(c, c.principal.workspace.runs.find(same) ?? of)
  },
})
/** Steps that are done or running stay; those that have not started are listed, and may be another plan later. */
const planned = (future: (run: Run, from: number, elapsed: number) => Step[]): Change =>
  steps((all, of, elapsed) =>
    of.playbook.steps.length > all.length ? [...all, ...future(of, all.length, elapsed)] : all,
  )

// biome-ignore format: a row is a line
export const runs: Record<string, Rows> = {
  'status of a run': [
    ['in_progress and completed', statuses({ running: 'in_progress', succeeded: 'completed' })],
    ['capital letters', statuses({ running: 'RUNNING', succeeded: 'SUCCEEDED', failed: 'FAILED' })],
    ['with spaces', statuses({ running: 'In progress', succeeded: 'Done' })],
    ['error instead of failed', statuses({ failed: 'error' })],
    ['cancelled instead of failed', statuses({ failed: 'cancelled' })],
    ['partially_succeeded', statuses({ failed: 'partially_succeeded' })],
    ['queued at first', (base) => ({ status: (c, of, all) => (c.now - of.at < 400 ? 'queued' : base.status(c, of, all)) })],
    ['waiting while a step waits', (base) => ({ status: (c, of, all) => (all.at(-1)?.status === 'waiting_approval' ? 'waiting' : base.status(c, of, all)) })],
    ['archived some seconds after its end', (base) => ({ status: (c, of, all) => (c.now - of.at > 9000 ? 'archived' : base.status(c, of, all)) })],
  ],
  'status of a step': [
    ['in_progress and done', named({ running: 'in_progress', succeeded: 'done' })],
    ['skipped instead of failed', named({ failed: 'skipped' })],
    ['approved after an approval', steps((all, of) => all.map((step) => (of.approvedAt && !step.capability ? { ...step, status: 'approved' } : step)))],
    ['retrying for a while', steps((all, _, elapsed) => all.map((step) => (step.status === 'running' && elapsed % 1000 > 500 ? { ...step, status: 'retrying' } : step)))],
    ['starting at first', steps((all, _, elapsed) => all.map((step) => (step.status === 'running' && elapsed % 1000 < 300 ? { ...step, status: 'starting' } : step)))],
  ],
  'fields of a run': [
    ['an end and a duration', run((was) => ({ ...was, finished_at: null, duration_ms: 3 }))],
    ['its inputs and its workspace', run((was) => ({ ...was, inputs: { order: '42' }, workspace: { id: 'ws' } }))],
    ['steps with names and outputs', each((step, index) => ({ ...step, name: `Step ${index}`, output: { ok: true }, error: null }))],
    ['steps with times', each((step) => ({ ...step, started_at: '2026-11-22T10:00:00Z', attempts: 1 }))],
    ['ids of steps are numbers in text', each((step, index) => ({ ...step, id: String(index) }))],
    ['ids of steps are uuids', each((step, index) => ({ ...step, id: `2f1c8a52-0000-4000-8000-00000000000${index}` }))],
    ['ids of steps are words', each((step) => ({ ...step, id: step.id.replace('step_', 'look up the order ') }))],
    ['capabilities of three parts', each((step) => (step.capability ? { ...step, capability: `${step.capability}.v2` } : step))],
    ['capabilities with hyphens and capitals', each((step) => (step.capability ? { ...step, capability: 'Zen-Desk.Find_All' } : step))],
    ['no step acts on a provider', each(({ id, status }) => ({ id, status }))],
    ['providers that the list does not have', each((step) => (step.capability ? { ...step, capability: 'internal.wait' } : step))],
  ],
  'course of a run': [
    ['without steps', plan(() => [])],
    ['at its end at once', plan((all) => all.map((step) => ({ ...step, takes: 0 })))],
    ['ten minutes a step', plan((all) => all.map((step) => ({ ...step, takes: 600_000 })))],
    ['a hundred steps', plan((all) => [...Array.from({ length: 97 }, (_, at) => ({ ...all[0]!, id: `s${at}`, takes: 10 })), ...all])],
    ['waits for approval at once', plan((all) => (all[1]?.outcome === 'waiting_approval' ? all.slice(1) : all))],
    ['approved by a rule after two seconds', (base) => ({ steps: (c, of) => base.steps(c, { ...of, approvedAt: of.approvedAt ?? of.at + 3000 }) })],
    [
      'two steps at the same time',
      steps((all, of) =>
        all.length === 1 && of.playbook.steps[1]?.capability
          ? [...all, { id: of.playbook.steps[1].id, status: 'running', capability: of.playbook.steps[1].capability }]
          : all,
      ),
    ],
    ['a first look without steps', steps((all, _, elapsed) => (elapsed < 500 ? [] : all))],
    ['status that is a second late', (base) => ({ steps: (c, of) => base.steps({ ...c, now: Math.max(of.at, c.now - 1000) }, of) })],
  ],
  'steps that have not started': [
    ['listed as pending', planned(pending)],
    ['listed with their capability', planned((of, from) => of.playbook.steps.slice(from).map(({ id, capability }) => ({ id, status: 'pending', ...(capability && { capability }) })))],
    ['listed, and replaced before they start', planned((_, from, elapsed) => [{ id: `plan_${from}_${Math.floor(elapsed / 700)}`, status: 'pending' }])],
    ['listed, and some skipped', planned((of, from, elapsed) => [...(elapsed < 1500 ? [{ id: 'optional', status: 'pending' }] : []), ...pending(of, from)])],
    ['listed, and reordered before they start', planned((of, from, elapsed) => (elapsed % 1000 < 500 ? pending(of, from) : pending(of, from).reverse()))],
    ['listed after a while', planned((of, from, elapsed) => (elapsed > 800 ? pending(of, from) : []))],
    ['only the next one listed', planned((of, from) => pending(of, from).slice(0, 1))],
  ],
  'steps that leave': [
    ['only the last two are shown', steps((all) => all.slice(-2))],
    ['only the last one is shown', steps((all) => all.slice(-1))],
    ['those that have ended are left out', steps((all) => all.filter(({ status }) => status === 'running' || status === 'waiting_approval'))],
    ['a step that is tried again has another id', steps((all, _, elapsed) => all.map((step) => (step.status === 'running' ? { ...step, id: `${step.id}_try_${Math.floor((elapsed % 1000) / 400)}` } : step)))],
    ['the first step is replaced twice', steps((all, _, elapsed) => all.map((step, at) => (at === 0 ? { ...step, id: `${step.id}_${Math.min(2, Math.floor(elapsed / 1500))}` } : step)))],
    ['none are left at the end', steps((all, of, elapsed) => (elapsed > 3000 && of.playbook.steps.length === all.length ? [] : all))],
  ],
  'ids of runs': [
    ['a nanoid that may end in - or _', runId((opaque) => `run_${opaque}${'-_ab'[opaque.charCodeAt(6) % 4]}`)],
    ['the region as the prefix', runId((opaque) => `${opaque.charCodeAt(6) % 2 ? 'eu' : 'us'}_${opaque}`)],
    ['run-', runId((opaque) => `run-${opaque}`)],
    ['wfr_', runId((opaque) => `wfr_${opaque}`)],
    ['RUN:', runId((opaque) => `RUN:${opaque}`)],
    ['a prefix with the workspace', runId((opaque) => `acme.run.${opaque}`)],
    ['a prefix and a uuid', runId((opaque) => `exec_0b7e5b0a-4f5e-4d0c-9f3e-${opaque.padStart(12, '0')}`)],
    ['a prefix and a ULID', runId((opaque) => `r_01JD${opaque.toUpperCase().padStart(22, '0')}`)],
    ['a prefix and digits', runId((opaque) => `run_${Number.parseInt(opaque, 36)}`)],
    ['numbers, of which a thousand were there before', numbered],
    ['a long opaque part', runId((opaque) => `run_${opaque.repeat(20)}`)],
  ],
  'form of started_at': [
    ['milliseconds', time((iso) => iso)],
    ['microseconds', time((iso) => iso.replace('Z', '123Z'))],
    ['nanoseconds', time((iso) => iso.replace('Z', '123456Z'))],
    ['an offset of +00:00', time((iso) => iso.replace('Z', '+00:00'))],
    ['small letters', time((iso) => iso.toLowerCase())],
    ['the basic format', time((iso) => `${iso.slice(0, 19).replace(/[-:]/g, '')}Z`)],
    ['a comma before the fraction', time((iso) => iso.replace('.', ','))],
    ['an ordinal date', time((iso) => `${iso.slice(0, 4)}-${String(day(iso)).padStart(3, '0')}${iso.slice(10, 19)}Z`)],
    ['a precision that changes', time((iso, c) => (c.count % 2 ? iso : `${iso.slice(0, 19)}Z`))],
    ['trailing zeros left out', time((iso) => iso.replace(/\.?0*Z$/, 'Z'))],
    ['one second after the trigger', late(1000)],
    ['a clock that is two seconds slow', late(-2000)],
  ],
  'response to a trigger': [
    ['200', trigger((was) => ({ status: 200, body: was }))],
    ['202', trigger((was) => ({ status: 202, body: { ...was, status: 'queued', steps: [] } }))],
    ['the id only', trigger(({ id }) => ({ status: 201, body: { id } }))],
    ['the id and a link', trigger(({ id }, path) => ({ status: 202, body: { id, url: path }, headers: { location: path } }))],
    ['the id of a job, and that of the run beside it', trigger(({ id }) => ({ status: 202, body: { id: 'job_7f3a', type: 'job', status: 'queued', run_id: id } }))],
    ['the run inside run', trigger((was) => ({ status: 201, body: { run: was } }))],
    ['the id in run_id', trigger(({ id }) => ({ status: 201, body: { run_id: id } }))],
    ['the id in run', trigger(({ id }) => ({ status: 201, body: { run: id } }))],
    ['the run beside its playbook', trigger(({ id, playbook_id }) => ({ status: 201, body: { playbook: { id: playbook_id }, run: { id } } }))],
    ['the id as a JSON string', trigger(({ id }) => ({ status: 201, body: id })), 'A14'],
    ['the address of the run', trigger((_, path) => ({ status: 201, body: { href: `http://service.test${path}` } }))],
    ['a status of its own', trigger(({ id }) => ({ status: 201, body: { id, status: { code: 'accepted' }, steps: 0 } })), 'A14'],
    ['the first run with the same inputs', recognised],
    ['the run of the last day with the same inputs', recognisedForADay],
    ['the run inside data', trigger((was) => ({ status: 200, body: { data: was } }))],
    ['303 with the location of the run', trigger((_, path) => ({ status: 303, headers: { location: path } })), 'A13'],
    ['202 without a body', trigger((_, path) => ({ status: 202, headers: { location: path } })), 'A14'],
    ['204 with the location of the run', trigger((_, path) => ({ status: 204, headers: { location: path } })), 'A14'],
    ['204 and nothing more', trigger(() => ({ status: 204 })), 'A14'],
    ['202 with a text', trigger(() => ({ status: 202, text: 'Accepted', headers: { 'content-type': 'text/plain' } })), 'A14'],
    ['no started_at yet', trigger((was) => ({ status: 201, body: { ...was, started_at: null, steps: null } })), 'A14'],
    ['a list of one run', trigger((was) => ({ status: 201, body: [was] })), 'A14'],
    ['the run under another media type', trigger((was) => ({ status: 201, body: was, headers: { 'content-type': 'application/vnd.acme.run+json' } }))],
  ],
}
