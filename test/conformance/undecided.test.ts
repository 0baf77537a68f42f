import { expect, it } from 'vitest'
import { renderHtml } from '../../src/tools/conformance/report/html.js'
import { renderJunit } from '../../src/tools/conformance/report/junit.js'
import { renderTable } from '../../src/tools/conformance/report/table.js'
import { listOf } from '../support/fixtures.js'
import { success, tryService } from './service.js'

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
