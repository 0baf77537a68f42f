import { describe, expect, it, vi } from 'vitest'
import type { ConformanceProgress } from '../../../src/tools/conformance/index.js'
import { renderJunit } from '../../../src/tools/conformance/report/junit.js'
import {
  type Change,
  ids,
  isTrigger,
  limit,
  printed,
  refuse,
  success,
  type Trial,
  tryService,
  when,
} from '../../conformance/service.js'

vi.setConfig({ testTimeout: 60_000 })

type Announced = Extract<ConformanceProgress, { type: 'plan' }>

/** The report, what was announced, and how many triggers were accepted. */
async function watch(change: Change, trial: Trial = {}) {
  let plan: Announced | undefined
  let accepted = 0
  const onProgress = (progress: ConformanceProgress) => {
    if (progress.type === 'plan') plan = progress
  }
  const report = await tryService(
    async (served, service) => {
      await change(served, service)
      if (isTrigger(served) && served.status < 300) accepted++
    },
    { ...trial, options: { ...trial.options, onProgress } },
  )
  if (!plan) throw new Error('There was no plan.')
  return { report, plan, accepted }
}

const everything: Trial = { trigger: 'succeeds', rateLimit: true }
const followed: Trial = { trigger: 'succeeds' }
const unlimited = { plan: { requestsPerMinute: 1e9, burst: 1e9 } }

describe('the number of requests that verify sends', () => {
  it.each<[string, Change, Trial]>([
    ['never reaches a limit', () => {}, { ...everything, sandbox: unlimited }],
    ['fails always', (it) => it.number > 3 && refuse(it, 500), everything],
    ['sends a 429 to every second request', (it) => it.number % 2 === 1 && limit(it), everything],
    [
      'never ends a run',
      (it) => it.path.startsWith('/runs') && it.status === 200 && Object.assign(it.body, { status: 'running' }),
      everything,
    ],
  ])('verify sends no more requests than announced when a service %s', async (_, change, trial) => {
    const { report, plan } = await watch(change, trial)
    expect(report.requests).toBeLessThanOrEqual(plan.maxRequests)
  })

  it.each([
    ['quick', 70],
    ['normal', 300],
  ] as const)('verify at the depth %s announces at most %i requests besides repetitions', async (depth, most) => {
    const { plan, report } = await watch(() => {}, { options: { depth } })
    expect(plan.requests).toBeLessThanOrEqual(most)
    expect(report.requests).toBeLessThanOrEqual(plan.requests)
  })
})

/** The first triggers that would be accepted get 500. */
const gets500 = (times: number): Change => {
  let left = times
  return (it) => isTrigger(it) && it.status === 201 && left-- > 0 && refuse(it, 500, 'internal_error')
}

describe('the number of runs that verify starts', () => {
  const lax: Change = (it) => {
    if (isTrigger(it)) Object.assign(it, { status: 201, body: { id: `run_${it.number}` } })
  }
  it.each<[string, Change, Trial, number]>([
    ['accepts every trigger', lax, everything, 16],
    ['accepts every trigger, and none was asked for', lax, {}, 1],
    [
      'starts a run and responds with 500',
      (it) => isTrigger(it) && it.status === 201 && refuse(it, 500),
      everything,
      16,
    ],
    [
      'starts a run and breaks the connection',
      (it) => {
        if (isTrigger(it) && it.status === 201) throw new TypeError('fetch failed')
      },
      everything,
      16,
    ],
  ])('verify starts no more runs than announced when a service %s', async (_, change, trial, most) => {
    const { report, plan, accepted } = await watch(change, trial)
    expect(plan.maxRuns).toBe(most)
    expect(Math.max(accepted, report.runs)).toBeLessThanOrEqual(plan.maxRuns)
    expect(plan.warnings.join()).toContain(trial.trigger ? `At most ${most} runs` : 'gets no second one')
  })
})

describe('a report of a service whose triggers may have started too many runs', () => {
  const LEFT_OUT = 'What could start more than were announced was left out.'
  it.each<[string, Change, boolean, string]>([
    [
      'that it must refuse',
      (it) => isTrigger(it) && Object.assign(it, { status: 201, body: { id: `run_${it.number}` } }),
      // No run has these ids.
      false,
      'The service accepted triggers that it must refuse, which may have started runs.',
    ],
    ['with a 500 each time', gets500(5), true, 'Triggers that got a 5xx or no response may have started runs.'],
  ])(
    'a report says that triggers were responded to %s, and what was left out',
    async (_, change, isComplete, reason) => {
      const report = await tryService(change, { trigger: 'succeeds' })
      expect(report.complete).toBe(isComplete)
      expect(report.remarks).toContain(`${reason} ${LEFT_OUT}`)
      expect(report.findings.find(({ basis }) => basis === 'S25')?.message).not.toBe('Nothing in this run showed it.')
    },
  )

  it('a report is complete, and fails nothing, when each trigger gets 503', async () => {
    const report = await tryService((it) => isTrigger(it) && refuse(it, 503), everything)
    expect(report).toMatchObject({
      passed: true,
      complete: true,
      remarks: [expect.stringMatching(/^Left out at the depth normal/)],
    })
    expect(report.findings.find(({ basis }) => basis === 'S25')).toMatchObject({
      outcome: 'not-exercised',
      message: 'triggerRun responds with a 5xx to right requests too, so nothing could be checked with wrong ones.',
    })
  })
})

it.each<[string, Change, Trial]>([
  [
    'gets 429 and a wait of an hour in a plan without API access',
    when(
      ({ key }) => key === 'key_hobby',
      (it) => limit(it, 3_600),
    ),
    everything,
  ],
  ['gets 500 at its first trigger', gets500(1), followed],
])('verify exercises all that is stated when a request %s', async (_, change, trial) => {
  const { before: _before, ...same } = trial
  const report = await tryService(change, trial)
  const usual = ids(await tryService(undefined, same), 'pass')
  expect(report).toMatchObject({ passed: true, complete: true })
  expect(usual.filter((id) => !ids(report, 'pass').includes(id))).toEqual([])
})

describe('the texts of a report', () => {
  it.each([
    ['as text', (text: string) => text],
    ['in escapes', (text: string) => text.replaceAll(/[a-z]/g, (it) => `\\u00${it.charCodeAt(0).toString(16)}`)],
  ])('a report masks what looks like a secret, whether it is written %s, in every form', async (_, form) => {
    const body = {
      dsn: 'postgres://admin:s3cr3t-pw@db.internal/x',
      secret: { value: 'nestedSecretValue9' },
      note: 'x\nBearer abcdef0123456789',
      log: JSON.stringify({ password: 'hunter2hunter2' }),
    }
    const text = JSON.stringify({ id: 7, ...body }).replaceAll(/"[^"\\]*"/g, form)
    const report = await tryService((it) => {
      if (it.path === '/providers') Object.assign(it, { status: 418, text })
      if (it.path === '/workspaces/me' && it.status === 200) it.text = text
    })
    for (const shown of printed(report))
      for (const secret of ['s3cr3t-pw', 'SecretValue9', 'abcdef0123456789', 'hunter2hunter2']) {
        expect(shown).not.toContain(secret)
        expect(shown).not.toContain(form(secret))
      }
    expect(JSON.stringify(report)).toContain('••••')
  })

  it('a report masks values, and neither property names nor its own words, when the key is a word', async () => {
    const report = await tryService(
      success(/^\/workspaces/, (it) => Object.assign(it, { body: [{ run: 'run', id: 'run', name: 'run_1' }] })),
      { trigger: 'succeeds', options: { apiKey: 'key_valid', otherWorkspaceKey: undefined, hobbyKey: 'run' } },
    )
    const finding = report.findings.find(({ basis, outcome }) => basis === 'S16' && outcome === 'fail')
    expect(finding?.response?.body).toBe('[{"run":"••••","id":"••••","name":"run_1"}]')
    expect(report.findings.map(({ message }) => message).join()).toContain('the run ')
    expect(report.findings.map(({ message }) => message).join()).not.toMatch(/the ••••/)
  })

  it('bodies: false keeps bodies and their values out of a report', async () => {
    const report = await tryService(
      success(/^\/workspaces/, (it) => Object.assign(it, { body: ['Ada Lovelace'] })),
      { trigger: 'succeeds', options: { bodies: false, inputs: { name: 'Grace Hopper' } } },
    )
    expect(printed(report).join()).not.toMatch(/Ada Lovelace|Grace Hopper|pb_3kX9wq"/)
    expect(report.findings.filter(({ response }) => response?.body !== undefined)).toEqual([])
  })

  it('a report escapes control and bidirectional characters everywhere', async () => {
    const report = await tryService((it) => {
      if (it.status === 401) it.body = { error: 'a\u202eb', message: '\u0007\u001b[31m\u2066\u009b' }
      if (it.path === '/playbooks' && it.status === 200) it.body = { data: '\u202e', meta: '\u200f' }
    })
    const all = printed(report)
    for (const text of all) expect(text).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}]/u)
    expect(all[0]).toContain('\\\\u202e')
  })

  it('a JUnit report contains errors when the check ended early', async () => {
    const report = await tryService((it) => it.number >= 10 && limit(it, 3_600))
    const xml = renderJunit(report)
    const errors = report.summary.notExercised + 1
    expect(report.complete).toBe(false)
    expect(xml).toContain(`tests="${report.summary.entries + 1}" failures="0" errors="${errors}"`)
    expect(xml.match(/<error /g)).toHaveLength(errors)
    expect(xml).toContain('name="The check is complete"')
  })
})
