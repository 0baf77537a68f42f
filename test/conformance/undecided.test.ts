import { expect, it } from 'vitest'
import { renderHtml } from '../../src/tools/conformance/report/html.js'
import { renderJunit } from '../../src/tools/conformance/report/junit.js'
import { renderTable } from '../../src/tools/conformance/report/table.js'
import { listOf } from '../support/fixtures.js'
import { ids, isTrigger, refuse, success, tryService } from './service.js'

it('a report says what of a passed entry was not decided, and for which operation', async () => {
  const shared = [
    { id: 'mail', name: 'Mail' },
    { id: 'billing', name: 'Billing' },
  ]
  const report = await tryService(
    success(/^\/providers$/, (it) => {
      it.body = listOf(shared)
    }),
  )
  const apart = report.findings.find(({ basis }) => basis === 'D05')
  const open = 'listProviders: both workspaces list the same 2 items, such as "mail", which may be shared by design.'
  expect(apart).toMatchObject({ outcome: 'pass', undecided: [open] })
  expect(renderTable(report, { colour: false, width: Number.POSITIVE_INFINITY })).toContain(`Not decided: ${open}`)
  expect(renderJunit(report)).toContain('not decided: listProviders')
  expect(renderHtml(report)).toContain('Not decided: listProviders')
})

it('a 402 to a read-only key decides nothing, because the run quota may be used up and looked at first', async () => {
  const report = await tryService(
    (it, { keys }) => isTrigger(it) && it.status === 403 && it.key === keys.readOnly && refuse(it, 402),
    { trigger: 'succeeds' },
  )
  expect(ids(report, 'fail')).toEqual([])
  expect(report.findings.find(({ basis }) => basis === 'S25')).toMatchObject({
    outcome: 'not-exercised',
    message: expect.stringMatching(/^A trigger got 402: the run quota may be used up and looked at before/),
  })
})

it('a report does not call a list empty whose items on the first page lack a name and an id', async () => {
  const data = Array.from({ length: 45 }, () => ({ description: 'It has no name.' }))
  const report = await tryService(
    success(/^\/playbooks$/, (it) => {
      const [page, size] = [Number(it.query.get('page') ?? 1), Number(it.query.get('per_page') ?? 20)]
      const part = data.slice((page - 1) * size, page * size)
      it.body = listOf(part, { total: data.length, page, per_page: size })
    }),
    { options: { depth: 'quick' } },
  )
  expect(report.findings.find(({ basis }) => basis === 'A30')).toMatchObject({
    outcome: 'not-exercised',
    message: 'The list of playbooks was empty, or the playbooks that were seen have no such property.',
  })
})

it('a run that is gone when it is read with a pin, and without one, shows nothing of the pin', async () => {
  const gone = new Set<string>()
  const report = await tryService(
    (it) => {
      const isEnded = it.status === 200 && it.body.status === 'succeeded'
      if (isEnded && it.request.headers.has('service-version')) gone.add(it.path)
      if (gone.has(it.path)) refuse(it, 404)
    },
    { trigger: 'succeeds', options: { serviceVersion: '2026-11-21' } },
  )
  expect(gone.size).toBeGreaterThan(0)
  expect(ids(report, 'fail')).not.toContain('S40')
})
