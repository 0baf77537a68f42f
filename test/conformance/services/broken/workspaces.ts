import { always, instead, type When } from '../changes.js'
import type { Ask, Driver } from '../driver.js'
import { type Broken, bodies, replies, shaped, staged, swaps } from '../faults.js'
import type { Change, Context, Json, Operation, Reply } from '../types.js'

const FORBIDDEN = 'A request whose key is valid but lacks permission for the action fails with 403.'
const HOBBY = 'The plan Hobby has no API access.'
const APART = 'A request acts for the one workspace of its key, and reaches nothing of another.'

const allowed = swaps('permitted', () => () => true)
const forbidden = (status: number) => replies((was) => (was.status === 403 ? { status, body: { error: 'no' } } : was))
const asking = (change: (d: Driver) => Partial<Ask>) => (d: Driver, ask: Partial<Ask>) => ({ ...ask, ...change(d) })
const wrongBody = asking(() => ({ body: '{"inputs":[]}' }))

// biome-ignore format: a row is a line
export const permissions: Broken[] = [
  ...shaped('permissions', FORBIDDEN, {
    'the read-only key triggers a run @ trigger reader | trigger reader none | trigger reader two': allowed,
    'the read-only key triggers a run, too @ trigger reader pinned | trigger reader busy | trigger reader query': allowed,
    'the read-only key triggers a run now and then @ trigger reader seventh | trigger reader later': allowed,
    'simultaneous triggers need no permission @ trigger reader together': allowed,
    'the read-only key triggers the playbook that fails @ trigger reader': [(when) => allowed((c) => when(c) && c.id === 'pb_a2'), asking(({ service }) => ({ id: service.playbooks.fails }))],
    'the read-only key triggers the playbook that waits @ trigger reader': [(when) => allowed((c) => when(c) && c.id === 'pb_a3'), asking(({ service }) => ({ id: service.playbooks.waits }))],
    'a missing permission gets 401 @ trigger reader | trigger reader pinned': forbidden(401),
    'a missing permission gets 404 @ trigger reader two | trigger reader busy': forbidden(404),
    'a missing permission gets 200 with an error in the body @ trigger reader | trigger reader none': forbidden(200),
    'a missing permission gets 500 @ trigger reader query': forbidden(500),
    'a missing permission and a wrong body get 500 @ trigger reader': [forbidden(500), wrongBody],
    'a missing permission and a wrong body get 202 @ trigger reader': [forbidden(202), wrongBody],
  }),
  ...shaped('plans', HOBBY, {
    'a workspace without API access is served @ me hobby | playbooks hobby | providers hobby page2': allowed,
    'a workspace without API access is served, too @ playbooks hobby pinned | providers hobby query': allowed,
    'a workspace without API access triggers a run @ trigger hobby': [allowed, asking(() => ({ id: 'pb_c1' }))],
  }),
]

const first = (c: Context): Context => ({
  ...c,
  principal: { ...c.principal, workspace: c.world.principals[0]!.workspace },
})
const theirs = swaps('items', (base) => (c) => base.items(first(c)))
const mixed = swaps('items', (base) => (c) => [...base.items(c), ...base.items(first(c)).slice(-1)])
const anyRun = swaps(
  'findRun',
  () => (c) => c.world.principals.flatMap(({ workspace }) => workspace.runs).find(({ id }) => id === c.id),
)
const total = bodies((list, c) => ({ ...list, meta: { ...(list.meta as Json), total: sum(c) } }))
const sum = (c: Context) => c.does.items(c).length + c.does.items(first(c)).length

/** Acts for the workspace that a request names, whichever its key is of. */
const moves = (to: (c: Context) => unknown) =>
  swaps('accepts', (base) => (c, key) => {
    const named = c.world.principals.find(({ workspace }) => workspace.id === to(c))
    return base.accepts(c, key) && (named ?? base.accepts(c, key))
  })(always)

/** Keeps replies by URL, whatever the key, for some seconds. */
const cached =
  (when: When, ms: number): Change =>
  (base) => {
    const kept = new Map<string, { at: number; reply: Reply }>()
    return {
      finish(c, was) {
        const reply = base.finish(c, was)
        if (!when(c) || reply.status >= 300) return reply
        const hit = kept.get(c.request.url)
        if (hit && c.now - hit.at < ms) return hit.reply
        kept.set(c.request.url, { at: c.now, reply })
        return reply
      },
    }
  }
/** Keeps the workspace of a request where the next one replaces it. */
const shared =
  (when: When): Change =>
  (base) => {
    let current: Context['principal']
    return {
      accepts(c, key) {
        const principal = base.accepts(c, key)
        if (principal) current = principal
        return principal
      },
      stages: [
        ...base.stages,
        async (c) => {
          if (when(c)) await c.world.sleep(5)
          if (when(c)) c.principal = current
          return undefined
        },
      ],
    }
  }
const inTurn =
  (operation: Operation, more: Partial<Ask> = {}) =>
  async (d: Driver) => [await d.send(operation, more), await d.send(operation, { ...more, key: d.service.keys.other })]
const atOnce = (operation: Operation) => (d: Driver) =>
  Promise.all([d.send(operation), d.send(operation, { key: d.service.keys.other })])
const runOfOther = async (d: Driver) => {
  const id = await d.trigger('pb_b1', d.service.keys.other)
  return [await d.send('getRun', { id, key: d.service.keys.other }), await d.send('getRun', { id })]
}

// biome-ignore format: a row is a line
export const workspaces: Broken[] = [
  ...shaped('workspaces apart', APART, {
    'a list has what another workspace has @ playbooks other | providers other page2 | providers other pinned': theirs,
    'a list has what another workspace has, too @ playbooks other query | playbooks other busy': theirs,
    'a list has what another workspace has now and then @ playbooks other seventh | providers other later': theirs,
    'a list has one item of another workspace @ playbooks other | providers other query': mixed,
    'the read-only key lists another workspace @ providers reader': swaps('items', (base) => (c) => base.items({ ...c, principal: c.world.principals[2]! })),
    'the total counts another workspace @ playbooks other | providers other | playbooks other page2': total,
    'the workspace is that of another key @ me other | me other pinned | me other busy | me other seventh': swaps('workspace', (base) => (c) => base.workspace(first(c))),
    'another key reads a run @ run other | run other pinned | run other running | run other ended | run other query': anyRun,
    'another key reads a run now and then @ run other seventh | run other later | run other together': anyRun,
    'another key triggers a playbook @ trigger other | trigger other none | trigger other pinned | trigger other busy': swaps('findPlaybook', (base) => (c) => base.findPlaybook(c) ?? base.findPlaybook(first(c))),
    'another key gets 500 for a run that it may not read @ run other': replies((was) => (was.status === 404 ? { status: 500, body: { error: 'no' } } : was)),
  }),
  ...staged('workspaces apart', APART, [
    ['X-Tenant-Id chooses another workspace', moves((c) => c.request.headers.get('x-tenant-id')), (d) => d.send('listProviders', { headers: { 'x-tenant-id': 'ws_bolt' } })],
    ['account in the query chooses another workspace', moves((c) => c.url.searchParams.get('account')), (d) => d.send('listPlaybooks', { query: { account: 'ws_bolt' } })],
    ['a cache of providers ignores the key', cached((c) => c.operation === 'listProviders', 60_000), inTurn('listProviders')],
    ['a cache of playbooks ignores the key for a second', cached((c) => c.operation === 'listPlaybooks', 1000), inTurn('listPlaybooks')],
    ['a cache of the workspace ignores the key', cached((c) => c.path[0] === 'workspaces', 5000), inTurn('getCurrentWorkspace')],
    ['a cache of second pages ignores the key', cached((c) => c.url.searchParams.get('page') === '2', 60_000), inTurn('listPlaybooks', { query: { page: '2', per_page: '2' } })],
    ['a cache of pinned requests ignores the key', cached((c) => c.request.headers.has('service-version'), 60_000), inTurn('listProviders', { headers: { 'service-version': '2026-11-21' } })],
    ['simultaneous requests get the workspace of the last one', shared((c) => c.operation === 'getCurrentWorkspace'), atOnce('getCurrentWorkspace'), 'thorough'],
    ['simultaneous lists are those of the last key', shared((c) => c.operation === 'listPlaybooks'), atOnce('listPlaybooks'), 'thorough'],
    [
      'a run of one workspace is a run of the other',
      instead('findRun', always, (base) => (c) => {
        const other = c.principal.workspace.id === 'ws_acme' ? 2 : 0
        return base.findRun({ ...c, principal: c.world.principals[other]! })
      }),
      runOfOther,
    ],
  ]),
]
