import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { basis } from '../../../../generated/contract.js'
import type { Report } from '../../../../src/tools/conformance/index.js'
import { renderHtml } from '../../../../src/tools/conformance/report/html.js'
import { renderJunit } from '../../../../src/tools/conformance/report/junit.js'
import { renderTable } from '../../../../src/tools/conformance/report/table.js'
import { type Served, tryService } from '../../../conformance/service.js'
import { launch } from '../../../support/browser.js'
import { VERSION } from '../../../support/fixtures.js'

const ESCAPE = '\u001b'
const NASTY = '<script>alert("x")</script>\u001b[31m\u202e\u0000'

/** A report with every outcome, of a service that sends what no output should fall for. */
let report: Report
beforeAll(async () => {
  report = await tryService(
    (served) => {
      if (
        served.status === 401 &&
        served.path === '/providers' &&
        /^(Bearer( |$)|$)/.test(served.request.headers.get('authorization') ?? '')
      )
        served.status = 403
      if (served.status === 201) served.status = 202
      if (served.path === '/playbooks' && served.status === 200)
        for (const playbook of served.body.data) playbook[NASTY] = NASTY
      if (served.status === 400 && served.sent === '{}') served.status = 422
      if (served.status >= 400) Object.assign(served.body, { message: NASTY, error: NASTY })
      served.headers.set('x-conformance', 'req_1')
    },
    { trigger: 'succeeds' },
  )
})

describe('contradicted entries', () => {
  const accepted = (served: Served) => {
    if (served.status === 201) served.status = 202
  }

  it('a contradicted entry has a status in JUnit and is no failure', async () => {
    const usual = await tryService(accepted, { trigger: 'succeeds' })
    expect(usual).toMatchObject({ passed: true, summary: { contradicted: 1 } })
    expect(renderJunit(usual)).toMatch(/name="A13 [^>]+ status="contradicted">/)
    expect(renderJunit(usual)).toMatch(/^<testsuites .*failures="0"/m)
    expect(renderJunit(usual)).not.toContain('<failure')
  })

  it('failOn: contradicted makes contradicted entries fail the report, JUnit and the summary', async () => {
    const strict = await tryService(accepted, { trigger: 'succeeds', options: { failOn: 'contradicted' } })
    expect(strict).toMatchObject({ passed: false, failOn: 'contradicted', summary: { fail: 0, contradicted: 1 } })
    expect(renderJunit(strict)).toMatch(/^<testsuites .*failures="1"/m)
    expect(renderJunit(strict)).toContain('<failure type="contradicted"')
    expect(renderTable(strict, { colour: false, width: Infinity })).toContain(
      '\nContradicts 1 of the observed or assumed entries; ',
    )
    expect(renderHtml(strict)).toContain('<title>Fails the contract')
  })
})

describe('entries that were not exercised', () => {
  const hints = ({ findings }: Report) =>
    findings.filter(({ outcome, message }) => outcome === 'not-exercised' && /^(Name|Give|Ask)\b/.test(message))

  it('an entry that was not exercised names the option that exercises it, and never one that was given', async () => {
    const without = { readOnlyKey: undefined, otherWorkspaceKey: undefined, hobbyKey: undefined }
    const messages = hints(await tryService(() => {}, { options: without })).map(({ message }) => message)
    expect(messages).toContain('Ask for the rate limit to be reached, and give a second key of the workspace.')
    expect(messages).toContain('Give a key of another workspace, and name a playbook to trigger, or a run to read.')
    const refused = await tryService(
      (served) => {
        if (served.method === 'POST' && served.status === 201) Object.assign(served, { status: 402, body: {} })
      },
      { trigger: 'succeeds', rateLimit: true },
    )
    expect(hints(refused)).toEqual([])
  })

  it('the report names only the observed values that it received', async () => {
    const seen = (await tryService(() => {}, { trigger: 'succeeds' })).findings.filter(({ basis }) => basis === 'O02')
    expect(seen.map(({ message }) => message)).toEqual(['StepStatus "succeeded" was seen'])
  })
})

describe('the table', () => {
  it('the table shows each failure with its exchange and its location in the contract', () => {
    const text = renderTable(report, { colour: false, width: 100 })
    expect(text).toContain(
      '\nFailed 2  stated or derived, and not so\n  S24  A request with a missing or invalid key fails with 401.\n',
    )
    expect(text).toContain('listProviders without a key: expected 401, got 403')
    expect(text).toContain(`GET https://sandbox.test${VERSION}/providers → 403`)
    expect(text).toContain('openapi.yaml#/components/responses/Unauthorized')
    expect(text).toMatch(
      /\nFails 2 of the \d+ stated or derived entries that were exercised; \d+ of \d+ entries of the register\nwere exercised\.\n$/,
    )
    for (const id of Object.keys(basis)) expect(text).toContain(id)
  })

  it('no line of the table is wider than the terminal or contains a control character', () => {
    const text = renderTable(report, { colour: false, width: 80 })
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(text).not.toMatch(/[^\n\P{C}]/u)
  })

  it('the table is coloured only when asked', () => {
    const escapes = new RegExp(`${ESCAPE}\\[\\d+m`, 'g')
    expect(renderTable(report, { colour: false, width: 80 })).not.toMatch(escapes)
    const coloured = renderTable(report, { colour: true, width: 80 })
    expect(coloured.replaceAll(escapes, '')).toBe(renderTable(report, { colour: false, width: 80 }))
  })
})

describe('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())

  it.each(['light', 'dark'] as const)(
    'the HTML report loads nothing, runs nothing and is accessible in %s',
    async (colorScheme) => {
      const context = await browser.newContext({ colorScheme, viewport: { width: 400, height: 800 } })
      const page = await context.newPage()
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      page.on('dialog', (dialog) => asked.push(dialog.message()))
      await page.setContent(renderHtml(report).replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ''))
      expect(asked).toEqual([])
      expect(await page.locator('h1').textContent()).toBe(`https://sandbox.test${VERSION}`)
      expect(await page.locator('#fail tbody tr').count()).toBe(2)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(400)
      await page.addScriptTag({ content: readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8') })
      const { violations } = (await page.evaluate('axe.run()')) as {
        violations: { id: string; nodes: { html: string }[] }[]
      }
      expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([])
      await context.close()
    },
  )

  it('the JUnit report is well-formed, with a test case for each entry', async () => {
    const page = await browser.newPage()
    const seen = await page.evaluate((xml) => {
      const document = new DOMParser().parseFromString(xml, 'application/xml')
      const count = (selector: string) => document.querySelectorAll(selector).length
      return {
        error: document.querySelector('parsererror')?.textContent,
        cases: count('testcase'),
        failures: count('failure'),
        skipped: count('skipped'),
      }
    }, renderJunit(report))
    const { entries, fail, notExercised } = report.summary
    expect(seen).toEqual({ error: undefined, cases: entries, failures: fail, skipped: notExercised })
    await page.close()
  })
})
