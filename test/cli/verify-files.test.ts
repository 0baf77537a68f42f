import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pathOf, RECORDED_AT } from '../recorded/recordings.js'
import { repository } from '../support/project.js'
import { run } from './command.js'

const RECORDED = pathOf('mitmproxy.har')
let folder: string
const file = (name: string) => join(folder, name)
const read = (name: string) => readFileSync(file(name), 'utf8')
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'verify-'))
  // Times without a zone, which is no form of UTC.
  writeFileSync(file('faulty.har'), readFileSync(RECORDED, 'utf8').replaceAll('09:30:00Z', '09:30:00'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const verifyWith = (env: Record<string, string>, ...args: string[]) =>
  run(['verify', ...args], { env: { WORKFLOW_API_KEY: '', NO_COLOR: '1', ...env } })
const verify = (...args: string[]) => verifyWith({}, ...args)

describe('workflow-automation verify --har', () => {
  const verifyHar = (har: string, ...args: string[]) => verify('--har', har, RECORDED_AT, ...args)

  it('verify --har reads the bodies stored beside the recording, needs no key and exits with 0', async () => {
    const { status, out } = await verifyHar(pathOf('playwright-attach/recording.har'))
    expect(status).toBe(0)
    expect(out).toContain('15 recorded requests in')
    expect(out).toContain('  getRun: 200 8 times; 404 1 time; never 400, 401, 403, 429, 500')
    expect(out).not.toContain('without a body')
  })

  it('verify --har passes with the baseline that it wrote, and fails as stale once the failure is fixed', async () => {
    const [har, known] = [file('faulty.har'), ['--baseline', file('known.yaml')]]
    expect((await verifyHar(har)).status).toBe(1)
    expect(await verifyHar(har, ...known)).toMatchObject({
      status: 2,
      error: `There is no ${file('known.yaml')}. Give --update-baseline as well to write it.\n`,
    })
    expect((await verifyHar(har, ...known, '--update-baseline')).status).toBe(0)
    expect(read('known.yaml')).toMatch(/^# Failures that are known[\s\S]*\n- basis: S08\n {2}operation: getRun\n/)
    expect(await verifyHar(har, ...known)).toMatchObject({ status: 0, out: expect.stringContaining('Known 1') })
    expect(await verifyHar(RECORDED, ...known)).toMatchObject({
      status: 1,
      out: expect.stringMatching(/stale or expired/),
    })
  })

  it('verify --har --fail-on contradicted fails on contradicted entries, with a baseline too, which covers failures only', async () => {
    const recorded = readFileSync(RECORDED, 'utf8')
    const [har, both] = [file('contradicted.har'), file('both.har')]
    const contradicted = recorded.replaceAll('application/json', 'application/vnd.service+json')
    writeFileSync(har, contradicted)
    writeFileSync(both, contradicted.replaceAll('09:30:00Z', '09:30:00'))
    expect((await verifyHar(har)).status).toBe(0)
    const strict = await verifyHar(har, '--fail-on', 'contradicted')
    expect(strict.status).toBe(1)
    expect(strict.out).toMatch(/^Contradicts \d+ of the observed or assumed entries; /m)
    const known = ['--baseline', file('both.yaml')]
    expect((await verifyHar(both, ...known, '--update-baseline')).status).toBe(0)
    expect((await verifyHar(both, ...known)).status).toBe(0)
    const { status } = await verifyHar(both, ...known, '--fail-on', 'contradicted', '--junit', file('both.xml'))
    expect(status).toBe(1)
    expect(read('both.xml')).toContain('<failure type="contradicted"')
    expect(read('both.xml')).not.toContain('<failure type="fail"')
  })

  // Without a key nothing can be sent: files and options are looked at first.
  it.concurrent.each([
    [['--har', 'none.har'], 'ENOENT'],
    [['--har', RECORDED, '--trigger', 'pb_1'], '--trigger cannot be given with --har'],
    [['--har', RECORDED, '--markdown', ''], '--markdown names no file.'],
    [
      ['--baseline', 'unknown.yaml'],
      'unknown.yaml: Entry 1 of the baseline is wrong: basis must be the id of',
      '- basis: S99\n  reason: x\n',
    ],
    [
      ['--baseline', 'bad.yaml'],
      'bad.yaml: Line 2 has a ": " in its value; put the value in quotes.',
      '- basis: S08\n  reason: a: b\n',
    ],
  ])('verify exits with 2 and names the faulty file or option of %j', async (args, sentence, content?: string) => {
    const [option = '', name = '', ...others] = args
    if (content) writeFileSync(file(name), content)
    const { status, error } = await verify(RECORDED_AT, option, name.includes('/') ? name : file(name), ...others)
    expect(status).toBe(2)
    expect(error).toContain(sentence)
  })
})

describe('workflow-automation verify report', () => {
  let reports: string[]
  beforeAll(async () => {
    reports = [file('0.json'), file('1.json')]
    for (const [index, har] of [RECORDED, file('faulty.har')].entries())
      writeFileSync(file(`${index}.json`), (await verify('--har', har, RECORDED_AT, '--json')).out)
  })

  it('verify --json prints what report.schema.json of the package describes, and so does verify report', async () => {
    const schema = JSON.parse(readFileSync(join(repository, 'generated/report.schema.json'), 'utf8'))
    const isReport = new Ajv2020({ allErrors: true }).compile(schema)
    const texts = [read('0.json'), read('1.json'), (await verify('report', ...reports, '--json')).out]
    for (const text of texts) expect([isReport(JSON.parse(text)), isReport.errors]).toEqual([true, null])
    expect(isReport({ ...JSON.parse(read('0.json')), findings: [{}] })).toBe(false)
  })

  it('verify report fails when one of its reports does, counts the requests and the coverage of all, and writes Markdown, SARIF, JUnit and HTML', async () => {
    const formats = ['markdown', 'sarif', 'junit', 'html'].flatMap((name) => [`--${name}`, file(`report.${name}`)])
    const { status, out, error } = await verify('report', ...reports, ...formats)
    expect(status).toBe(1)
    expect(out).toContain('30 recorded requests in')
    expect(out).toMatch(/^Fails 1 of the /m)
    expect(out).toContain('getRun: 200 16 times')
    expect(error).toBe('')
    expect(read('report.markdown')).toMatch(/^#.*\n[\s\S]*S08/)
    const [{ results }] = JSON.parse(read('report.sarif')).runs
    expect(results).toContainEqual(expect.objectContaining({ ruleId: 'S08', level: 'error' }))
    expect(read('report.junit')).toContain('<failure type="fail"')
    expect(read('report.html')).toContain('<!doctype html>')
  })

  it('verify report lets no text of a report control the terminal or the runner', async () => {
    const evil = '2026\u001b[31m\n::error file=src/index.ts::no'
    const report = JSON.parse(read('0.json'))
    Object.assign(report.findings[0], { message: evil, outcome: 'fail' })
    writeFileSync(file('evil.json'), JSON.stringify(report))
    const { out, error } = await verify('report', file('evil.json'), '--github')
    expect(out + error).not.toContain('\u001b')
    expect(out + error).not.toMatch(/^::error file/m)
    expect(out + error).toContain('::error ')
  })

  it('verify --min-coverage fails when fewer of the properties were seen, and says how many were', async () => {
    const covering = (percent: string) => verify('report', file('0.json'), '--min-coverage', percent)
    const { status, error } = await covering('100')
    expect(status).toBe(1)
    expect(error).toMatch(/^\d+ % of the properties of the contract were seen, and --min-coverage asks for 100 %\.\n$/)
    expect((await covering('10')).status).toBe(0)
    expect(await covering('all')).toMatchObject({
      status: 2,
      error: expect.stringContaining('It must be a number from 0 to 100.'),
    })
  })

  it('verify annotates failures and adds to the summary of the job in GitHub Actions, or with --github', async () => {
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: file('summary.md') }
    expect((await verifyWith(env, 'report', ...reports)).error).toMatch(/^::error /m)
    expect(read('summary.md')).toContain('S08')
    expect((await verifyWith(env, 'report', ...reports, '--no-github')).error).toBe('')
    expect((await verify('report', ...reports, '--github')).error).toMatch(/^::error /m)
  })

  it('verify report exits with 2 when its arguments are wrong, or a file is no report', async () => {
    for (const args of [[], ['--unknown']]) expect((await verify('report', ...args)).status).toBe(2)
    writeFileSync(file('none.json'), '{}')
    expect(await verify('report', file('none.json'))).toMatchObject({
      status: 2,
      error: expect.stringContaining('none.json is no report of this version of verify. Write one with verify --json'),
    })
  })
})
