import type { BasisId } from '../../../generated/contract.js'
import { body, reply, type When } from './changes.js'
import { createService } from './create.js'
import type { Ask, Driver } from './driver.js'
import { type Broken, staged } from './faults.js'
import type { Change, Context, Json, Operation, Principal, Reply, Service } from './types.js'

// Services that were written from the specification alone, before the kit was changed; no kit is tuned to them.

const on = (operation: Operation) => (c: Context) => c.operation === operation
const pinned = (c: Context) => c.request.headers.has('service-version')
const sent = (c: Context) => c.request.headers.get('authorization') ?? ''
const key = (c: Context) => sent(c).replace(/^Bearer /, '')
const world =
  (edit: (all: Principal[]) => unknown): Change =>
  () => ({ setUp: ({ principals }) => edit(principals) })
const everyRun = (c: Context) => c.world.principals.flatMap(({ workspace }) => workspace.runs)
const age = (c: Context) => c.now - (everyRun(c).find(({ id }) => id === c.id)?.at ?? c.now)
const statusOf = (c: Context) => {
  const run = everyRun(c).find(({ id }) => id === c.id)
  return run && c.does.steps(c, run).some(({ status }) => status === 'waiting_approval')
}
const failed = (c: Context, status: number): Reply => c.does.error(c, status, 'error', 'It failed.')
const errors = (edit: (was: Reply, c: Context) => Reply): Change =>
  reply(
    () => true,
    (was, c) => (was.status >= 400 && was.status !== 429 ? edit(was, c) : was),
  )
const run = (edit: (was: Json, c: Context) => Json): Change => body((c) => on('getRun')(c) || on('triggerRun')(c), edit)
const meta = (operation: Operation, edit: (was: Json) => unknown): Change =>
  body(on(operation), (list) => ({ ...list, meta: edit(list.meta as Json) }))
const refused = (edit: (was: Json) => Json): Change =>
  reply(
    () => true,
    (was) => (was.status === 429 ? { ...was, body: edit(was.body as Json) } : was),
  )

/** Also lets in a request without a valid key, as the first workspace. */
const lets =
  (when: When): Change =>
  (base) => ({
    accepts: (c, sentKey) => base.accepts(c, sentKey) ?? (when(c) ? c.world.principals[0] : undefined),
    credentials: (c) => base.credentials(c) ?? (when(c) ? 'none' : undefined),
  })

const then =
  (...all: ((d: Driver) => unknown)[]) =>
  async (d: Driver) => {
    let shown: unknown
    for (const one of all) shown = await one(d)
    return shown
  }
const send =
  (operation: Operation, ask: (d: Driver) => Partial<Ask> = () => ({})) =>
  (d: Driver) =>
    d.send(operation, ask(d))
const reads =
  (ask: (d: Driver) => Partial<Ask> = () => ({}), wait = 0, playbook: 'succeeds' | 'fails' | 'waits' = 'succeeds') =>
  async (d: Driver) => {
    const id = await d.trigger(d.service.playbooks[playbook])
    const own = await d.send('getRun', { id })
    d.advance(wait)
    return [own, await d.send('getRun', { id, ...ask(d) })]
  }
const other = (d: Driver) => ({ key: d.service.keys.other })
const full = async (d: Driver) => {
  const all = []
  for (let at = 0; at < 125; at++) all.push((await d.send('listProviders')).status)
  return all
}
const lastOfFull = async (d: Driver) => {
  await full(d)
  return d.send('listProviders')
}
const both = (operation: Operation, asks: (d: Driver) => Partial<Ask>[]) => (d: Driver) =>
  Promise.all(asks(d).map((ask) => d.send(operation, ask)))

/** Remembers the first response to each URL, whatever the key, for so many ms. */
const cached =
  (ms: number, when: When): Change =>
  (base) => {
    const known = new Map<string, { at: number; reply: Reply }>()
    return {
      finish(c, was) {
        const now = base.finish(c, was)
        if (!when(c) || now.status === 401) return now
        const found = known.get(c.url.href)
        if (found && c.now - found.at < ms) return found.reply
        if (now.status !== 200) return now
        known.set(c.url.href, { at: c.now, reply: now })
        return now
      },
    }
  }

const KEY = 'A request whose key is missing or invalid fails with 401.'
const APART = 'A request acts for the one workspace of its key.'
const PERMISSION = 'A valid key that lacks the permission gets 403.'
const LIST = 'A list is an object with data, an array, and meta with the integers total, page and per_page.'
const RUN = 'A run has id, status, playbook_id, started_at in UTC, and steps in order.'
const WRONG = 'A wrong body gets 400, an unknown id 404, and a 500 is transient.'
const LIMIT = 'The plan Pro allows 60 requests per minute for a workspace, triggers not counted; a 429 says so.'
const PIN = 'A request may name a release.'

// biome-ignore format: a row is a line
export const freshBroken: Broken[] = [
  ...staged('fresh', KEY, [
    ['a run that has ended is public', lets((c) => on('getRun')(c) && age(c) > 3000), reads(() => ({ key: undefined }), 5000)],
    ['a trigger needs no key', lets((c) => on('triggerRun')(c) && sent(c) === ''), send('triggerRun', () => ({ key: undefined }))],
    ['a wrong key is taken for the right one right after a right one', (base) => { let until = 0; return { accepts: (c, k) => { const found = base.accepts(c, k); if (found) until = c.now + 500; return found ?? (c.now < until ? c.world.principals[0] : undefined) } } }, then(send('listPlaybooks'), send('listPlaybooks', () => ({ key: 'wfk_1' })))],
    ['a key is compared without its case', (base) => ({ accepts: (c, k) => base.accepts(c, k.toLowerCase()) }), send('listProviders', (d) => ({ key: d.service.keys.valid.toUpperCase() }))],
    ['a missing key gets an empty list of providers', reply((c) => on('listProviders')(c) && sent(c) === '', () => ({ status: 200, body: { data: [], meta: { total: 0, page: 1, per_page: 20 } } })), send('listProviders', () => ({ key: undefined }))],
    ['a trigger without a key gets 403', reply((c) => on('triggerRun')(c) && sent(c) === '', (was, c) => (was.status === 401 ? failed(c, 403) : was)), send('triggerRun', () => ({ key: undefined }))],
    ['a run is looked for before the key', reply((c) => on('getRun')(c), (was, c) => (was.status === 401 && everyRun(c).some(({ id }) => id === c.id) ? failed(c, 403) : was)), reads(() => ({ key: 'wfk_no' }))],
  ]),
  ...staged('fresh', APART, [
    ['a run that its owner has read is shown to every valid key', cached(60_000, on('getRun')), reads(other)],
    ['a run that waits for approval is shown to every valid key', (base) => ({ findRun: (c) => base.findRun(c) ?? (statusOf(c) ? everyRun(c).find(({ id }) => id === c.id) : undefined) }), reads(other, 3000, 'waits')],
    ['a run that failed is shown to every valid key', (base) => ({ findRun: (c) => base.findRun(c) ?? everyRun(c).find((one) => one.id === c.id && base.steps(c, one).some(({ status }) => status === 'failed')) }), reads(other, 5000, 'fails')],
    ['every workspace triggers every playbook', (base) => ({ findPlaybook: (c) => base.findPlaybook(c) ?? c.world.principals.flatMap(({ workspace }) => workspace.playbooks).find(({ id }) => id === c.id) }), send('triggerRun', (d) => other(d))],
    ['the providers of all workspaces are listed', (base) => ({ items: (c) => (on('listProviders')(c) ? [...base.items(c), ...c.world.principals.filter(({ workspace }) => workspace !== c.principal.workspace).flatMap(({ workspace }) => workspace.providers.map((one) => ({ ...one })))] : base.items(c)) }), send('listProviders')],
    ['the list of playbooks is cached for a minute by its URL', cached(60_000, on('listPlaybooks')), then(send('listPlaybooks'), send('listPlaybooks', other))],
    ['the workspace is cached for ten seconds by its URL', cached(10_000, on('getCurrentWorkspace')), then(send('getCurrentWorkspace'), send('getCurrentWorkspace', other))],
    ['requests at the same time get the workspace of the first', (base) => ({ workspace: (c) => { const [first] = c.world.open; return c.together && first?.principal ? { id: first.principal.workspace.id, name: first.principal.workspace.name } : base.workspace(c) } }), both('getCurrentWorkspace', (d) => [{}, other(d)])],
    ['runs that are triggered in the same instant have one id', (base) => ({ runId: (c, opaque) => (c.together ? `run_${c.now.toString(36)}` : base.runId(c, opaque)) }), both('triggerRun', () => [{}, {}])],
    ['a second trigger within a second is the first run again', (base) => ({ triggered: (c, one) => { const last = c.principal.workspace.runs.findLast((each) => each !== one && each.playbook === one.playbook && one.at - each.at < 1000); return base.triggered(c, last ?? one) } }), both('triggerRun', () => [{}, {}])],
  ]),
  ...staged('fresh', PERMISSION, [
    ['a key without the permission triggers', (base) => ({ permitted: (c) => c.principal.readOnly || base.permitted(c) }), send('triggerRun', (d) => ({ key: d.service.keys.readOnly }))],
    ['a key without the permission gets 401', reply((c) => on('triggerRun')(c) && c.principal.readOnly, (was, c) => (was.status === 403 ? failed(c, 401) : was)), send('triggerRun', (d) => ({ key: d.service.keys.readOnly }))],
  ]),
  ...staged('fresh', LIST, [
    ['the total is a text', meta('listPlaybooks', (was) => ({ ...was, total: String(was.total) })), send('listPlaybooks')],
    ['the providers are an array alone', body(on('listProviders'), (list) => list.data), send('listProviders')],
    ['the total is null', meta('listProviders', (was) => ({ ...was, total: null })), send('listProviders')],
    ['the total is not an integer', meta('listPlaybooks', (was) => ({ ...was, total: 23.5 })), send('listPlaybooks')],
    ['meta stands inside data', body(on('listPlaybooks'), (list) => ({ data: { items: list.data, meta: list.meta } })), send('listPlaybooks')],
  ]),
  ...staged('fresh', RUN, [
    ['steps are null until one has ended', run((was, c) => (age(c) < 1000 ? { ...was, steps: null } : was)), reads()],
    ['the newest step comes first', run((was) => ({ ...was, steps: [...(was.steps as unknown[])].reverse() })), reads(undefined, 2500)],
    ['started_at is in local time with an offset', run((was) => ({ ...was, started_at: `${new Date(Date.parse(String(was.started_at)) + 7_200_000).toISOString().slice(0, 19)}+02:00` })), reads()],
    ['started_at is a number', run((was) => ({ ...was, started_at: Date.parse(String(was.started_at)) / 1000 })), reads()],
    ['a run has the name of its playbook instead of its id', run((was) => ({ ...was, playbook_id: 'Playbook a1' })), reads()],
    ['all steps have one id', run((was) => ({ ...was, steps: (was.steps as Json[]).map((step) => ({ ...step, id: 'step' })) })), reads(undefined, 2500)],
    ['a capability has no dot', run((was) => ({ ...was, steps: (was.steps as Json[]).map((step) => ({ ...step, ...(typeof step.capability === 'string' && { capability: step.capability.replace('.', '/') }) })) })), reads(undefined, 2500)],
  ]),
  ...staged('fresh', WRONG, [
    ['a run that failed gets 500', reply((c) => on('getRun')(c), (was, c) => ((was.body as Json)?.status === 'failed' ? failed(c, 500) : was)), reads(undefined, 5000, 'fails')],
    ['a run that has ended is gone', (base) => ({ findRun: (c) => (age(c) > 4000 ? undefined : base.findRun(c)) }), reads(undefined, 5000)],
    ['JSON that is cut off gets 500', reply((c) => on('triggerRun')(c), (was, c) => (was.status === 400 && !new TextDecoder().decode(c.body).endsWith('}') ? failed(c, 500) : was)), send('triggerRun', () => ({ body: '{"inputs":{' }))],
    ['an unknown playbook gets 200 with an error', reply((c) => on('triggerRun')(c), (was) => (was.status === 404 ? { status: 200, body: { error: 'not_found' } } : was)), send('triggerRun', () => ({ id: 'pb_zz9' }))],
  ]),
  ...staged('fresh', LIMIT, [
    ['a 429 does not say in its body how long to wait', refused(({ retry_after: _, ...rest }) => rest), lastOfFull],
    ['a 429 says milliseconds in its header', reply(() => true, (was) => (was.status === 429 ? { ...was, headers: { 'retry-after': String(Number(was.headers?.['retry-after']) * 1000) } } : was)), lastOfFull],
    ['a 429 has another error', refused((was) => ({ ...was, error: 'too_many_requests' })), lastOfFull],
    ['triggers count too', (base) => ({ counted: (c) => on('triggerRun')(c) || base.counted(c) }), async (d) => { for (let at = 0; at < 125; at++) await d.trigger(); return d.send('listProviders') }],
  ]),
  ...staged('fresh', PIN, [
    ['a pinned trigger gets 404', reply((c) => on('triggerRun')(c) && pinned(c), (was, c) => (was.status === 201 ? failed(c, 404) : was)), send('triggerRun', (d) => ({ headers: { 'service-version': d.service.release } }))],
  ]),
]

/** Those that violate only what is assumed, with its entry: verify must contradict that, and fail nothing. */
export const freshAssumed: Readonly<Record<string, BasisId>> = {
  // Two workspaces that have connected the same providers get the same lists, and how often an id is in one is not stated.
  'the providers of all workspaces are listed': 'A03',
  // Neither the response to a trigger nor a limit on how often a playbook may run is shown: both may start one run.
  'a second trigger within a second is the first run again': 'A34',
}

const ids = (form: (index: number) => string): Change =>
  world((all) => {
    for (const { workspace } of new Set(all))
      for (const [index, one] of workspace.playbooks.entries()) if (!one.id.startsWith('!')) one.id = `!${form(index)}`
  })
const unmarked =
  (change: Change): Change =>
  (base) => {
    const does = change(base)
    return {
      ...does,
      setUp(w) {
        does.setUp?.(w)
        for (const { workspace } of w.principals)
          for (const one of workspace.playbooks) one.id = one.id.replace(/^!/, '')
      },
    }
  }

// biome-ignore format: a row is a line
const honest: [name: string, change: Change, beyond?: string][] = [
  ['opaque ids of runs that end in an equals sign', (base) => ({ runId: (c, opaque) => `run_${btoa(base.runId(c, opaque)).replace(/=*$/, '==')}` })],
  ['ids of runs are UUIDs with a prefix', (base) => ({ runId: (c, opaque) => `run-0193a6f0-${base.runId(c, opaque).slice(-4)}-7abc-8def-${opaque.padStart(12, '0')}` })],
  ['ids of playbooks with a colon and an equals sign', unmarked(ids((index) => `pb:${index}=`))],
  ['errors without a body', errors(({ status }) => ({ status }))],
  ['errors as plain text', errors(({ status }) => ({ status, text: 'No.', headers: { 'content-type': 'text/plain' } }))],
  ['errors as problem details', errors(({ status }) => ({ status, text: JSON.stringify({ type: 'about:blank', title: 'No', status }), headers: { 'content-type': 'application/problem+json' } }))],
  ['a trigger responds with 202 and the run inside "run"', (base) => ({ triggered: (c, one) => ({ status: 202, body: { run: base.run(c, one) } }) })],
  ['lists have everything on one page', (base) => ({ list: (c) => { const data = base.items(c); return { status: 200, body: { data, meta: { total: data.length, page: 1, per_page: data.length } } } } })],
  ['no provider is connected', (base) => ({ items: (c) => (on('listProviders')(c) ? [] : base.items(c)) })],
  ['a run also has its inputs and its end', run((was, c) => ({ ...was, inputs: { order: '42' }, ended_at: age(c) > 3000 ? '2026-11-22T10:00:05Z' : null }))],
  ['started_at has microseconds', (base) => ({ startedAt: (c, one) => base.startedAt(c, one).replace('Z', '.000000Z') })],
  ['all steps are there from the start', (base) => ({ shown: (c, one) => one.playbook.steps.map((step, at) => ({ ...(base.steps(c, one)[at] ?? { id: step.id, status: 'pending', ...(step.capability && { capability: step.capability }) }) })) })],
  ['a run is queued for half a second', (base) => ({ status: (c, one, all) => (c.now - one.at < 500 ? 'queued' : base.status(c, one, all).replace('succeeded', 'completed')) })],
  ['a run can be read two seconds after its trigger', (base) => ({ findRun: (c) => [base.findRun(c)].find((one) => one && c.now - one.at > 2000) })],
  ['releases are ignored', (base) => ({ wrongParameter: (c) => { const wrong = base.wrongParameter(c); return wrong?.includes('Service-Version') ? undefined : wrong } })],
  ['bodies may have more than inputs', (base) => ({ wrongBody: (c) => { try { const { inputs, ...more } = JSON.parse(new TextDecoder().decode(c.body)) as Json; if (Object.keys(more).length && inputs && typeof inputs === 'object' && Object.values(inputs).every((v) => typeof v === 'string')) return undefined } catch {} return base.wrongBody(c) } })],
  ['a wrong body gets 400 before the key is looked at', (base) => ({ arrive: (c) => { const wrong = on('triggerRun')(c) ? base.wrongBody(c) : undefined; return wrong ? c.does.error(c, 400, 'bad_request', wrong) : undefined } })],
  ['a 429 always asks for 30 seconds', (base) => ({ limited: (c, wait) => base.limited(c, Math.max(30, wait)) })],
  ['every fiftieth request fails once', () => ({ arrive: (c) => (c.count % 50 === 0 ? failed(c, 500) : undefined) })],
  ['both workspaces have the same ids', world((all) => { for (const [at, one] of all[2]!.workspace.playbooks.entries()) one.id = all[0]!.workspace.playbooks[at]!.id })],
  ['runs are counted in each workspace', (base) => ({ runId: (c) => `${base.runId(c, '').slice(0, 4)}${c.principal.workspace.runs.length + 1}` })],
  ['playbooks in the order of their last runs', (base) => ({ items: (c) => (on('listPlaybooks')(c) ? [...base.items(c)].sort((a, b) => c.principal.workspace.runs.findLastIndex(({ playbook }) => playbook.id === b.id) - c.principal.workspace.runs.findLastIndex(({ playbook }) => playbook.id === a.id)) : base.items(c)) })],
  ['only the input "order" is allowed', (base) => ({ wrongBody: (c) => base.wrongBody(c) ?? (Object.keys(c.inputs).some((name) => name !== 'order') ? 'The input is unknown.' : undefined) })],
  ['a workspace without API access gets 402', (base) => ({ permitted: (c) => c.principal.hobby || base.permitted(c), arrive: (c) => (c.world.principals.some((one) => one.hobby && one.key === key(c)) ? failed(c, 402) : undefined) })],
  ['what is unknown is looked for before the permission', (base) => ({ permitted: (c) => (on('triggerRun')(c) && !base.findPlaybook(c)) || base.permitted(c) })],
]

export const freshHonest: Service[] = honest.map(([name, change, beyond]) => ({
  ...{ name, class: 'fresh', kind: 'honest', ...(beyond && { beyond }) },
  create: (options) => createService([change], options),
}))
