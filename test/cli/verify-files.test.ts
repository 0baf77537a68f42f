import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

function verify(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['dist/src/cli/index.js', 'verify', ...args], {
    cwd: repository,
    encoding: 'utf8',
    env: { ...process.env, WORKFLOW_API_KEY: '', NO_COLOR: '1' },
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
