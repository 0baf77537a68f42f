import { describe, expect, it } from 'vitest'
import contract from '../../generated/openapi.json' with { type: 'json' }
import { replayTraffic, worldFromTraffic } from '../../src/conformance/index.js'
import { renderHtml } from '../../src/conformance/report/html.js'
import { renderJunit } from '../../src/conformance/report/junit.js'
import { renderTable } from '../../src/conformance/report/table.js'
import { createSandbox, type SandboxOptions } from '../../src/sandbox/index.js'
import { archiveOf, pageOf, RECORDED_AT, RECORDINGS, recordingOf, type Sent, WORKSPACE } from './recordings.js'

const TO = 'http://127.0.0.1:4010/v1'

/** Replays a recording on the sandbox with the world of that recording. */
async function replay(recording: Parameters<typeof worldFromTraffic>[0], options: SandboxOptions = {}) {
  const { world } = await worldFromTraffic(recording)
  const sandbox = createSandbox({ progress: 'clock', world, ...options })
  sandbox.pause()
  const report = await replayTraffic({ ...recording, to: TO, fetch: sandbox.fetch, advance: sandbox.advance })
  return { report, sandbox, world }
}

const differencesIn = ({ findings }: Awaited<ReturnType<typeof replayTraffic>>) =>
  findings
    .filter(({ outcome }) => outcome === 'fail' || outcome === 'contradicted')
    .map(({ basis, message }) => `${basis} ${message}`)

describe('replayTraffic', () => {
  it.each([...RECORDINGS.map((name) => [name, 'clock'] as const), ['mitmproxy.har', 'poll'] as const])(
    'gets the recorded responses to %s from the sandbox with its world, whose runs move by %s',
    async (name, progress) => {
      const { report } = await replay({ ...recordingOf(name), baseUrl: RECORDED_AT }, { progress })
      expect(differencesIn(report)).toEqual([])
      expect(report.replay.equal).toBeGreaterThanOrEqual(0.95 * report.replay.sent)
      expect(report).toMatchObject({ passed: true, complete: true, replay: { leftOut: 0 } })
      expect(report.requests).toBeGreaterThan(10)
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
    poll('run_b', 700, 'queued', []),
    poll('run_a', 1_500, 'running', [['succeeded', 'crm.find'], ['waiting_approval']]),
    poll('run_a', 2_500, 'running', [['succeeded', 'crm.find'], ['waiting_approval']]),
    poll('run_b', 2_600, 'failed', [['failed', 'crm.find']], { reason: 'No such order' }),
    poll('run_a', 90_000, 'succeeded', [
      ['succeeded', 'crm.find'],
      ['succeeded', 'crm.close'],
    ]),
  ]

  it('repeats runs of one playbook that went different ways, with statuses and fields that the contract does not know', async () => {
    const { report, sandbox, world } = await replay({ har: archiveOf(twoRuns) })
    expect(differencesIn(report)).toEqual([])
    expect(report.replay).toEqual({ sent: 9, equal: 9, leftOut: 0 })
    const again = await replayTraffic({
      har: archiveOf(twoRuns),
      to: TO,
      fetch: sandbox.fetch,
      advance: sandbox.advance,
    })
    expect(again.passed).toBe(true)
    expect(Object.keys(world.recorded?.playbooks ?? {})).toEqual(['pb_1'])
  })

  it('continues after snapshot, restore and export where the runs were', async () => {
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
      expect(() => sandbox.approve(id)).toThrow('follows its recorded time line')
    }
  })

  it('takes the basic form of ISO 8601 for a time, as verify does', async () => {
    const started_at = '20261121T093000Z'
    const har = archiveOf([
      trigger('run_a', 0),
      poll('run_a', 10, 'running', [], { started_at }),
      poll('run_a', 20, 'succeeded', [], { started_at }),
    ])
    expect(differencesIn((await replay({ har })).report)).toEqual([])
  })

  it('reads a run that was there before the recording by its recorded id', async () => {
    const { report, world } = await replay({ har: archiveOf(twoRuns.filter(({ method }) => method !== 'POST')) })
    expect(world.recorded?.runs.map(({ id }) => id)).toEqual(['run_a', 'run_b'])
    expect(differencesIn(report)).toEqual([])
  })

  it('reports each difference at its entry and fails, also where the entry is only assumed', async () => {
    const [ofName] = contract.components.schemas.Playbook.properties.name['x-basis']
    const har = archiveOf([
      { path: '/workspaces/me', body: WORKSPACE },
      { path: '/playbooks', body: pageOf({ id: 'pb_1', name: 'Refund' }, { id: 'pb_2' }) },
      { path: '/providers', body: pageOf({ id: 'crm', name: 'CRM' }) },
      { path: '/runs/none', status: 404, body: { error: 'not_found', message: 'No.' } },
      trigger('run_a', 5_000),
    ])
    const { world } = await worldFromTraffic({ har })
    const [workspace] = Object.values(structuredClone(world)) as (typeof world)[string][]
    if (!workspace) throw new Error('The world has no workspace.')
    const [first] = Object.values(workspace.playbooks)
    if (first) first.playbook.name = 'Pay back'
    workspace.providers.push({ id: 'mail' })
    const sandbox = createSandbox({ world: { recorded: workspace } })
    sandbox.inject({ operation: 'triggerRun', status: 403 })
    const report = await replayTraffic({ har, to: TO, fetch: sandbox.fetch, advance: sandbox.advance })
    expect(report.passed).toBe(false)
    expect(report.replay).toEqual({ sent: 5, equal: 2, leftOut: 0 })
    expect(differencesIn(report)).toEqual([
      'S14 listProviders 200: /data was recorded as [{"id":"crm","name":"CRM"}], and the replay has [{"id":"crm","name":"CRM"},{"id":"mail"}]',
      'S15 listProviders 200: /meta/total was recorded as 1, and the replay has 2',
      'S18 triggerRun was recorded with 201, and the replay got 403',
      `${ofName} listPlaybooks 200: /data/0/name was recorded as "Refund", and the replay has "Pay back"`,
    ])
  })

  it('reports in text, HTML and JUnit what was compared and what was left out, and nothing else', async () => {
    const limited = { path: '/providers', status: 429, body: { error: 'rate_limited', message: 'Wait.' } }
    const { report } = await replay({ har: archiveOf([...twoRuns, limited]) })
    const compared = [...new Set(report.findings.map(({ basis }) => basis))]
    expect(compared.length).toBeLessThan(report.summary.entries / 2)
    const text = renderTable(report, { colour: false, width: Infinity })
    expect(text).toContain('as recorded\n')
    expect(text).toContain('Left out: 1 that had a 429 or 5xx')
    for (const output of [text, renderHtml(report), renderJunit(report)])
      expect(output).not.toMatch(/Not exercised|Coverage|never \d|skipped="[1-9]/)
    expect([...renderJunit(report).matchAll(/<testcase [^>]*name="(\w+) /g)].map(([, id]) => id)).toEqual(compared)
  })

  it('leaves out runs beyond what a world has, in the world as in the replay, and says so', async () => {
    const log = (number: number) => `line ${number}, `.repeat(20_000)
    const runs = Array.from({ length: 56 }, (_, index) => [
      trigger(`run_${index}`, index * 20),
      poll(`run_${index}`, index * 20 + 10, 'succeeded', [], { log: log(index) }),
    ]).flat()
    const { world, remarks } = await worldFromTraffic({ har: archiveOf(runs) })
    const { timelines = [] } = world.recorded?.playbooks.pb_1 ?? {}
    expect(timelines.length).toBeGreaterThan(30)
    expect(timelines.length).toBeLessThan(56)
    expect(remarks.join('\n')).toMatch(/^runs: \d+ responses of runs, after request \d+, is left out/m)
    const { report } = await replay({ har: archiveOf(runs) })
    expect(differencesIn(report)).toEqual([])
    expect(report.replay.sent + report.replay.leftOut).toBe(112)
    expect(report.replay.leftOut).toBeGreaterThan(10)
    expect(report.remarks.join()).toContain('that were about runs that are more than a world has')
  })

  it('leaves out a success of another form than the contract assumes, as the world does, and says so', async () => {
    const steps = null
    const har = archiveOf([{ ...trigger('run_a', 0), body: { id: 'run_a', steps } }, poll('run_a', 10, 'running', [])])
    const { report } = await replay({ har })
    expect(differencesIn(report)).toEqual([])
    expect(report.replay).toEqual({ sent: 1, equal: 1, leftOut: 1 })
    expect(report.remarks).toEqual(['Left out: 1 that had a response of another form than the contract assumes.'])
  })

  it('goes on after a trigger that has a body neither in the recording nor in the replay', async () => {
    const har = archiveOf([{ ...trigger('run_a', 0), body: '' }, poll('run_a', 10, 'running', [])])
    const fetch = async () => new Response(null, { status: 201 })
    expect(await replayTraffic({ har, to: TO, fetch, advance: () => {} })).toMatchObject({ replay: { sent: 2 } })
  })

  it('triggers nothing on another machine without consent, and leaves out what depends on it', async () => {
    const har = archiveOf(twoRuns)
    const { world } = await worldFromTraffic({ har })
    const sandbox = createSandbox({ world })
    const clock = { now: () => 0, date: () => 0, sleep: async () => {} }
    const options = { har, to: 'https://staging.example.com/v1', fetch: sandbox.fetch, clock }
    const report = await replayTraffic(options)
    expect(report.replay).toEqual({ sent: 1, equal: 1, leftOut: 8 })
    expect(sandbox.requests({ operation: 'triggerRun' })).toEqual([])
    expect(report.remarks.join()).toContain('2 that would change something on another machine; --unsafe triggerRun')
    const withConsent = await replayTraffic({ ...options, unsafe: ['triggerRun'] })
    expect(withConsent.replay).toMatchObject({ sent: 9, leftOut: 0 })
  })

  it('sends a key of its own instead of the recorded one, and shows neither', async () => {
    const har = archiveOf(twoRuns)
    const { world } = await worldFromTraffic({ har })
    const own = structuredClone(world)
    Object.assign(own.recorded ?? {}, { keys: { own: { value: 'sk_own_key_1' } } })
    const sandbox = createSandbox({ world: own })
    const report = await replayTraffic({ har, to: TO, apiKey: 'sk_own_key_1', fetch: sandbox.fetch, advance: () => {} })
    expect(report.passed).toBe(true)
    expect(JSON.stringify(report)).not.toMatch(/sk_own_key_1|key_of_the_test/)
  })

  it('waits as long as recorded without advance, up to maxWait', async () => {
    const waits: number[] = []
    const clock = { now: () => 0, sleep: async (ms: number) => void waits.push(ms) }
    const { world } = await worldFromTraffic({ har: archiveOf(twoRuns) })
    await replayTraffic({ har: archiveOf(twoRuns), to: TO, clock, maxWait: 900, fetch: createSandbox({ world }).fetch })
    expect(waits).toEqual([0, 10, 490, 100, 100, 800, 900, 100, 900])
  })
})
