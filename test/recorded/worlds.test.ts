import { describe, expect, it } from 'vitest'
import { worldFromTraffic } from '../../src/tools/conformance/index.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { errorOf, UNKNOWN_STATUS } from '../support/fixtures.js'
import { archiveOf, pageOf, RECORDED_AT, RECORDINGS, recordingOf, type Sent, WORKSPACE } from './recordings.js'
import { replay, replayOnItsWorld } from './replayer.js'

/** What the sandbox does with the world of a recording is what the service did when it was recorded. */
describe('a sandbox with the world of a recording', () => {
  it.each([...RECORDINGS.map((name) => [name, 'clock'] as const), ['mitmproxy.har', 'poll'] as const])(
    'a sandbox with the world of %s, whose runs move by %s, responds as it was recorded',
    async (name, progress) => {
      const { replayed } = await replayOnItsWorld({ ...recordingOf(name), baseUrl: RECORDED_AT }, { progress })
      expect(replayed).toMatchObject({ differences: [], leftOut: {}, equal: replayed.sent })
      expect(replayed.sent).toBeGreaterThan(10)
    },
  )

  const trigger = (run: string, at: number): Sent => ({
    path: '/playbooks/pb_1/runs',
    method: 'POST',
    sent: { inputs: { order: '42' } },
    status: 201,
    body: runOf(run, 'running', []),
    at,
  })
  const runOf = (id: string, status: string, steps: [string, string?][], more = {}) => ({
    id,
    status,
    playbook_id: 'pb_1',
    started_at: '2026-11-21T09:30:00Z',
    steps: steps.map(([state, capability], index) => ({
      id: `s${index}`,
      status: state,
      ...(capability && { capability }),
    })),
    ...more,
  })
  const poll = (id: string, at: number, ...state: [string, [string, string?][], object?]): Sent => ({
    path: `/runs/${id}`,
    body: runOf(id, ...state),
    at,
  })
  const twoRuns = [
    { path: '/workspaces/me', body: WORKSPACE, at: 0 },
    trigger('run_a', 10),
    poll('run_a', 500, 'running', [['running', 'crm.find']]),
    trigger('run_b', 600),
    poll('run_b', 700, UNKNOWN_STATUS, []),
    poll('run_a', 1_500, 'running', [['succeeded', 'crm.find'], ['waiting_approval']]),
    poll('run_a', 2_500, 'running', [['succeeded', 'crm.find'], ['waiting_approval']]),
    poll('run_b', 2_600, 'failed', [['failed', 'crm.find']], { reason: 'No such order' }),
    poll('run_a', 90_000, 'succeeded', [
      ['succeeded', 'crm.find'],
      ['succeeded', 'crm.close'],
    ]),
  ]

  it('a recorded world repeats runs of one playbook that went different ways, with statuses and fields that the contract does not know', async () => {
    const har = archiveOf(twoRuns)
    const { replayed, sandbox, world } = await replayOnItsWorld({ har })
    expect(replayed).toEqual({ sent: 9, equal: 9, leftOut: {}, differences: [] })
    expect((await replay({ har }, sandbox)).differences).toEqual([])
    expect(Object.keys(world.recorded?.playbooks ?? {})).toEqual(['pb_1'])
  })

  it('a replay differs where the sandbox differs from the recording: the test of all these tests', async () => {
    const har = archiveOf([
      { path: '/workspaces/me', body: WORKSPACE },
      { path: '/playbooks', body: pageOf({ id: 'pb_1', name: 'Refund' }, { id: 'pb_2' }) },
      { path: '/providers', body: pageOf({ id: 'crm', name: 'CRM' }) },
      { path: '/runs/none', status: 404, body: errorOf({ message: 'No.' }) },
      trigger('run_a', 5_000),
    ])
    const { world } = await worldFromTraffic({ har })
    const workspace = structuredClone(world.recorded)
    if (!workspace) throw new Error('The world has no workspace.')
    const [first] = Object.values(workspace.playbooks)
    if (first) first.playbook.name = 'Pay back'
    workspace.providers.push({ id: 'mail' })
    const sandbox = createSandbox({ world: { recorded: workspace } })
    sandbox.inject({ operation: 'triggerRun', status: 403 })
    const replayed = await replay({ har }, sandbox)
    // What else the contract has in the meta of a list is that of the example here, and not of these items.
    const isOfExample = (line: string) => /\/meta\/(?!total|page |per_page)/.test(line)
    const differences = replayed.differences.filter((line) => !isOfExample(line))
    expect({ ...replayed, differences }).toEqual({
      sent: 5,
      equal: 2,
      leftOut: {},
      differences: [
        'listPlaybooks 200: /data/0/name was "Refund", and is "Pay back"',
        'listProviders 200: /data was [{"id":"crm","name":"CRM"}], and is [{"id":"crm","name":"CRM"},{"id":"mail"}]',
        'listProviders 200: /meta/total was 1, and is 2',
        'triggerRun was recorded with 201, and got 403',
      ],
    })
  })

  it('a recorded world continues after snapshot, restore and export where the runs were', async () => {
    const { world } = await worldFromTraffic({ har: archiveOf(twoRuns) })
    for (const progress of ['clock', 'poll'] as const) {
      const sandbox = createSandbox({ world, progress })
      sandbox.pause()
      const key = { headers: { authorization: `Bearer ${sandbox.keys.recorded}`, 'content-type': 'application/json' } }
      const json = async (box: typeof sandbox, path: string, init = {}) =>
        (await box.fetch(box.baseUrl + path, { ...key, ...init })).json()
      const { id } = await json(sandbox, '/playbooks/pb_1/runs', { method: 'POST', body: '{"inputs":{}}' })
      sandbox.advance(1_600)
      const before = await json(sandbox, `/runs/${id}`)
      const snapshot = JSON.parse(JSON.stringify(sandbox.snapshot()))
      const exported = createSandbox({ world: JSON.parse(JSON.stringify(sandbox.export())), progress })
      exported.pause()
      const rest = async (box: typeof sandbox) => {
        const states = []
        for (let count = 0; count < 3; count++) {
          box.advance(50_000)
          states.push(await json(box, `/runs/${id}`))
        }
        return states
      }
      expect((await json(exported, `/runs/${id}`)).steps).toEqual(before.steps)
      const after = await rest(sandbox)
      expect(after.at(-1)).toMatchObject({ status: 'succeeded' })
      sandbox.restore(snapshot)
      expect(await rest(sandbox)).toEqual(after)
      expect((await rest(exported)).at(-1)).toMatchObject({ status: 'succeeded' })
      expect(() => sandbox.approve(id)).toThrow('follows the states that its world defines')
    }
  })

  it('a recorded world takes the basic form of ISO 8601 for a time, as verify does', async () => {
    const started_at = '20261121T093000Z'
    const har = archiveOf([
      trigger('run_a', 0),
      poll('run_a', 10, 'running', [], { started_at }),
      poll('run_a', 20, 'succeeded', [], { started_at }),
    ])
    expect((await replayOnItsWorld({ har })).replayed.differences).toEqual([])
  })

  it('a recorded world has a run that was there before the recording, by its recorded id', async () => {
    const { replayed, world } = await replayOnItsWorld({
      har: archiveOf(twoRuns.filter(({ method }) => method !== 'POST')),
    })
    expect(world.recorded?.runs.map(({ id }) => id)).toEqual(['run_a', 'run_b'])
    expect(replayed.differences).toEqual([])
  })

  it('a recorded world has the runs at the beginning of a long recording, and says how many it leaves out', async () => {
    const log = (number: number) => `line ${number}, `.repeat(20_000)
    const runs = Array.from({ length: 56 }, (_, index) => [
      trigger(`run_${index}`, index * 20),
      poll(`run_${index}`, index * 20 + 10, 'succeeded', [], { log: log(index) }),
    ]).flat()
    const { world, remarks, replayed } = await replayOnItsWorld({ har: archiveOf(runs) })
    const { timelines = [] } = world.recorded?.playbooks.pb_1 ?? {}
    expect(timelines.length).toBeGreaterThan(30)
    expect(timelines.length).toBeLessThan(56)
    expect(remarks.join('\n')).toMatch(/^runs: \d+ responses of runs, after request \d+, is left out/m)
    const { sent, leftOut, differences } = replayed
    expect(differences).toEqual([])
    expect(leftOut['more than a world has']).toBeGreaterThan(10)
    expect(sent + (leftOut['more than a world has'] ?? 0)).toBe(112)
  })

  it('a recorded world goes on after a trigger whose response was not recorded', async () => {
    const har = archiveOf([{ ...trigger('run_a', 0), body: '' }, poll('run_a', 10, 'running', [])])
    expect((await replayOnItsWorld({ har })).replayed.sent).toBe(2)
  })
})
