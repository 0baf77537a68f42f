import { expect, it, vi } from 'vitest'
import { basis } from '../../generated/contract.js'
import { type ConformanceProgress, checkConformance } from '../../src/tools/conformance/index.js'
import { reasonOf } from '../../src/tools/conformance/report/reasons.js'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { listen } from '../../src/tools/sandbox/port/index.js'
import { VERSION } from '../support/fixtures.js'
import { ids, tryService } from './service.js'

vi.setConfig({ testTimeout: 60_000 })

it('verify at the depth quick passes the sandbox in at most 75 requests, and triggers nothing', async () => {
  const sandbox = createSandbox()
  const { baseUrl, keys, fetch } = sandbox
  const report = await checkConformance({ baseUrl, apiKey: keys.valid, fetch, depth: 'quick' })
  expect(report).toMatchObject({ passed: true, complete: true, summary: { fail: 0, contradicted: 0 } })
  expect(report.remarks).toEqual([expect.stringMatching(/^Left out at the depth quick.* credentials \(/)])
  expect(report.requests).toBeLessThanOrEqual(75)
  expect(sandbox.requests()).toHaveLength(report.requests)
  const posted = sandbox.requests().filter(({ request }) => request.method === 'POST')
  expect(posted.filter(({ response }) => response && response.status < 400)).toEqual([])
  expect(sandbox.state.workspaces.flatMap(({ runs }) => runs)).toHaveLength(1)
  expect(ids(report, 'not-exercised')).toHaveLength(report.summary.notExercised)
})

it('verify passes the sandbox over HTTP', async () => {
  const sandbox = createSandbox()
  const server = await listen(sandbox)
  try {
    const report = await checkConformance({ baseUrl: server.baseUrl, apiKey: sandbox.keys.valid, depth: 'quick' })
    expect(report).toMatchObject({ passed: true, complete: true, summary: { contradicted: 0, discovered: 0 } })
  } finally {
    await server.close()
  }
})

it('verify reads a given run without triggering one', async () => {
  const { baseUrl, keys, fetch } = createSandbox()
  const report = await checkConformance({ baseUrl, apiKey: keys.valid, fetch, run: 'run_8Zt4Lm2c', depth: 'quick' })
  expect(ids(report, 'pass')).toEqual(expect.arrayContaining(['S01', 'S05', 'S06', 'S07', 'S08', 'S09', 'S19']))
})

it('verify exercises every entry that can be provoked, and confirms every assumption that it sees', async () => {
  const report = await tryService(undefined, {
    trigger: 'needsApproval',
    rateLimit: true,
    options: { depth: 'thorough' },
  })
  expect(report).toMatchObject({ passed: true, complete: true, summary: { fail: 0, contradicted: 0, discovered: 0 } })
  const left = report.findings.filter(({ outcome }) => outcome === 'not-exercised')
  for (const { basis: id, message } of left) expect([basis[id].unobservable, reasonOf(id, {})], id).toContain(message)
  expect(report.summary.exercised).toBe(Object.keys(basis).length - left.length)
  // What the service may be empty of, and the sandbox is not.
  for (const id of ['A53', 'A02', 'A03', 'A04', 'A05', 'A06', 'A09', 'A30'])
    expect(left.map((finding) => finding.basis)).not.toContain(id)
})

it('a report has a finding for every register entry, and a reason for each that was not exercised', async () => {
  const report = await tryService(undefined, { options: { depth: 'thorough' } })
  expect(new Set(report.findings.map((finding) => finding.basis))).toEqual(new Set(Object.keys(basis)))
  for (const finding of report.findings.filter(({ outcome }) => outcome === 'not-exercised'))
    expect(finding.message, `${finding.basis} needs "verify.needs" or "verify.unobservable" in basis.yaml`).not.toBe(
      'Nothing in this run showed it.',
    )
})

it.each([
  ['quick', undefined],
  ['quick', 'succeeds'],
  ['normal', undefined],
  ['normal', 'succeeds'],
] as const)(
  'verify at the depth %s with the playbook %s sends what it announces, within a factor of two',
  async (depth, trigger) => {
    let announced = 0
    const onProgress = (progress: ConformanceProgress) => {
      if (progress.type === 'plan') announced = progress.requests
    }
    const { requests } = await tryService(undefined, { ...(trigger && { trigger }), options: { depth, onProgress } })
    expect(requests / announced).toBeGreaterThan(0.5)
    expect(requests / announced).toBeLessThan(2)
  },
)

it('onProgress receives the plan and then each check', async () => {
  const received: ConformanceProgress[] = []
  const report = await tryService(undefined, { options: { onProgress: (progress) => received.push(progress) } })
  const [plan, ...checks] = received
  expect(plan).toMatchObject({
    type: 'plan',
    baseUrl: report.baseUrl,
    warnings: [
      expect.stringContaining('Nothing is triggered'),
      expect.stringContaining('requests keep to the rate of Pro'),
      expect.stringContaining('Left out at the depth normal'),
    ],
  })
  expect(plan?.type === 'plan' && plan.maxRequests).toBeGreaterThanOrEqual(report.requests)
  const names = checks.flatMap((each) => (each.type === 'check' ? each.name : []))
  expect([...new Set(names)].sort()).toEqual(plan?.type === 'plan' ? [...plan.checks].sort() : [])
})

it('a report lists headers, fields and statuses that the contract lacks, with their locations in the contract', async () => {
  const report = await tryService((served) => {
    if (served.path === '/playbooks' && served.status === 200)
      for (const playbook of served.body.data) playbook.internal_owner = { name: 'Ada' }
    if (served.status === 400 && served.sent === '{}') served.status = 418
    served.headers.set('x-conformance', 'req_1')
  })
  const discovered = report.findings.filter(({ outcome }) => outcome === 'discovered')
  expect(discovered.map(({ discovery, location }) => ({ ...discovery, location }))).toEqual([
    { kind: 'header', name: 'x-conformance', location: 'openapi.yaml#/components/responses/Workspace200/headers' },
    {
      kind: 'field',
      schema: 'Playbook',
      name: 'internal_owner',
      type: 'object',
      location: 'openapi.yaml#/components/schemas/Playbook/properties',
    },
    {
      kind: 'status',
      operation: 'triggerRun',
      status: 418,
      location: 'openapi.yaml#/paths/~1playbooks~1{id}~1runs/post/responses',
    },
  ])
  expect(ids(report, 'confirmed')).toContain('A27')
})

it('an interrupted verify reports what it found', async () => {
  const stop = new AbortController()
  const report = await tryService(
    ({ number }) => {
      if (number === 12) stop.abort()
    },
    { options: { signal: stop.signal } },
  )
  expect(report).toMatchObject({ passed: true, complete: false, requests: 13 })
  expect(report.remarks).toEqual([
    'Not everything was checked. It was interrupted.',
    expect.stringMatching(/^Left out at the depth normal/),
  ])
  expect(ids(report, 'confirmed')).toContain('A12')
})

it.each([
  [`http://api.example.com${VERSION}`, true],
  [`http://192.168.0.7:8080${VERSION}`, true],
  [`http://localhost.example.com${VERSION}`, true],
  [`https://api.example.com${VERSION}`, false],
  [`http://localhost:8080${VERSION}`, false],
  [`http://127.1${VERSION}`, false],
  [`http://[::1]:8080${VERSION}`, false],
])(
  'verify of %s says before the first request and in the report that keys go in clear text: %s',
  async (baseUrl, is) => {
    const { keys, fetch } = createSandbox()
    const said: string[] = []
    const report = await checkConformance({
      baseUrl,
      apiKey: keys.valid,
      depth: 'quick',
      fetch: (input, init) => {
        said.push('request')
        return fetch(input, init)
      },
      onProgress: (progress) => progress.type === 'plan' && said.push(...progress.warnings),
    })
    const warning = `Keys are sent to ${new URL(baseUrl).origin} in clear text, for others on the network to read. Use https:// where you can.`
    expect(said.slice(0, said.indexOf('request')).includes(warning)).toBe(is)
    expect(report.remarks.filter((remark) => !remark.startsWith('Left out'))).toEqual([...(is ? [warning] : [])])
    expect(report.passed).toBe(true)
  },
)
