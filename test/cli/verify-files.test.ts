import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repository } from '../support/project.js'

const RECORDINGS = join(repository, 'test/fixtures/recordings')
const BASE_URL = 'http://127.0.0.1:41819/v1'
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'verify-'))
  const har = readFileSync(join(RECORDINGS, 'mitmproxy.har'), 'utf8')
  // Times without a zone, which is no form of UTC.
  writeFileSync(join(folder, 'faulty.har'), har.replaceAll('09:30:00Z', '09:30:00'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const verify = (...args: string[]) => verifyWith({}, ...args)

function verifyWith(env: Record<string, string>, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/src/cli/index.js', 'verify', ...args], {
    cwd: repository,
    encoding: 'utf8',
    env: { ...process.env, WORKFLOW_API_KEY: '', NO_COLOR: '1', GITHUB_ACTIONS: '', ...env },
  })
  return { status, out: stdout, error: stderr }
}

describe('workflow-automation verify --har', () => {
  it('verify --har reads the bodies stored beside the recording, needs no key and exits with 0', () => {
    const { status, out } = verify('--har', join(RECORDINGS, 'playwright-attach/recording.har'), BASE_URL)
    expect(status).toBe(0)
    expect(out).toContain('15 recorded requests in')
    expect(out).toContain('  getRun: 200 8 times; 404 1 time; never 400, 401, 403, 429, 500')
    expect(out).not.toContain('without a body')
  })

  it('verify --har passes with the baseline that it wrote, and fails as stale once the failure is fixed', () => {
    const [har, baseline] = [join(folder, 'faulty.har'), join(folder, 'known.yaml')]
    expect(verify('--har', har, BASE_URL).status).toBe(1)
    const missing = verify('--har', har, BASE_URL, '--baseline', baseline)
    expect(missing).toMatchObject({
      status: 2,
      error: `There is no ${baseline}. Give --update-baseline as well to write it.\n`,
    })
    expect(verify('--har', har, BASE_URL, '--baseline', baseline, '--update-baseline').status).toBe(0)
    expect(readFileSync(baseline, 'utf8')).toMatch(
      /^# Failures that are known[\s\S]*\n- basis: S08\n {2}operation: getRun\n/,
    )
    const again = verify('--har', har, BASE_URL, '--baseline', baseline)
    expect(again.status).toBe(0)
    expect(again.out).toContain('Known 1')
    const mended = verify('--har', join(RECORDINGS, 'mitmproxy.har'), BASE_URL, '--baseline', baseline)
    expect(mended.status).toBe(1)
    expect(mended.out).toMatch(/stale or expired/)
  })

  it('verify --har --fail-on contradicted fails on contradicted entries, with a baseline too, which covers failures only', () => {
    const recorded = readFileSync(join(RECORDINGS, 'mitmproxy.har'), 'utf8')
    const [har, both] = [join(folder, 'contradicted.har'), join(folder, 'both.har')]
    const contradicted = recorded.replaceAll('application/json', 'application/vnd.service+json')
    writeFileSync(har, contradicted)
    writeFileSync(both, contradicted.replaceAll('09:30:00Z', '09:30:00'))
    expect(verify('--har', har, BASE_URL).status).toBe(0)
    const strict = verify('--har', har, BASE_URL, '--fail-on', 'contradicted')
    expect(strict.status).toBe(1)
    expect(strict.out).toMatch(/^Contradicts \d+ of the observed or assumed entries; /m)
    const baseline = join(folder, 'both.yaml')
    expect(verify('--har', both, BASE_URL, '--baseline', baseline, '--update-baseline').status).toBe(0)
    expect(verify('--har', both, BASE_URL, '--baseline', baseline).status).toBe(0)
    const junit = join(folder, 'both.xml')
    const args = ['--baseline', baseline, '--fail-on', 'contradicted', '--junit', junit]
    expect(verify('--har', both, BASE_URL, ...args).status).toBe(1)
    const xml = readFileSync(junit, 'utf8')
    expect(xml).toContain('<failure type="contradicted"')
    expect(xml).not.toContain('<failure type="fail"')
  })

  it('verify exits with 2 and names the faulty file or option', () => {
    writeFileSync(join(folder, 'unknown.yaml'), '- basis: S99\n  reason: x\n')
    writeFileSync(join(folder, 'bad.yaml'), '- basis: S08\n  reason: a: b\n')
    for (const [args, sentence] of [
      [['--har', join(folder, 'none.har')], 'ENOENT'],
      [['--har', join(RECORDINGS, 'mitmproxy.har'), '--trigger', 'pb_1'], '--trigger cannot be given with --har'],
      [['--fail-on-client'], '--fail-on-client needs --har'],
      [['--update-baseline'], '--update-baseline needs --baseline'],
      [['--har', join(RECORDINGS, 'mitmproxy.har'), '--markdown', ''], '--markdown names no file.'],
      // Without a key nothing can be sent: the baseline is looked at first.
      [
        ['--baseline', join(folder, 'unknown.yaml')],
        'unknown.yaml: Entry 1 of the baseline is wrong: basis must be the id of',
      ],
      [['--baseline', join(folder, 'bad.yaml')], 'bad.yaml: Line 2 has a ": " in its value; put the value in quotes.'],
    ] as const) {
      const { status, error } = verify(BASE_URL, ...args)
      expect(status).toBe(2)
      expect(error).toContain(sentence)
    }
  })
})

describe('workflow-automation verify report', () => {
  const file = (name: string) => join(folder, name)
  const read = (name: string) => readFileSync(file(name), 'utf8')
  let reports: string[]
  beforeAll(() => {
    reports = [join(RECORDINGS, 'mitmproxy.har'), file('faulty.har')].map((har, index) => {
      writeFileSync(file(`${index}.json`), verify('--har', har, BASE_URL, '--json').out)
      return file(`${index}.json`)
    })
  })

  it('verify --json prints what report.schema.json of the package describes, and so does verify report', () => {
    const schema = JSON.parse(readFileSync(join(repository, 'generated/report.schema.json'), 'utf8'))
    const isReport = new Ajv2020({ allErrors: true }).compile(schema)
    const texts = [read('0.json'), read('1.json'), verify('report', ...reports, '--json').out]
    for (const text of texts) expect([isReport(JSON.parse(text)), isReport.errors]).toEqual([true, null])
    expect(isReport({ ...JSON.parse(read('0.json')), findings: [{}] })).toBe(false)
  })

  it('verify report fails when one of its reports does, and counts the requests and the coverage of all', () => {
    const { status, out } = verify('report', ...reports)
    expect(status).toBe(1)
    expect(out).toContain('30 recorded requests in')
    expect(out).toMatch(/^Fails 1 of the /m)
    expect(out).toContain('getRun: 200 16 times')
    expect(verify('report', file('0.json')).status).toBe(0)
  })

  it('verify report exits with 2 when its arguments are wrong', () => {
    for (const args of [[], ['--unknown']]) expect(verify('report', ...args).status).toBe(2)
  })

  it('verify report lets no text of a report control the terminal or the runner', () => {
    const evil = '2026\u001b[31m\n::error file=src/index.ts::no'
    const report = JSON.parse(read('0.json'))
    for (const field of ['startedAt', 'duration', 'requests', 'message']) {
      const changed = structuredClone(report)
      Object.assign(field === 'message' ? changed.findings[0] : changed, { [field]: evil, outcome: 'fail' })
      writeFileSync(file('evil.json'), JSON.stringify(changed))
      const { out, error } = verify('report', file('evil.json'), '--github')
      expect(out + error).not.toContain('\u001b')
      expect(out + error).not.toMatch(/^::error file/m)
    }
  })

  it('verify report writes Markdown, SARIF, JUnit and HTML', () => {
    const formats = ['markdown', 'sarif', 'junit', 'html'].flatMap((name) => [`--${name}`, file(`report.${name}`)])
    expect(verify('report', ...reports, ...formats).status).toBe(1)
    expect(read('report.markdown')).toMatch(/^#.*\n[\s\S]*S08/)
    const [{ results }] = JSON.parse(read('report.sarif')).runs
    expect(results.map(({ ruleId, level }: { ruleId: string; level: string }) => `${ruleId} ${level}`)).toContain(
      'S08 error',
    )
    expect(read('report.junit')).toContain('<failure type="fail"')
    expect(read('report.html')).toContain('<!doctype html>')
  })

  it('verify --min-coverage fails when fewer of the properties were seen, and says how many were', () => {
    const { status, error } = verify('report', file('0.json'), '--min-coverage', '100')
    expect(status).toBe(1)
    expect(error).toMatch(/^\d+ % of the properties of the contract were seen, and --min-coverage asks for 100 %\.\n$/)
    expect(verify('report', file('0.json'), '--min-coverage', '10').status).toBe(0)
    expect(verify('report', file('0.json'), '--min-coverage', 'all')).toMatchObject({
      status: 2,
      error: expect.stringContaining('It must be a number from 0 to 100.'),
    })
  })

  it('verify annotates failures and adds to the summary of the job in GitHub Actions, or with --github', () => {
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file('summary.md') }
    expect(verifyWith(env, 'report', ...reports).error).toMatch(/^::error /m)
    expect(read('summary.md')).toContain('S08')
    expect(verifyWith(env, 'report', ...reports, '--no-github').error).toBe('')
    expect(verify('report', ...reports).error).toBe('')
    expect(verify('report', ...reports, '--github').error).toMatch(/^::error /m)
  })

  it('verify report exits with 2 and says what is no report', () => {
    writeFileSync(file('none.json'), '{}')
    expect(verify('report', file('none.json'))).toMatchObject({
      status: 2,
      error: expect.stringContaining('none.json is no report of this version of verify. Write one with verify --json'),
    })
  })
})
