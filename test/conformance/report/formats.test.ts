import { describe, expect, it } from 'vitest'
import type { Report } from '../../../src/tools/conformance/index.js'
import { coveragePercent } from '../../../src/tools/conformance/report/coverage.js'
import { renderAnnotations } from '../../../src/tools/conformance/report/github.js'
import { renderJunit } from '../../../src/tools/conformance/report/junit.js'
import { renderMarkdown } from '../../../src/tools/conformance/report/markdown.js'
import { renderTable } from '../../../src/tools/conformance/report/table.js'
import { type Change, tryService } from '../service.js'

/** No key is needed, and one error has the status of another convention. */
const open: Change = async (it, { fetch, keys }) => {
  if (it.status !== 401 || it.request.method !== 'GET') return
  const headers = new Headers(it.request.headers)
  headers.set('authorization', `Bearer ${keys.valid}`)
  const response = await fetch(new Request(it.request.url, { headers }))
  if (response.status === 200) Object.assign(it, { status: 200, body: await response.json() })
}
const plain = (report: Report) => renderTable(report, { colour: false, width: Infinity })

describe('a report of a service that needs no key', async () => {
  const report = await tryService(open)

  it('a report shows one fault as one group of its entry, with how many of the requests that were tried are of this kind', () => {
    const lines = plain(report).split('\n')
    const shown = lines.filter((line) => /: expected 401, got 200/.test(line))
    expect(shown.length).toBeLessThanOrEqual(report.summary.fail)
    expect(report.findings.filter(({ outcome }) => outcome === 'fail').length).toBeGreaterThan(2 * shown.length)
    expect(lines.join('\n')).toMatch(/\d+ of \d+ that were tried are of this kind: also /)
  })

  it('a report shows what lets somebody in before other failures', async () => {
    const both = await tryService(async (it, service) => {
      await open(it, service)
      if (it.path === '/workspaces/me' && it.status === 200 && it.key === service.keys.valid) it.body = [it.body]
    })
    const lines = plain(both).split('\n')
    const first = (id: string) => lines.findIndex((line) => line.includes(id))
    expect(first('S24')).toBeGreaterThan(-1)
    expect(first('S24')).toBeLessThan(first('S16'))
  })

  it('a report has each failed request as a curl command, which takes the key from the environment', () => {
    const failed = report.findings.filter(({ outcome, request }) => outcome === 'fail' && request)
    expect(failed.length).toBeGreaterThan(0)
    for (const { curl } of failed) expect(curl).toMatch(/^curl -i -X GET /)
    expect(JSON.stringify(failed)).not.toContain('key_valid')
    const wrong = failed.filter(({ variation }) => variation === 'with a wrong key')
    expect(wrong.length).toBeGreaterThan(0)
    for (const { curl } of wrong) expect(curl).not.toContain('another-key')
  })

  it('a report in Markdown escapes what a service sends, and contains the command and the response', () => {
    const text = renderMarkdown(report)
    expect(text).toMatch(/^## ❌ Fails \d+ of the/)
    expect(text).toContain('```sh\ncurl -i -X GET')
    expect(text).toContain('| Expected | Actual |\n| --- | --- |\n| 401 | 200 |')
  })

  it('a report for GitHub is an annotation for each group, on one line', () => {
    const lines = renderAnnotations(report).trimEnd().split('\n')
    expect(lines.filter((line) => !/^::(error|warning) title=[^,:]+::.+$/.test(line))).toEqual([])
    expect(lines.filter((line) => line.startsWith('::error title=S24'))).toHaveLength(1)
  })

  it('a report in JUnit has only what the schema junit-10 has', () => {
    const xml = renderJunit(report)
    const allowed: Record<string, string[]> = {
      testsuites: ['name', 'time', 'tests', 'failures', 'disabled', 'errors'],
      testsuite: ['name', 'tests', 'failures', 'errors', 'time', 'skipped', 'timestamp', 'hostname', 'id', 'package'],
      testcase: ['name', 'assertions', 'time', 'classname', 'status'],
      failure: ['type', 'message'],
      error: ['type', 'message'],
      skipped: ['type', 'message'],
      'system-out': [],
    }
    for (const [, name = '', attributes = ''] of xml.matchAll(/<([a-z-]+)((?: [a-z]+="[^"]*")*)\/?>/g)) {
      expect(Object.keys(allowed)).toContain(name)
      for (const [, attribute] of attributes.matchAll(/ ([a-z]+)="/g)) expect(allowed[name]).toContain(attribute)
    }
    expect(xml).toMatch(/<testcase [^>]+ time="[\d.]+"/)
  })
})

it('a report covers more properties when runs were followed, and shows how many for each operation', async () => {
  const [bad, good] = [await tryService(open), await tryService(undefined, { trigger: 'succeeds' })]
  expect(coveragePercent(good)).toBeGreaterThan(coveragePercent(bad))
  expect(plain(good)).toMatch(/getRun: .+ of \d+ properties/)
})
