import { describe, expect, it } from 'vitest'
import { workspace } from '../../../generated/examples.js'
import { createSandbox, type World } from '../../../src/tools/sandbox/index.js'
import { caller, trigger } from '../calls.js'

const bakery = {
  bakery: {
    workspace: { id: 'ws_1', name: 'Bakery' },
    plan: { requestsPerMinute: 60, burst: 2 },
    keys: { baker: { value: 'flour' }, guest: { value: 'crumb', operations: ['listPlaybooks'] } },
    playbooks: { bake: { playbook: { id: 'pb_bread' }, steps: [{ capability: 'oven.heat' }, { approval: true }] } },
    providers: [{ id: 'oven' }],
    runs: [{ id: 'run_old', playbook_id: 'pb_bread', started_at: '2026-01-01T00:00:00Z' }],
  },
} satisfies World

it('the default world has further workspaces, and each has what is its own', async () => {
  const sandbox = createSandbox()
  const own = sandbox.state.workspaces.map(({ workspace }) => workspace)
  expect(own[0]).toEqual(workspace)
  expect(new Set(own.map(({ id }) => id)).size).toBe(own.length)
  expect(own.map(({ name }) => name)).toEqual([workspace.name, 'Hobby Workshop', 'Busy Operations', 'Other Operations'])
  expect(own.every(({ id }) => /^ws_\w+$/.test(`${id}`))).toBe(true)
  const call = caller(sandbox, sandbox.keys.otherWorkspace)
  expect((await call('/providers')).body.data).toMatchObject([{ id: 'mail' }])
  expect((await call('/playbooks')).body.data).toEqual([{ id: 'pb_6tR1zk', name: 'Send the newsletter' }])
  const { id } = (await trigger(sandbox, `${sandbox.playbooks.otherWorkspace}`, undefined, sandbox.keys.otherWorkspace))
    .body
  expect((await call(`/runs/${id}`)).body.steps).toMatchObject([{ capability: 'mail.send' }])
})

describe('a custom world', () => {
  it('the sandbox serves a custom world with its names', async () => {
    const sandbox = createSandbox({ world: bakery })
    expect(sandbox.keys.baker).toBe('flour')
    expect(sandbox.playbooks.bake).toBe('pb_bread')
    const call = caller(sandbox, sandbox.keys.baker)
    expect((await call('/workspaces/me')).body).toEqual({ id: 'ws_1', name: 'Bakery' })
    expect((await call('/runs/run_old')).body.steps).toEqual([
      { id: 'step_1', status: 'running', capability: 'oven.heat' },
    ])
    expect((await call('/playbooks')).status).toBe(429)
    expect((await trigger(sandbox, 'pb_bread', undefined, 'flour')).status).toBe(201)
    expect((await trigger(sandbox, 'pb_bread', undefined, 'crumb')).status).toBe(403)
  })

  it('each workspace of a world may have its own names, and the compiler knows them', async () => {
    const shop = (id: string) => ({ workspace: { ...workspace, id }, providers: [] })
    const step = { steps: [{}] }
    const sandbox = createSandbox({
      world: {
        north: {
          ...shop('ws_n'),
          keys: { anna: { value: 'a' } },
          playbooks: { sell: { playbook: { id: 'pb_s' }, ...step } },
        },
        south: {
          ...shop('ws_s'),
          keys: { bert: { value: 'b' } },
          playbooks: { buy: { playbook: { id: 'pb_b' }, ...step } },
        },
      },
    })
    expect([sandbox.keys.anna, sandbox.keys.bert, sandbox.playbooks.sell, sandbox.playbooks.buy]).toEqual([
      'a',
      'b',
      'pb_s',
      'pb_b',
    ])
    // @ts-expect-error nobody is called so
    expect(sandbox.keys.carl).toBeUndefined()
  })

  it('changing a world after createSandbox does not change the sandbox', async () => {
    const world = structuredClone(bakery)
    const sandbox = createSandbox({ world })
    world.bakery.workspace.name = 'Changed'
    expect((await caller(sandbox, 'flour')('/workspaces/me')).body.name).toBe('Bakery')
  })

  it('state, faults and worlds are copies, and records cannot be changed', async () => {
    const sandbox = createSandbox()
    await caller(sandbox)('/providers')
    const [workspace] = sandbox.state.workspaces
    if (workspace) workspace.workspace.name = 'Changed'
    const [request] = sandbox.requests()
    expect(() => Object.assign(request?.response?.headers ?? {}, { 'content-type': 'changed' })).toThrow(TypeError)
    expect((await caller(sandbox)('/workspaces/me')).body.name).toBe('Acme Operations')
    expect(sandbox.requests()[0]?.response?.headers['content-type']).toBe('application/json')
    expect(() => Object.assign(sandbox.keys, { valid: 'changed' })).toThrow(TypeError)
  })

  const STEP = 'playbooks/x/steps'
  const playbookWith = (...steps: object[]) => ({ runs: [], playbooks: { x: { playbook: { id: 'p' }, steps } } })
  const runAt = (started_at: string, playbook_id = 'pb_bread') => ({ runs: [{ id: 'r', playbook_id, started_at }] })

  it.each<[change: object, problem: string]>([
    [playbookWith(), `${STEP}: must have at least 1 item.`],
    [playbookWith({ speed: 2 }), `${STEP}/0/speed: the property "speed" is unknown.`],
    [playbookWith({ approval: 'yes' }), `${STEP}/0/approval: must be of the type boolean.`],
    [playbookWith({ fails: 1 }), `${STEP}/0/fails: must be of the type boolean.`],
    [playbookWith({ capability: 'pan.heat' }), `${STEP}/0/capability: names the provider "pan", which the workspace`],
    [
      { runs: [{ ...runAt('2026-01-01T00:00:00Z').runs[0], timeline: [] }] },
      'runs/0/timeline: timelines of recorded runs are no longer supported. Give the run its `status` and `steps` instead.',
    ],
    [
      { playbooks: { bake: { playbook: { id: 'pb_bread' }, steps: [{}], timelines: [] } } },
      'playbooks/bake/timelines: timelines of recorded runs are no longer supported. Remove them: the `steps` of the playbook apply.',
    ],
    [runAt('soon'), 'runs/0/started_at: must be a date-time'],
    [runAt('2026-02-30T00:00:00Z'), 'runs/0/started_at: must be a valid date and time'],
    [runAt('2026-01-01T00:00:00+02:00'), 'runs/0/started_at: must be a time in UTC.'],
    [runAt('2026-01-01T00:00:00Z', 'p'), 'runs/0/playbook_id: no playbook of the workspace has the id "p".'],
    [
      { providers: [{ id: 'oven' }, { id: 'oven' }] },
      'providers/1/id: has the same provider id as /bakery/providers/0/id.',
    ],
    [{ plan: 'gold' }, 'plan: must be one of '],
    [{ plan: true }, 'plan: must be false.'],
    [{ plan: { requestsPerMinute: 0, burst: 1 } }, 'plan/requestsPerMinute: must be > 0.'],
    [{ keys: { a: { value: 'a b' } } }, 'keys/a/value: must be visible ASCII without spaces.'],
    [{ workspace: undefined }, 'workspace: the property "workspace" is missing.'],
  ])('createSandbox refuses a world with %j, with the location', (change, problem) => {
    const world = JSON.parse(JSON.stringify({ bakery: { ...bakery.bakery, ...change } }))
    expect(() => createSandbox({ world })).toThrow(`\n- /bakery/${problem}`)
  })

  it('createSandbox refuses a world without a key', () => {
    const world = { bakery: { ...bakery.bakery, keys: {} } }
    expect(() => createSandbox({ world })).toThrow('- the world: has no key, so every request would get a 401.')
  })

  const sells = (id: string) => ({ playbook: { id }, steps: [{}] })
  it.each<[string, own: object, location: string, other: string]>([
    ['workspace id', { workspace: { ...workspace, id: 'ws_1' } }, 'workspace/id', 'workspace/id'],
    ['key name', { keys: { baker: { value: 'other' } } }, 'keys/baker', 'keys/baker'],
    ['key value', { keys: { cook: { value: 'flour' } } }, 'keys/cook/value', 'keys/baker/value'],
    [
      'playbook id',
      { playbooks: { sell: sells('pb_bread') } },
      'playbooks/sell/playbook/id',
      'playbooks/bake/playbook/id',
    ],
    ['playbook name', { playbooks: { bake: sells('pb_cake') } }, 'playbooks/bake', 'playbooks/bake'],
    [
      'run id',
      { playbooks: { sell: sells('pb_sell') }, runs: [{ ...bakery.bakery.runs[0], playbook_id: 'pb_sell' }] },
      'runs/0/id',
      'runs/0/id',
    ],
  ])('createSandbox refuses two workspaces with the same %s, with both locations', (name, own, location, other) => {
    const south = { workspace: { ...workspace, id: 'ws_s' }, keys: {}, playbooks: {}, providers: [], ...own }
    const create = () => createSandbox({ world: { ...bakery, south } as World })
    expect(create).toThrow(`/south/${location}: has the same ${name} as /bakery/${other}.`)
    expect(create).not.toThrow(/flour/)
  })

  it.each(['2026-01-01T00:00:00Z', '2026-01-01t00:00:00.5z', '2026-01-01T23:59:59-00:00'])(
    'a run of a world may have started at %s',
    async (started_at) => {
      const runs = [{ id: 'run_1', playbook_id: 'pb_bread', started_at }]
      const sandbox = createSandbox({ world: { bakery: { ...bakery.bakery, runs } } })
      expect((await caller(sandbox, 'flour')('/runs/run_1')).body.started_at).toBe(started_at)
    },
  )

  it('a world may contain $schema for the completion of an editor', () => {
    const world = { $schema: './world.schema.json', ...bakery }
    expect(createSandbox({ world: world as unknown as World }).keys).toEqual({ baker: 'flour', guest: 'crumb' })
  })
})

it.each([
  ['{"a":null}', '/a', '- /a: must be of the type object.'],
  ['null', '', '- the world: must be of the type object.'],
  ['[]', '', '- the world: must be of the type object.'],
])('createSandbox refuses the world %s with an InvalidWorldError that has its problems', (text, pointer, line) => {
  const create = () => createSandbox({ world: JSON.parse(text) })
  expect(create).toThrow(line)
  const problems = [{ pointer, message: 'must be of the type object.' }]
  expect(create).toThrow(expect.objectContaining({ name: 'InvalidWorldError', problems }))
})

it('a rate that is nearly 0 gets a 429 with a wait in digits', async () => {
  const sandbox = createSandbox({ plan: { requestsPerMinute: 1e-300, burst: 1 } })
  expect((await caller(sandbox)('/providers')).status).toBe(200)
  const { status, headers } = await caller(sandbox)('/providers')
  expect([status, headers.get('retry-after')]).toEqual([429, '999999999999999'])
})
