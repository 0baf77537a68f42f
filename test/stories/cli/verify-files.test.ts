import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../cli/command.js'
import { RECORDED_AT, folder as recordings } from '../../conformance/traffic/recording.js'
import { repository } from '../../support/project.js'

const RECORDED = join(recordings, 'mitmproxy.har')
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
    const { status, out } = await verifyHar(join(recordings, 'playwright-attach/recording.har'))
    expect(status).toBe(0)
    expect(out).toContain('15 recorded requests in')
    expect(out).toContain('  getRun: 200 8 times; 404 1 time; never 400, 401, 403, 429, 500')
    expect(out).not.toContain('without a body')
  })

  it('verify --har passes with the baseline that it wrote, and fails as stale once the failure is fixed', async () => {
    const [har, known] = [file('faulty.har'), ['--baseline', file('known.json')]]
    expect((await verifyHar(har)).status).toBe(1)
    expect(await verifyHar(har, ...known)).toMatchObject({
      status: 2,
      error: `There is no ${file('known.json')}. Give --update-baseline as well to write it.\n`,
    })
    expect((await verifyHar(har, ...known, '--update-baseline')).status).toBe(0)
    expect(JSON.parse(read('known.json'))).toMatchObject([
      { basis: 'S08', operation: 'getRun', reason: expect.stringMatching(/^Written on .*, say why: /) },
    ])
    // Editors on Windows begin a file with a byte order mark.
    writeFileSync(file('known.json'), `\uFEFF${read('known.json')}`)
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
    const known = ['--baseline', file('both.json')]
    expect((await verifyHar(both, ...known, '--update-baseline')).status).toBe(0)
    expect((await verifyHar(both, ...known)).status).toBe(0)
    const { status } = await verifyHar(both, ...known, '--fail-on', 'contradicted', '--junit', file('both.xml'))
    expect(status).toBe(1)
    expect(read('both.xml')).toContain('<failure type="contradicted"')
    expect(read('both.xml')).not.toContain('<failure type="fail"')
  })

  it('verify --har refuses a file that is too large, and the command that it gives cuts it', async () => {
    writeFileSync(file('huge.har'), '')
    truncateSync(file('huge.har'), 600e6)
    const { status, error } = await verifyHar(file('huge.har'))
    expect(status).toBe(2)
    expect(error).toBe(
      `The recording has 600 MB, and at most 536 MB can be read. Keep only the requests to the service: jq '.log.entries |= map(select(.request.url | startswith("${RECORDED_AT}")))' recording.har > smaller.har\n`,
    )
  })

  // Without a key nothing can be sent: files and options are looked at first.
  it.concurrent.each([
    [['--har', 'none.har'], 'ENOENT'],
    [['--har', RECORDED, '--trigger', 'pb_1'], '--trigger cannot be given with --har'],
    [['--har', RECORDED, '--markdown', ''], '--markdown names no file.'],
    [
      ['--baseline', 'unknown.json'],
      'unknown.json: Entry 1 of the baseline is wrong: basis must be the id of',
      '[{ "basis": "S99", "reason": "x" }]',
    ],
    [
      ['--baseline', 'known.yaml'],
      'known.yaml: it is not JSON. A baseline in YAML is converted with: npx yaml --json --single < baseline.yaml > baseline.json',
      '- basis: S08\n  reason: a b\n',
    ],
  ])('verify exits with 2 and names the faulty file or option of %j', async (args, sentence, content?: string) => {
    const [option = '', name = '', ...others] = args
    if (content) writeFileSync(file(name), content)
    const { status, error } = await verify(RECORDED_AT, option, name.includes('/') ? name : file(name), ...others)
    expect(status).toBe(2)
    expect(error).toContain(sentence)
  })
})

describe('the report of workflow-automation verify', () => {
  const good = () => verify('--har', RECORDED, RECORDED_AT)
  const faulty = (...args: string[]) => verify('--har', file('faulty.har'), RECORDED_AT, ...args)

  it('verify --json prints what report.schema.json of the package describes', async () => {
    const schema = JSON.parse(readFileSync(join(repository, 'generated/report.schema.json'), 'utf8'))
    const isReport = new Ajv2020({ allErrors: true }).compile(schema)
    const report = JSON.parse((await faulty('--json')).out)
    expect([isReport(report), isReport.errors]).toEqual([true, null])
    expect(isReport({ ...report, findings: [{}] })).toBe(false)
  })

  it('verify writes Markdown, JUnit and HTML beside what it prints', async () => {
    const formats = ['markdown', 'junit', 'html'].flatMap((name) => [`--${name}`, file(`report.${name}`)])
    const { status, out, error } = await faulty(...formats)
    expect(status).toBe(1)
    expect(out).toMatch(/^Fails 1 of the /m)
    expect(error).toBe('')
    expect(read('report.markdown')).toMatch(/^#.*\n[\s\S]*S08/)
    expect(read('report.junit')).toContain('<failure type="fail"')
    expect(read('report.html')).toContain('<!doctype html>')
  })

  it('verify --min-coverage fails when fewer of the properties were seen, and says how many were', async () => {
    const covering = (percent: string) => verify('--har', RECORDED, RECORDED_AT, '--min-coverage', percent)
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
    const onGithub = (...args: string[]) => verifyWith(env, '--har', file('faulty.har'), RECORDED_AT, ...args)
    expect((await onGithub()).error).toMatch(/^::error /m)
    expect(read('summary.md')).toContain('S08')
    expect((await onGithub('--no-github')).error).toBe('')
    expect((await faulty('--github')).error).toMatch(/^::error /m)
    expect((await good()).error).toBe('')
  })
})
