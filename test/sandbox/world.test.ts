import { describe, expect, it } from 'vitest'
import { createSandbox, type World } from '../../src/sandbox/index.js'
import { caller, trigger } from './calls.js'

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

describe('a world of your own', () => {
  it('is what the sandbox serves, with its names', async () => {
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

  it('may have other names in each workspace, and the compiler knows them', async () => {
    const shop = (id: string) => ({ workspace: { id }, providers: [] })
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

  it('is not changed by the sandbox, nor the sandbox by it', async () => {
    const world = structuredClone(bakery)
    const sandbox = createSandbox({ world })
    world.bakery.workspace.name = 'Changed'
    expect((await caller(sandbox, 'flour')('/workspaces/me')).body.name).toBe('Bakery')
  })

  it.each<[string, (world: typeof bakery) => unknown, RegExp]>([
    ['a workspace', (w) => ({ ...w, workspace: { id: 7 } }), /world\.bakery\.workspace\.id: .*string/],
    [
      'a playbook',
      (w) => ({ ...w, playbooks: { x: { playbook: {}, steps: [{}] } } }),
      /playbooks\.x\.playbook\.id: .*"id"/,
    ],
    [
      'no steps',
      (w) => ({ ...w, playbooks: { x: { playbook: { id: 'p' }, steps: [] } }, runs: [] }),
      /at least one step/,
    ],
    ['a capability', (w) => ({ ...w, providers: [] }), /"oven\.heat" names the provider "oven"/],
    ['a run', (w) => ({ ...w, runs: [{ id: 'r', playbook_id: 'p', started_at: 'soon' }] }), /runs\[0\]\.started_at/],
    ['a plan', (w) => ({ ...w, plan: 'gold' }), /"gold" is no plan of the contract; these are: hobby, pro, pro10x/],
    ['a key', (w) => ({ ...w, keys: { a: { value: 'a b' } } }), /keys\.a: a key is visible ASCII/],
    ['equal keys', (w) => ({ ...w, keys: { a: { value: 'k' }, b: { value: 'k' } } }), /two keys have the same value/],
    ['no key', (w) => ({ ...w, keys: {} }), /there is no key/],
  ])('is refused with a clear message for %s', (_, change, message) => {
    const world = { bakery: change(bakery.bakery as never) } as World
    expect(() => createSandbox({ world })).toThrow(message)
  })
})

describe('a world that no compiler has looked at', () => {
  it.each([
    ['{"a":null}', /world\.a: a workspace is an object/],
    ['{"a":{}}', /world\.a\.keys: each key is an object with a value[\s\S]*world\.a\.providers: providers is a list/],
    ['{"a":{"keys":{"k":"v"},"playbooks":{},"providers":[]}}', /world\.a\.keys/],
    ['{"a":{"keys":{},"playbooks":{"p":{"playbook":{}}},"providers":[]}}', /world\.a\.playbooks: each playbook/],
    ['[]', /there is no key/],
  ])('%s is refused with a clear message', (text, message) => {
    expect(() => createSandbox({ world: JSON.parse(text) })).toThrow(message)
  })
})

describe('options', () => {
  it.each([
    [{ seed: 1.5 }, 'seed must be a whole number'],
    [{ plan: 'gold' as never }, '"gold" is no plan'],
    [{ plan: { requestsPerMinute: 0, burst: 1 } }, 'requestsPerMinute must be above 0'],
    [{ progress: 'magic' as never }, "progress must be 'poll' or 'clock'"],
    [{ speed: 0 }, 'speed must be above 0'],
    [{ maxRuns: 0 }, 'maxRuns must be 1 or more'],
  ])('%j are refused', (options, message) => {
    expect(() => createSandbox(options)).toThrow(message)
  })
})
