import { body, reply, type When } from './changes.js'
import { createService } from './create.js'
import type { Ask, Driver } from './driver.js'
import { type Broken, staged } from './faults.js'
import type { Change, Context, Json, Operation, Principal, Reply, Run, Service } from './types.js'

// Services that were written from the specification by somebody who had not read the checks.

const on =
  (operation: Operation): When =>
  (c) =>
    c.operation === operation
const runOfAnyone = (c: Context): Run | undefined =>
  c.world.principals.flatMap(({ workspace }) => workspace.runs).find(({ id }) => id === c.id)
const belongsToOthers = (c: Context) =>
  on('getRun')(c)
    ? runOfAnyone(c) !== undefined
    : c.world.principals.some(({ workspace }) => workspace.playbooks.some(({ id }) => id === c.id))
const secondPage = (c: Context) => on('listPlaybooks')(c) && c.does.window(c).page === 2
const metaOf = (list: Json) => list.meta as Json

const asOther = (d: Driver): Partial<Ask> => ({ key: d.service.keys.other })
const send =
  (operation: Operation, ask: (d: Driver) => Partial<Ask> = () => ({})) =>
  (d: Driver) =>
    d.send(operation, ask(d))
const readByOther = (times: number) => async (d: Driver) => {
  const id = await d.trigger()
  const seen = []
  for (let read = 0; read < times; read++) seen.push(await d.send('getRun', { id, ...asOther(d) }))
  return seen
}
const readOwn = async (d: Driver) => d.send('getRun', { id: await d.trigger() })
const afterBurst =
  (ask: (d: Driver) => Partial<Ask> = () => ({})) =>
  async (d: Driver) => {
    for (let sent = 0; sent < 121; sent++) await d.send('listProviders')
    return d.send('listProviders', ask(d))
  }

/** The second read of a run is served from what the first one loaded, whoever sent it. */
const loadedByFirstRead: Change = (base) => {
  const loaded = new Set<string>()
  return {
    findRun(c) {
      const own = base.findRun(c)
      if (own) return own
      if (loaded.has(c.id)) return runOfAnyone(c)
      loaded.add(c.id)
      return undefined
    },
  }
}
const workspaceOfPreviousRequest: Change = (base) => {
  let previous: Principal | undefined
  return {
    workspace: (c) => base.workspace({ ...c, principal: previous ?? c.principal }),
    finish(c, was) {
      previous = c.principal
      return base.finish(c, was)
    },
  }
}
/** A read that arrives during another read of the same run gets the response of that one. */
const sharedRead: Change = (base) => ({
  findRun(c) {
    const first = [...c.world.open].find((other) => other !== c && on('getRun')(other) && other.id === c.id)
    return (
      base.findRun(c) ?? (first?.principal.workspace.runs.some(({ id }) => id === c.id) ? runOfAnyone(c) : undefined)
    )
  },
})

const KEY = 'A request whose key is missing or invalid fails with 401.'
const APART = 'A request acts for the one workspace of its key.'
const PERMISSION = 'A valid key that lacks the permission gets 403, and the plan Hobby has no API access.'
const LIST = 'A list is an object with data, an array, and meta with the integers total, page and per_page.'
const RUN = 'A run has an id with a prefix, and its steps are an array.'
const WRONG = 'A wrong body gets 400, and an unknown id 404.'
const LIMIT = 'Limits apply to a workspace; Retry-After has the seconds of retry_after.'

// biome-ignore format: a row is a line
export const unseenBroken: Broken[] = [
  ...staged('unseen', KEY, [
    ['only the first twelve characters of a key are compared', (base) => ({ accepts: (c, key) => base.accepts(c, key) ?? c.world.principals.find((one) => one.key.slice(0, 12) === key.slice(0, 12)) }), send('listPlaybooks', (d) => ({ key: `${d.service.keys.valid.slice(0, 12)}0000` }))],
  ]),
  ...staged('unseen', APART, [
    ['the second read of another workspace\'s run shows it', loadedByFirstRead, readByOther(2)],
    ['the 404 for another workspace\'s run has the run in it', reply(on('getRun'), (was, c) => { const run = was.status === 404 ? runOfAnyone(c) : undefined; return run ? { ...was, body: { ...(was.body as Json), run: c.does.run(c, run) } } : was }), readByOther(1)],
    ['the workspace is that of the previous request', workspaceOfPreviousRequest, async (d) => { await d.send('listPlaybooks', asOther(d)); return d.send('getCurrentWorkspace') }],
    ['the second page of playbooks also has those of another workspace', (base) => ({ list: (c) => { const was = base.list(c); if (!secondPage(c)) return was; const { data, meta } = was.body as Json; const others = c.world.principals.find(({ workspace }) => workspace !== c.principal.workspace)!; return { ...was, body: { meta, data: [...(data as Json[]), ...base.items({ ...c, principal: others })] } } } }), send('listPlaybooks', () => ({ query: { page: '2' } }))],
    ['reads of a run at the same time share the response of the first', sharedRead, async (d) => { const id = await d.trigger(); return Promise.all([d.send('getRun', { id }), d.send('getRun', { id, ...asOther(d) })]) }],
  ]),
  ...staged('unseen', PERMISSION, [
    ['a key of the plan Hobby triggers', (base) => ({ permitted: (c) => (c.principal.hobby && on('triggerRun')(c)) || base.permitted(c) }), send('triggerRun', (d) => ({ key: d.service.keys.hobby, id: 'pb_c1' }))],
    ['the read-only key triggers a playbook that asks for approval', (base) => ({ permitted: (c) => base.permitted(c) || (c.principal.readOnly && on('triggerRun')(c) && base.findPlaybook(c)?.steps.some(({ outcome }) => outcome === 'waiting_approval') === true) }), send('triggerRun', (d) => ({ key: d.service.keys.readOnly, id: d.service.playbooks.waits }))],
  ]),
  ...staged('unseen', LIST, [
    ['per_page is a string where the query has it', body((c) => c.url.searchParams.has('per_page'), (list, c) => ({ ...list, meta: { ...metaOf(list), per_page: c.url.searchParams.get('per_page') } })), send('listProviders', () => ({ query: { per_page: '3' } }))],
    ['data is an object with the indexes as keys from the second page on', body(secondPage, (list) => ({ ...list, data: Object.fromEntries((list.data as Json[]).map((item, index) => [index + 20, item])) })), send('listPlaybooks', () => ({ query: { page: '2' } }))],
  ]),
  ...staged('unseen', RUN, [
    ['steps are an object by their ids', body(on('getRun'), (run) => ({ ...run, steps: Object.fromEntries((run.steps as Json[]).map((step) => [step.id, step])) })), readOwn],
    ['a run that is read has an id without the prefix', body(on('getRun'), (run) => ({ ...run, id: String(run.id).replace('run_', '') })), readOwn],
  ]),
  ...staged('unseen', WRONG, [
    ['inputs that are null are taken for none', (base) => ({ wrongBody: (c) => (/"inputs":\s*null/.test(new TextDecoder().decode(c.body)) ? undefined : base.wrongBody(c)) }), send('triggerRun', () => ({ body: '{"inputs":null}' }))],
    ['an unknown run is null with 200', reply(on('getRun'), (was): Reply => (was.status === 404 ? { status: 200, body: null } : was)), send('getRun', () => ({ id: 'run_nobody' }))],
  ]),
  ...staged('unseen', LIMIT, [
    ['Retry-After is a date', reply(() => true, (was, c) => (was.status === 429 ? { ...was, headers: { 'retry-after': new Date(c.now + 1000 * Number(was.headers?.['retry-after'])).toUTCString() } } : was)), afterBurst()],
    ['requests with a release have a limit of their own', (base) => ({ bucket: (c) => `${base.bucket(c)} ${c.request.headers.get('service-version')}` }), afterBurst((d) => ({ headers: { 'service-version': d.service.release } }))],
  ]),
]

/** No key that may read them shows the playbooks of a workspace without API access, so none of them can be triggered. */
export const unobservable = 'a key of the plan Hobby triggers'

/** The second workspace is a copy of the first, as for a staging environment. */
const copied: Change = () => ({
  setUp({ principals }) {
    const [first, , second] = principals.map(({ workspace }) => workspace)
    Object.assign(second!, {
      playbooks: first!.playbooks.map((playbook) => ({ ...playbook })),
      providers: first!.providers.map((provider) => ({ ...provider })),
    })
  },
})
const firstOfEachOperationFails: Change = (base) => {
  const called = new Set<Operation>()
  return {
    arrive(c) {
      if (!c.operation || called.has(c.operation)) return base.arrive(c)
      called.add(c.operation)
      return c.does.error(c, 500, 'internal_error', 'It is starting.')
    },
  }
}
const rejected: Change = (base) => ({
  steps: (c, run) => base.steps(c, { ...run, approvedAt: undefined } as unknown as Run),
  shown: (_, run, steps) =>
    steps.map((step) =>
      run.approvedAt && step.status === 'waiting_approval' ? { ...step, status: 'rejected' } : step,
    ),
  status: (c, run, steps) => (run.approvedAt ? 'cancelled' : base.status(c, run, steps)),
})

// biome-ignore format: a row is a line
const honest: [name: string, change: Change, beyond?: string][] = [
  ['the other workspace is a copy of this one', copied],
  ['somebody creates a playbook in the first workspace every ten seconds, and the newest is listed first', (base) => ({ items: (c) => (on('listPlaybooks')(c) && c.principal.workspace === c.world.principals[0]?.workspace ? [...Array.from({ length: Math.floor((c.now - c.world.created) / 10_000) }, (_, index) => ({ id: `pb_new${index}`, name: `New ${index}`, description: 'New.' })).reverse(), ...base.items(c)] : base.items(c)) })],
  ['the first request of each operation fails', firstOfEachOperationFails],
  ['JSON is indented and has a charset', reply(() => true, (was) => (was.body === undefined ? was : { ...was, text: JSON.stringify(was.body, undefined, 2), headers: { ...was.headers, 'content-type': 'application/json; charset=UTF-8' } }))],
  ['what belongs to another workspace gets 403', reply((c) => (on('getRun')(c) || on('triggerRun')(c)) && belongsToOthers(c), (was, c) => (was.status === 404 ? c.does.error(c, 403, 'forbidden', 'It belongs to another workspace.') : was))],
  ['every playbook requires the input "order"', (base) => ({ wrongBody: (c) => base.wrongBody(c) ?? (c.inputs.order === undefined ? 'The input "order" is missing.' : undefined) })],
  ['ids are found without regard to case', (base) => ({ findRun: (c) => base.findRun(c) ?? c.principal.workspace.runs.find(({ id }) => id.toLowerCase() === c.id.toLowerCase()), findPlaybook: (c) => base.findPlaybook(c) ?? c.principal.workspace.playbooks.find(({ id }) => id.toLowerCase() === c.id.toLowerCase()) })],
  ['a page after the last is the last', (base) => ({ window: (c) => { const { page, perPage } = base.window(c); return { page: Math.max(1, Math.min(page, Math.ceil(base.items(c).length / perPage))), perPage } } })],
  ['errors are a list', () => ({ error: (_, status, code, message) => ({ status, body: { errors: [{ code, title: message }] } }) })],
  ['a run that waits is rejected and cancelled', rejected],
  ['unknown parameters of the query get 400', (base) => ({ wrongParameter: (c) => base.wrongParameter(c) ?? ([...c.url.searchParams.keys()].some((name) => !c.operation?.startsWith('list') || !['page', 'per_page'].includes(name)) ? 'The parameter is unknown.' : undefined) })],
]

export const unseenHonest: Service[] = honest.map(([name, change, beyond]) => ({
  ...{ name, class: 'unseen', kind: 'honest', ...(beyond && { beyond }) },
  create: (options) => createService([change], options),
}))
