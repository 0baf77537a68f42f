import { expect, it } from 'vitest'
import { rules } from '../../../generated/contract.js'
import { playbookList } from '../../../generated/examples.js'
import { RUN_STATUS } from '../../../src/shared/run-status.js'
import type { Report } from '../../../src/tools/conformance/index.js'
import { judge } from '../../../src/tools/conformance/judge/judge.js'
import { traversalResults } from '../../../src/tools/conformance/judge/lists.js'
import { renderHtml } from '../../../src/tools/conformance/report/html.js'
import { exchange } from '../../conformance/judge/exchange.js'
import {
  type Change,
  limited,
  refuse,
  type Served,
  type Service,
  success,
  tryService,
} from '../../conformance/service.js'
import { listOf } from '../../support/fixtures.js'

const isOther = ({ key }: Served, { keys }: Service) => key === keys.otherWorkspace

/** Every key reads every run; with a plain request only after one that has more in it. */
const anyKeyReadsRuns = (): Change => {
  let isOpen = false
  return async (it, sandbox) => {
    if (it.status !== 404 || !it.path.startsWith('/runs/') || !isOther(it, sandbox)) return
    isOpen ||= it.query.size > 0
    if (!isOpen) return
    const headers = { authorization: `Bearer ${sandbox.keys.valid}` }
    const response = await sandbox.fetch(new Request(it.request.url, { headers }))
    if (response.ok) Object.assign(it, { status: response.status, body: await response.json() })
  }
}

const failures = ({ findings }: Report, id: string) =>
  findings.filter(({ basis, outcome }) => basis === id && outcome === 'fail')
const urlOf = (finding: Report['findings'][number] | undefined) => new URL(finding?.request?.url ?? 'http://none.test')

it('a report shows the plainest of the requests that show one fault', async () => {
  const report = await tryService(anyKeyReadsRuns(), { trigger: 'succeeds' })
  const [first, ...others] = failures(report, rules.workspacesApart)
  expect(others.some((each) => urlOf(each).search !== '')).toBe(true)
  expect(urlOf(first).search).toBe('')
  expect(Object.keys(first?.request?.headers ?? {})).not.toContain('service-version')
  expect(first?.curl).not.toContain('Service-Version')
})

it('a report shows the plainest request of equal findings, though it came later', async () => {
  let wrong = 0
  const report = await tryService(
    success(/^\/providers$/, (it) => {
      if (it.query.size === 0 && wrong === 0) return
      wrong++
      it.body.meta.total = 'many'
    }),
  )
  const [first] = failures(report, rules.listMeta)
  expect(first?.times).toBeGreaterThan(1)
  expect(urlOf(first).search).toBe('')
})

it('a report shows the page on which an item is missing', () => {
  const list = (ids: string[], page: number, size: number) =>
    exchange(
      'listPlaybooks',
      200,
      listOf(
        ids.map((id) => ({ ...playbookList.data[0], id })),
        { total: 4, page, per_page: size },
      ),
    )
  const page = (number: number, ids: string[]) => ({ number, size: 2, exchange: judge(list(ids, number, 2)) })
  const { body: whole } = list(['a', 'b', 'c', 'd'], 1, 20)
  const pages = [page(1, ['a', 'b']), page(2, ['c'])]
  const [result] = traversalResults(whole, pages, whole)
  expect(result?.outcome).toBe('failed')
  expect(result?.exchange).toBe(pages[1]?.exchange)
})

it('a report shows the page that repeats an item of an earlier one', async () => {
  const first = new Map<string, unknown>()
  const report = await tryService(
    success(/^\/playbooks$/, (it) => {
      const size = String(it.query.get('per_page'))
      if (it.query.get('page') === '1') first.set(size, it.body.data[0])
      if (it.query.get('page') === '2' && it.body.data.length > 0)
        it.body.data = [first.get(size), ...it.body.data.slice(1)]
    }),
  )
  const repeated = failures(report, rules.listsPlaybooks).filter(({ message }) => message.includes('on two of them'))
  expect(repeated.map((each) => urlOf(each).searchParams.get('page'))).toEqual(['2'])
})

it('a report in HTML has its failures before its coverage', async () => {
  const html = renderHtml(
    await tryService(
      success(/^\/workspaces/, (it) => {
        it.body = []
      }),
    ),
  )
  const sections = [...html.matchAll(/<section id="([^"]+)"/g)].map(([, id]) => id)
  expect(sections[0]).toBe('fail')
  expect(sections.at(-1)).toBe('coverage')
})

it('the report on a run that is lost while it runs names its status before, and no end', async () => {
  const started = new Map<string, number>()
  const gone = new Set<string>()
  const lost: Change = (it) => {
    if (it.method === 'POST' && it.status === 201) started.set(it.body.id, it.time)
    const id = it.path.split('/').at(-1) ?? ''
    const at = started.get(id)
    if (at !== undefined && it.time - at > 1_500 && it.body?.status === RUN_STATUS.running) gone.add(id)
    if (gone.has(id)) refuse(it, 404)
  }
  // Without operations that end a run.
  const operations = ['listPlaybooks', 'triggerRun', 'getRun'] as const
  const report = await tryService(lost, { trigger: 'needsApproval', options: { operations: [...operations] } })
  expect(failures(report, rules.polling).map(({ message }) => message)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^poll \d of a run that was "running": expected the run, got 404$/)]),
  )
  const contradicted = report.findings.filter(({ outcome }) => outcome === 'contradicted').map(({ basis }) => basis)
  expect(contradicted).not.toContain(rules.runStays)
  expect(contradicted).not.toContain(rules.readableAtOnce)
})

it('a report says that a workspace is mixed up with another one by simultaneous requests', async () => {
  const bodies = new Map<string | undefined, unknown>()
  let last: string | undefined
  const mixed: Change = async (it) => {
    if (it.path !== '/workspaces/me' || it.status !== 200) return
    bodies.set(it.key, it.body)
    last = it.key
    await new Promise(setImmediate)
    it.body = bodies.get(last)
  }
  const [first] = failures(await tryService(mixed), rules.keyOfWorkspace)
  expect(first?.message).toMatch(
    /^simultaneous requests of getCurrentWorkspace with the keys of two workspaces: the key reads /,
  )
})

it('a report takes a wrong number in the message of a 429 for one fault, where the burst is that of the plan', async () => {
  const report = await tryService(
    limited(({ body }) => Object.assign(body, { message: 'Over 300 requests per minute.' })),
    { rateLimit: true, latency: 5, options: { plan: 'pro', exclusive: true } },
  )
  expect(failures(report, rules.planLimits).map(({ message }) => message)).toEqual([
    'the 429: expected the 60 requests per minute of Pro, got 300',
  ])
})
