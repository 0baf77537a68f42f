import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BasisId, basis, type OperationId, operations } from '../../../generated/contract.js'
import {
  applyBaseline,
  type BaselineEntry,
  type Finding,
  type Report,
  updateBaseline,
} from '../../../src/tools/conformance/index.js'
import { isBinding } from '../../../src/tools/conformance/judge/contract.js'
import { renderHtml } from '../../../src/tools/conformance/report/html.js'
import { renderJunit } from '../../../src/tools/conformance/report/junit.js'
import { summarize } from '../../../src/tools/conformance/report/ledger.js'
import { renderTable } from '../../../src/tools/conformance/report/table.js'
import { VERSION } from '../../support/fixtures.js'
import { tryService } from '../service.js'

const TODAY = '2026-11-21'
const binding = (Object.keys(basis) as BasisId[]).filter(isBinding)

const finding = (changes: Partial<Finding>): Finding => ({
  basis: 'S08',
  outcome: 'fail',
  operation: undefined,
  status: undefined,
  message: 'a message',
  fact: undefined,
  expected: undefined,
  actual: undefined,
  relation: undefined,
  variation: undefined,
  tried: undefined,
  location: undefined,
  pointer: undefined,
  keyword: undefined,
  times: 1,
  request: undefined,
  response: undefined,
  discovery: undefined,
  ...changes,
})

const reportOf = (findings: Finding[], complete = true): Report => {
  const summary = summarize(findings)
  const rest = {
    complete,
    baseUrl: `https://api.example.com${VERSION}`,
    startedAt: '2026-11-21T09:00:00Z',
    duration: 1,
    requests: 1,
  }
  return { passed: summary.fail === 0, ...rest, summary, remarks: [], findings, coverage: [] }
}

const failure = finding({ operation: 'getRun', status: 200, pointer: '/started_at', keyword: 'pattern' })
const states = (report: Report) => report.baseline?.map(({ state }) => state)

describe('a baseline', () => {
  it('with failOn a contradiction that the baseline names does not fail the report, and another one does', () => {
    const known = finding({ basis: 'A37', outcome: 'contradicted', operation: 'listPlaybooks', keyword: 'page-size' })
    const other = finding({ basis: 'A59', outcome: 'contradicted', operation: 'getRun' })
    const report = (...findings: Finding[]): Report => ({
      ...reportOf(findings),
      passed: false,
      failOn: 'contradicted',
    })
    const baseline = updateBaseline(report(known), [], TODAY)
    expect(baseline).toMatchObject([{ basis: 'A37', operation: 'listPlaybooks', keyword: 'page-size' }])
    expect(applyBaseline(report(known), baseline, TODAY)).toMatchObject({
      passed: true,
      baseline: [{ state: 'known' }],
    })
    expect(applyBaseline(report(known, other), baseline, TODAY).passed).toBe(false)
    const confirmed = finding({ basis: 'A37', outcome: 'confirmed', operation: 'listPlaybooks' })
    expect(states(applyBaseline(report(confirmed), baseline, TODAY))).toEqual(['stale'])
  })

  it('a failure that the baseline names does not fail the report, and is listed as known with its reason', () => {
    const report = applyBaseline(reportOf([failure]), [{ basis: 'S08', reason: 'mended in May' }], TODAY)
    expect(report).toMatchObject({ passed: true, summary: { fail: 0, known: 1 } })
    expect(report.findings[0]).toMatchObject({ outcome: 'known', message: 'a message (known: mended in May)' })
    expect(states(report)).toEqual(['known'])
  })

  it('a baseline entry applies only where every field that it names is the same', () => {
    const { operation, status, pointer, keyword } = failure
    const whole = { basis: 'S08', operation, status, pointer, keyword, reason: 'r' } as BaselineEntry
    expect(applyBaseline(reportOf([failure]), [whole], TODAY).passed).toBe(true)
    for (const other of [
      { operation: 'listPlaybooks' },
      { status: 201 },
      { pointer: '/id' },
      { keyword: 'type' },
      { basis: 'S09' },
    ])
      expect(applyBaseline(reportOf([failure]), [{ ...whole, ...other } as BaselineEntry], TODAY).passed).toBe(false)
  })

  it('an entry that names a retired id counts for the id that replaced it', () => {
    const report = applyBaseline(
      reportOf([finding({ basis: 'S04' })]),
      [{ basis: 'S39' as BasisId, reason: 'soon' }],
      TODAY,
    )
    expect([report.passed, states(report)]).toEqual([true, ['known']])
  })

  it('an entry whose id was replaced by an assumption, which never fails, is stale', () => {
    const report = applyBaseline(reportOf([]), [{ basis: 'D01' as BasisId, reason: 'soon' }], TODAY)
    expect(report.baseline).toMatchObject([
      { state: 'stale', message: 'D01 is retired, and nothing fails A30. Remove the entry.' },
    ])
    expect(updateBaseline(reportOf([]), [{ basis: 'D01' as BasisId, reason: 'soon' }], TODAY)).toEqual([])
  })

  it('a stale baseline entry fails the report, because its basis was exercised and passed', () => {
    const passing = reportOf([finding({ outcome: 'pass' })])
    const report = applyBaseline(passing, [{ basis: 'S08', reason: 'r' }], TODAY)
    expect(report.passed).toBe(false)
    expect(states(report)).toEqual(['stale'])
    expect(renderTable(report, { colour: false, width: 120 })).toContain(
      'S08 was exercised and passed. Remove the entry.',
    )
    expect(renderTable(report, { colour: false, width: 120 })).toContain(
      'Fails because 1 entry of the baseline is stale or expired',
    )
    expect(renderJunit(report)).toMatch(/failures="1".*[\s\S]*classname="contract.baseline"/)
    expect(renderHtml(report)).toContain('<td>stale</td>')
  })

  it('a baseline entry that was not exercised, or only by a check that ended early, changes nothing', () => {
    const skipped = applyBaseline(
      reportOf([finding({ outcome: 'not-exercised' })]),
      [{ basis: 'S08', reason: 'r' }],
      TODAY,
    )
    expect(skipped.passed).toBe(true)
    expect(states(skipped)).toEqual(['not-exercised'])
    const early = applyBaseline(reportOf([finding({ outcome: 'pass' })], false), [{ basis: 'S08', reason: 'r' }], TODAY)
    expect(early.passed).toBe(true)
  })

  it('an expired baseline entry fails the report and covers nothing, and is valid on its last day', () => {
    const entry = { basis: 'S08', reason: 'r', expires: TODAY } as const
    expect(applyBaseline(reportOf([failure]), [entry], TODAY).passed).toBe(true)
    const late = applyBaseline(reportOf([failure]), [entry], '2026-11-22')
    expect(late).toMatchObject({ passed: false, summary: { fail: 1, known: 0 } })
    expect(late.baseline?.[0]?.message).toBe('S08 expired on 2026-11-21. It still fails: mend it, or set another day.')
    expect(applyBaseline(reportOf([]), [entry], '2026-11-22').passed).toBe(false)
  })

  for (const [entry, sentence] of [
    [null, 'Entry 1 of the baseline is wrong: the options must be an object.'],
    [{ reason: 'r' }, 'basis is missing: it must be the id of an entry of the register'],
    [{ basis: 'S08' }, 'reason is missing: it must be a string that says why the failure is known.'],
    [{ basis: 'S08', reason: ' ' }, 'reason must be a string that says why the failure is known.'],
    [{ basis: 'S08', reason: 'r', expires: '2026-02-30' }, 'expires must be a day, written as YYYY-MM-DD.'],
    [{ basis: 'S08', reason: 'r', operation: 'getruns' }, "operation must be 'getCurrentWorkspace' or"],
    [{ basis: 'S08', reason: 'r', status: '200' }, 'status must be an integer from 100 to 599.'],
    [{ basis: 'S08', reason: 'r', pointer: 'id' }, 'pointer must be a JSON pointer such as /steps/0/id.'],
    [{ basis: 'S08', reason: 'r', expiry: TODAY }, 'unknown option "expiry"; expected one of: basis, operation'],
  ] as const)
    it(`the baseline entry ${JSON.stringify(entry)} is refused with a reason`, () =>
      expect(() => applyBaseline(reportOf([]), [entry as unknown as BaselineEntry], TODAY)).toThrow(sentence))

  it('a baseline that is not a list of entries is refused, and so is an invalid day', () => {
    for (const wrong of [null, {}, 5])
      expect(() => applyBaseline(reportOf([]), wrong as never, TODAY)).toThrow(
        'The baseline must be a list of entries.',
      )
    expect(() => applyBaseline(reportOf([]), [], 'soon')).toThrow('today must be a day, written as YYYY-MM-DD.')
  })

  it('a baseline written for a faulty service makes it pass, and is stale once the service is fixed', async () => {
    const faulty = await tryService((served) => {
      if (served.status === 401) served.status = 403
    })
    expect(faulty.passed).toBe(false)
    const written = updateBaseline(faulty, [], TODAY)
    expect(applyBaseline(faulty, written, TODAY).passed).toBe(true)
    const mended = applyBaseline(await tryService(), written, TODAY)
    expect(mended.passed).toBe(false)
    expect(new Set(states(mended))).toEqual(new Set(['stale']))
  })
})

describe('for random reports and baselines', () => {
  const some = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
  const fields = {
    basis: fc.constantFrom(...binding.slice(0, 4)),
    operation: some(fc.constantFrom(...(Object.keys(operations) as OperationId[]).slice(0, 2))),
    status: some(fc.constantFrom(200, 401)),
    pointer: some(fc.constantFrom('', '/id', '/steps/0/id')),
    keyword: some(fc.constantFrom('type', 'status')),
  }
  const findings = fc.array(fc.record({ ...fields, isFailure: fc.boolean() }), { maxLength: 12 }).map((all) => {
    const failing = new Set(all.filter(({ isFailure }) => isFailure).map(({ basis: id }) => id))
    // A report says of an entry either that it passed or in what it failed.
    return all
      .filter(({ basis: id, isFailure }) => isFailure || !failing.has(id))
      .map(({ isFailure, ...own }) => finding({ ...own, outcome: isFailure ? 'fail' : 'pass' }))
  })
  const entries = fc.array(
    fc
      .record({
        ...fields,
        reason: fc.constant('known'),
        expires: some(fc.constantFrom('2026-11-20', TODAY, '2027-01-01')),
      })
      .map(
        (entry) =>
          Object.fromEntries(
            Object.entries(entry).filter(([, value]) => value !== undefined),
          ) as unknown as BaselineEntry,
      ),
    { maxLength: 5 },
  )

  it('for any report, the updated baseline makes it pass, keeps the entries that still apply, and is stable', () =>
    fc.assert(
      fc.property(findings, entries, fc.boolean(), (all, before, complete) => {
        const report = reportOf(all, complete)
        const updated = updateBaseline(report, before, TODAY)
        const applied = applyBaseline(report, updated, TODAY)
        expect(applied.passed).toBe(true)
        expect(applied.findings.filter(({ outcome }) => outcome === 'fail')).toEqual([])
        expect(updateBaseline(report, updated, TODAY)).toEqual(updated)
        const { baseline = [] } = applyBaseline(report, before, TODAY)
        for (const { state, entry } of baseline)
          expect(updated.includes(entry)).toBe(state === 'known' || state === 'not-exercised')
      }),
    ))

  it('for any report, a further failure that no baseline entry names fails', () =>
    fc.assert(
      fc.property(findings, entries, (all, before) => {
        const updated = updateBaseline(reportOf(all), before, TODAY)
        const other = finding({
          basis: 'S32',
          operation: 'listProviders',
          status: 429,
          pointer: '/other',
          keyword: 'equal',
        })
        const applied = applyBaseline(reportOf([...all, other]), updated, TODAY)
        expect(applied.passed).toBe(false)
        expect(applied.findings.filter(({ outcome }) => outcome === 'fail')).toEqual([other])
      }),
    ))
})
