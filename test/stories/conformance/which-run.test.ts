import { describe, expect, it } from 'vitest'
import { type Change, ids, isTrigger, refuse, success, tryService } from '../../conformance/service.js'
import { check, run, type Sent } from '../../conformance/traffic/recording.js'
import { VERSION } from '../../support/fixtures.js'

const STARTED = { method: 'POST', path: '/playbooks/pb_1/runs' }

/** Where a response may name the run that a trigger has started. */
const PLACES: [where: string, place: (id: string) => Pick<Sent, 'status' | 'body' | 'responseHeaders'>][] = [
  ['run_id', (run_id) => ({ status: 202, body: { run_id } })],
  ['run_id, beside the id of a job', (run_id) => ({ status: 202, body: { id: 'job_7', run_id } })],
  ['run.id', (id) => ({ status: 202, body: { run: { id } } })],
  ['data.id', (id) => ({ status: 201, body: { data: { id } } })],
  ['Location', (id) => ({ status: 202, responseHeaders: { location: `${VERSION}/runs/${id}` } })],
  ['the Location of a 303', (id) => ({ status: 303, responseHeaders: { location: `${VERSION}/runs/${id}` } })],
]

/** A service that names a new run in this place, and shows no more of a run than its id. */
const shows =
  (place: (typeof PLACES)[number][1]): Change =>
  (it) => {
    if (it.path.startsWith('/runs/') && it.status === 200) it.body = { id: it.body.id, state: 'finished', started: 5 }
    if (!isTrigger(it) || it.status !== 201) return
    const { status = 201, body, responseHeaders = {} } = place(it.body.id)
    Object.assign(it, { status, body, text: body === undefined ? '' : undefined })
    for (const [name, value] of Object.entries(responseHeaders)) it.headers.set(name, value)
  }

/** The response to a trigger is empty. */
const nothing: Change = (it) => {
  if (isTrigger(it) && it.status === 201) Object.assign(it, { status: 202, body: undefined, text: '' })
}

describe('the run that a trigger started', () => {
  it.each(PLACES)('verify reads the run whose id is in %s, and fails what it lacks', async (_, place) => {
    const report = await tryService(shows(place), { trigger: 'succeeds', options: { depth: 'quick' } })
    expect(report.complete).toBe(true)
    expect(ids(report, 'fail')).toEqual(['S06', 'S07', 'S08', 'S09'])
    expect(ids(report, 'contradicted')).toContain('A31')
  })

  it.each(PLACES)('a recording shows that the run whose id is in %s is one of two workspaces', async (_, place) => {
    const report = await check([
      { body: { id: 'ws_1' }, key: 'key_1' },
      { ...STARTED, ...place('run_1'), key: 'key_1', sent: '{"inputs":{}}', at: 1 },
      { body: { id: 'ws_2' }, key: 'key_2', at: 2 },
      { path: '/runs/run_1', body: run(), key: 'key_2', at: 3 },
    ])
    expect(ids(report, 'fail')).toEqual(['D05'])
  })

  it('the status of a job in a recorded response to a trigger is not that of its run', async () => {
    const { status } = run()
    const report = await check([
      { ...STARTED, status: 202, body: { id: 'job_7', status: 'succeeded', run_id: 'run_1' }, sent: '{"inputs":{}}' },
      { path: '/runs/run_1', body: run({ status }), at: 1 },
    ])
    expect(ids(report, 'contradicted')).not.toContain('A07')
  })

  it('a remark says once that a response has two ids', async () => {
    const twoIds: Change = (it) => {
      if (isTrigger(it) && it.status === 201) Object.assign(it, { body: { id: 'job_7', run_id: it.body.id } })
    }
    const { remarks } = await tryService(twoIds, { trigger: 'succeeds', options: { depth: 'quick' } })
    expect(remarks.filter((remark) => remark.includes('in run_id and another one in id'))).toHaveLength(1)
  })

  it('a report is incomplete, and names --run, when nothing names the runs that were started', async () => {
    const report = await tryService(nothing, { trigger: 'succeeds', options: { depth: 'quick' } })
    expect(report).toMatchObject({ complete: false, passed: true })
    expect(report.remarks[0]).toMatch(/^Not everything was checked\. A trigger started a run.*--run/)
  })

  it('a report is incomplete when the id in the response to a trigger is that of no run', async () => {
    const job: Change = (it) => isTrigger(it) && it.status === 201 && Object.assign(it, { body: { id: 'job_7' } })
    const report = await tryService(job, { trigger: 'succeeds', options: { depth: 'quick' } })
    expect(report).toMatchObject({ complete: false, passed: true })
    expect(ids(report, 'contradicted')).toContain('A31')
  })

  it('a report is complete when a run is named with --run', async () => {
    const options = { depth: 'quick', run: 'run_8Zt4Lm2c' } as const
    const report = await tryService(nothing, { trigger: 'succeeds', options })
    expect(report).toMatchObject({ complete: true, passed: true })
    expect(ids(report, 'pass')).toEqual(expect.arrayContaining(['S06', 'S07', 'S08', 'S09']))
  })

  it('a recording of a run that nothing names is incomplete, unless a run was read', async () => {
    const triggered: Sent = { ...STARTED, status: 202, body: { accepted: true }, key: 'key_1', sent: '{"inputs":{}}' }
    const report = await check([triggered])
    expect(report.complete).toBe(false)
    expect(report.remarks[0]).toMatch(/A trigger started a run.*--run/)
    expect((await check([triggered, { path: '/runs/run_1', body: run(), key: 'key_1', at: 1 }])).complete).toBe(true)
  })
})

describe('a run that is readable late', () => {
  it.each([7, 30])('a run that can be read after %i s contradicts A43, and its polls are judged', async (seconds) => {
    const started = new Map<string, number>()
    const late: Change = (it) => {
      if (isTrigger(it) && it.status === 201) started.set(it.body.id, it.time)
      const at = started.get(it.path.split('/').at(-1) ?? '')
      if (at !== undefined && it.time - at < seconds * 1_000) refuse(it, 404)
    }
    const report = await tryService(late, { trigger: 'succeeds', options: { depth: 'quick' } })
    expect(ids(report, 'fail')).toEqual([])
    expect(ids(report, 'contradicted')).toContain('A43')
    expect(ids(report, 'pass')).toEqual(expect.arrayContaining(['S06', 'S19', 'S21']))
  })

  it('a run that only the read-only key reads late contradicts A43 with the name of that key', async () => {
    const started = new Map<string, number>()
    const late: Change = (it, { keys }) => {
      if (isTrigger(it) && it.status === 201) started.set(it.body.id, it.time)
      const at = started.get(it.path.split('/').at(-1) ?? '')
      if (at !== undefined && it.key === keys.readOnly && it.time - at < 3_000) refuse(it, 404)
    }
    const report = await tryService(late, { trigger: 'succeeds', options: { depth: 'quick' } })
    const found = report.findings.filter(({ basis, outcome }) => basis === 'A43' && outcome === 'contradicted')
    expect(found.map(({ message }) => message)).toEqual([
      'a run could not be read with the key that may only read right after its trigger',
    ])
  })

  it('a run that can never be read fails S19', async () => {
    const report = await tryService(
      success(/^\/runs\/(?!run_8Zt4Lm2c)/, (it) => refuse(it, 404)),
      { trigger: 'succeeds', options: { depth: 'quick' } },
    )
    expect(ids(report, 'fail')).toEqual(['S19'])
  })
})

it('verify repeats a read that hangs once, as it repeats one whose connection is reset', async () => {
  const outcomes: string[][] = []
  for (const kind of ['hangs', 'is reset']) {
    let isOver = false
    const report = await tryService(
      (it) => {
        if (isOver || !it.path.startsWith('/runs/') || it.status !== 200) return undefined
        isOver = true
        if (kind === 'is reset') throw new TypeError('fetch failed')
        return new Promise(() => {})
      },
      { trigger: 'succeeds', options: { depth: 'quick', timeout: 200 } },
    )
    expect(isOver).toBe(true)
    outcomes.push(ids(report, 'fail'))
  }
  expect(outcomes).toEqual([[], []])
})
