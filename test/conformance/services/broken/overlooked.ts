import { instead, reply, type When } from '../changes.js'
import type { Ask, Driver } from '../driver.js'
import { type Broken, staged } from '../faults.js'
import type { Change, Context, Operation, Reply, Workspace } from '../types.js'

const APART = 'A request acts for the one workspace of its key, and a run is read with its own id.'
const LISTS = 'GET /playbooks lists the playbooks that can be triggered, and GET /providers the providers.'
const INVALID = 'A request whose key is missing or invalid fails with 401.'
const HOBBY = 'The plan Hobby has no API access.'
const BODY = 'A wrong body fails with 400, and inputs are strings with any names.'

const of =
  (operation: Operation, also: (c: Context) => boolean = () => true): When =>
  (c) =>
    c.operation === operation && also(c)
const key = (c: Context) => /^Bearer (.*)$/.exec(c.request.headers.get('authorization') ?? '')?.[1] ?? ''
const isReader = (c: Context) => c.world.principals[1]!.key === key(c)
const FAILED: Reply = { status: 500, body: { error: 'internal_error', message: 'It failed.' } }
const fails = (when: When): Change => reply(when, () => FAILED)
/** Accepts such keys for the first workspace. */
const accepts = (when: When, isKey: (key: string) => boolean): Change =>
  instead(
    'accepts',
    when,
    (base) => (c, given) => base.accepts(c, given) ?? (isKey(given) ? c.world.principals[0] : undefined),
  )
const items =
  (
    operation: Operation,
    edit: (c: Context, base: Parameters<Change>[0]) => ReturnType<Parameters<Change>[0]['items']>,
  ): Change =>
  (base) => ({
    items: (c) => (c.operation === operation ? edit(c, base) : base.items(c)),
  })
const sends =
  (...args: [Operation, Partial<Ask>?]) =>
  (d: Driver) =>
    d.send(...args)
const inputs = (body: object) => sends('triggerRun', { body: JSON.stringify({ inputs: body }) })
const hasInput = (isSo: (name: string, value: string) => boolean): When =>
  of('triggerRun', (c) => Object.entries(c.inputs).some(([name, value]) => isSo(name, value)))

/** Gives a workspace so many playbooks more. */
const fill = ({ playbooks }: Workspace, count: number): void => {
  for (let index = 0; index < count; index++) playbooks.push({ ...playbooks[0]!, id: `pb_more${index}` })
}

/** Reads at the same time get the run that was started last. */
const lastRunTogether: Change = (base) => ({
  findRun: (c) => (c.together && base.findRun(c) ? c.principal.workspace.runs.at(-1) : base.findRun(c)),
})
const readTogether = async (d: Driver) => {
  const ids = [await d.trigger(), await d.trigger(d.service.playbooks.fails)]
  return Promise.all([...ids, ...ids].map((id) => d.send('getRun', { id })))
}

// biome-ignore format: a row is a line
export const overlooked: Broken[] = [
  ...staged('runs', APART, [
    ['two runs that are read at the same time are one', lastRunTogether, readTogether],
  ]),
  ...staged('permissions', APART, [
    ['the read-only key reads a run with a pin only', reply(of('getRun', (c) => isReader(c) && !c.request.headers.has('service-version')), () => ({ status: 404, body: { error: 'not_found', message: 'No.' } })), async (d) => d.send('getRun', { id: await d.trigger(), key: d.service.keys.readOnly })],
  ]),
  ...staged('plans', HOBBY, [
    ['a workspace without API access triggers a playbook of another one', (base) => ({ permitted: (c) => c.operation === 'triggerRun' && c.principal.hobby ? true : base.permitted(c), findPlaybook: (c) => base.findPlaybook(c) ?? (c.principal.hobby ? base.findPlaybook({ ...c, principal: c.world.principals[0]! }) : undefined) }), (d) => d.send('triggerRun', { key: d.service.keys.hobby })],
  ]),
  ...staged('workspaces apart', APART, [
    ['another key, whose workspace has more playbooks than a page, triggers a playbook', (base) => ({ setUp(world) { base.setUp(world); fill(world.principals[2]!.workspace, 50) }, findPlaybook: (c) => base.findPlaybook(c) ?? base.findPlaybook({ ...c, principal: c.world.principals[0]! }) }), (d) => d.send('triggerRun', { key: d.service.keys.other })],
  ]),
  ...staged('lists', LISTS, [
    ['the providers are the playbooks', items('listProviders', (c, base) => base.items({ ...c, operation: 'listPlaybooks' })), sends('listProviders')],
    ['a playbook that is triggered is on none of the pages of at most 20', (base) => ({ ...items('listPlaybooks', (c) => base.items(c).filter(({ id }) => id !== 'pb_a3'))(base), window: (c) => ({ ...base.window(c), perPage: Math.min(20, base.window(c).perPage) }) }), sends('listPlaybooks')],
  ]),
  ...staged('credentials', INVALID, [
    ['a key of 2,000 characters without blanks gets 500', fails((c) => key(c).length > 1_000 && !key(c).includes(' ')), sends('listProviders', { key: 'x'.repeat(2_000) })],
    ['the key test is accepted for triggers', accepts(of('triggerRun'), (given) => given === 'test'), sends('triggerRun', { key: 'test' })],
    ['the key test is accepted for the workspace', accepts(of('getCurrentWorkspace'), (given) => given === 'test'), sends('getCurrentWorkspace', { key: 'test' })],
  ]),
  ...staged('bodies', BODY, [
    ['a wrong body starts a run of the second playbook', (base) => ({ wrongBody: (c) => (c.id === 'pb_a2' ? undefined : base.wrongBody(c)) }), (d) => d.send('triggerRun', { id: d.service.playbooks.fails, body: '{' })],
    ['an apostrophe in an input gets 500', fails(hasInput((_, value) => value.includes("'"))), inputs({ note: "it's" })],
    ['a percent sign in an input gets 500', fails(hasInput((_, value) => /%[sd]/.test(value))), inputs({ note: '100 %s' })],
    ['a template in an input gets 500', fails(hasInput((_, value) => value.includes('{{'))), inputs({ note: '{{x}}' })],
    ['a name with a dot gets 500', fails(hasInput((name) => name.includes('.'))), inputs({ 'a.b': 'x' })],
    ['a name with a dollar gets 500', fails(hasInput((name) => name.startsWith('$'))), inputs({ $set: 'x' })],
    ['a charset in the content type gets 500', fails(of('triggerRun', (c) => /^application\/json; *charset/.test(c.request.headers.get('content-type') ?? ''))), sends('triggerRun', { headers: { 'content-type': 'application/json; charset=utf-8' } })],
  ]),
]
