import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { listen, type SandboxServer } from '../../../src/tools/sandbox/port/index.js'
import { alike, CLI, command, start } from '../../cli/command.js'
import { aMoment } from '../../support/clock.js'
import { VERSION } from '../../support/fixtures.js'

let server: SandboxServer
let folder: string
let closed: string
/** A service whose every response is wrong, which makes a report longer than the buffer of a pipe. */
let broken: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'verify-'))
  server = await listen(createSandbox({ plan: false }))
  const other = await listen(createSandbox())
  closed = other.baseUrl
  await other.close()
  broken = (await alike({ long: 'x'.repeat(4_000) })).baseUrl
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await server.close()
})

const KEYS = { WORKFLOW_API_KEY: 'key_valid', READ_ONLY: 'key_read_only', OTHER: 'key_nobody' }

const verify = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  command(['verify', ...args, '--depth', 'quick'], { env: { ...KEYS, ...env } })

/** Addresses that are known only when the test runs. */
const ADDRESSES: Record<string, () => string> = { SERVER: () => server.baseUrl, CLOSED: () => closed }

describe('workflow-automation verify', () => {
  it('verify announces its requests, prints the table without colour, writes the report files and exits with 0', async () => {
    const [junit, html] = [join(folder, 'report.xml'), join(folder, 'report.html')]
    const outputs = ['--junit', junit, '--html', html]
    const { printed, ended } = verify([server.baseUrl, '--read-only-key-env', 'READ_ONLY', ...outputs])
    expect(await ended).toBe(0)
    expect(printed.error).toMatch(
      /^Checking http:\S+ with about \d+ requests, at most \d+, in a few seconds\.\nNothing is triggered: .+\nNo plan is named: .+\nLeft out at the depth quick, .+\n$/,
    )
    expect(printed.out).toMatch(/\nKeeps to the contract; \d+ of \d+ entries of the register were exercised\.\n/)
    expect(printed.out).toContain('More is exercised with --trigger, --run, --rate-limit')
    expect(printed.out).not.toContain('\u001b')
    expect(printed.out).not.toContain('…')
    expect(readFileSync(junit, 'utf8')).toContain('<testcase classname="contract.stated" name="S25 ')
    expect(readFileSync(html, 'utf8')).toContain('<title>Keeps to the contract')
  })

  it('verify --operation checks what exists of a service', async () => {
    const { printed, ended } = verify([server.baseUrl, '--operation', 'listProviders', '--json'])
    expect(await ended).toBe(0)
    const { coverage, findings } = JSON.parse(printed.out)
    const called = coverage.filter(({ responses }: { responses: { times: number }[] }) =>
      responses.some(({ times }) => times),
    )
    expect(called.map(({ operation }: { operation: string }) => operation)).toEqual(['listProviders'])
    expect(findings).toContainEqual(expect.objectContaining({ basis: 'S17', outcome: 'not-exercised' }))
  })

  it('verify prints colour with FORCE_COLOR', async () => {
    const { printed, ended } = verify([server.baseUrl, '--quiet'], { FORCE_COLOR: '1' })
    expect(await ended).toBe(0)
    expect(printed.out).toContain('\u001b[32m')
    expect(printed.error).toBe('')
  })

  it('verify follows a run, and still prints its report when it is interrupted', async () => {
    const sandbox = createSandbox({ progress: 'clock' })
    const slow = await listen(sandbox)
    const { child, printed, ended } = verify([slow.baseUrl, '--trigger', sandbox.playbooks.slow, '--input', 'month=11'])
    while (sandbox.requests().at(-1)?.operation !== 'getRun' || sandbox.state.workspaces[0]?.runs.length !== 3)
      await aMoment()
    expect(sandbox.state.workspaces[0]?.runs[1]?.inputs).toEqual({ month: '11' })
    child.kill('SIGINT')
    expect(await ended).toBe(2)
    expect(printed.out).toContain('Not everything was checked. It was interrupted.')
    expect(printed.out).toContain('Keeps to the contract as far as it was checked')
    await slow.close()
  })

  it.each([
    ['SIGINT', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
  ] as const)(
    'verify still prints and writes its report when %s is followed by %s, as terminals and timeout do',
    async (first, second) => {
      let asked = () => {}
      const isAsked = new Promise<void>((resolve) => {
        asked = resolve
      })
      const listProviders = () => {
        asked()
        return new Promise<never>(() => {})
      }
      const silent = await listen(createSandbox({ plan: false, handlers: { listProviders } }))
      const junit = join(folder, `${second}.xml`)
      const { child, printed, ended } = verify([silent.baseUrl, '--json', '-q', '--junit', junit])
      await isAsked
      child.kill(first)
      await aMoment()
      child.kill(second)
      expect(await ended).toBe(2)
      expect(JSON.parse(printed.out)).toMatchObject({ complete: false })
      expect(readFileSync(junit, 'utf8')).toContain('</testsuites>')
      await silent.close()
    },
  )

  it.skipIf(process.platform === 'win32')(
    'verify ends at once by a signal that comes long after the first one',
    async () => {
      const pipe = join(folder, 'pipe')
      spawnSync('mkfifo', [pipe])
      const { child } = verify([`http://localhost${VERSION}`, '--har', pipe])
      const exit = once(child, 'exit')
      // Opens when the command does, which then waits for what it is to read.
      const writer = await open(pipe, 'w')
      const again = setInterval(() => child.kill('SIGINT'), 50)
      expect(await exit).toEqual([null, 'SIGINT'])
      clearInterval(again)
      await writer.close()
    },
  )

  it('verify --json exits with 1 when an entry fails, and prints the whole of a long report, and only JSON, to a slow reader', async () => {
    const { child, printed, ended } = verify([broken, '--json'])
    child.stdout.pause()
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    child.stdout.resume()
    expect(await ended).toBe(1)
    expect(printed.out.length).toBeGreaterThan(100_000)
    const report = JSON.parse(printed.out)
    expect(report).toMatchObject({ passed: false, complete: true })
    expect(printed.out + printed.error).not.toContain('key_valid')
  })

  it.each(['stdout', 'stderr'] as const)(
    'verify exits without an error when the reader of its %s closes the pipe',
    async (stream) => {
      const { child, printed, ended } = verify([broken, '--json'])
      child[stream].destroy()
      expect(await ended).toBe(1)
      expect(printed.error).not.toMatch(/EPIPE|\n +at /)
      if (stream === 'stderr') expect(JSON.parse(printed.out)).toMatchObject({ passed: false })
    },
  )

  // /dev/full, which Linux has, is a disk without space.
  it.skipIf(!existsSync('/dev/full'))('verify says that the output cannot be written, and exits with 2', async () => {
    const redirected = `${JSON.stringify(process.execPath)} "$@" > /dev/full`
    const args = ['-c', redirected, 'sh', CLI, 'verify', server.baseUrl, '--json', '-q', '--depth', 'quick']
    const { printed, ended } = start('sh', args, { env: KEYS })
    expect(await ended).toBe(2)
    expect(printed.error).toMatch(/^The output could not be written: .*ENOSPC.*\n$/)
  })

  it.each([
    ['a SIGTERM that reaches only npx', 'SIGTERM', false],
    ['Ctrl-C, which reaches npx and all that it started', 'SIGINT', true],
  ] as const)('verify leaves no process behind after %s', async (_, signal, wholeGroup) => {
    const silent = await alike()
    const line = `node dist/src/tools/cli/index.js verify ${silent.baseUrl} --timeout 300`
    const { child, ended } = start('npx', ['--no-install', '-c', line], { env: KEYS, detached: true })
    const { pid } = child
    if (pid === undefined) throw new Error('There is no npx.')
    await once(silent.server, 'request')
    process.kill(wholeGroup ? -pid : pid, signal)
    // Its pipes are closed when the last process that has them ends.
    await ended
  })

  it.concurrent.each([
    [['CLOSED'], {}, 'Nothing listens at http://127.0.0.1:'],
    [['nowhere'], {}, 'The base URL has to be complete'],
    [[`http://verify.invalid${VERSION}`], {}, '\nKeys are sent to http://verify.invalid in clear text, for others'],
    [[], {}, "missing required argument 'base-url'"],
    [['SERVER'], { WORKFLOW_API_KEY: '' }, 'The environment variable WORKFLOW_API_KEY is not set, or is empty.'],
    [['SERVER', '--key-env', 'OTHER'], {}, 'responded to every request with 401'],
    [['SERVER', '--max-wait', 'long'], {}, 'a number of seconds above 0'],
    [['CLOSED', '--html', '/nowhere/report.html'], {}, '/nowhere is not a writable folder'],
    [['SERVER', '--operation', 'listProvider'], {}, 'The contract has no such operation. It has: getCurrentWorkspace'],
    [['SERVER', '--operation', 'getRun', '--har', 'recording.har'], {}, '--operation cannot be given with --har'],
    [[`https://workflow-automation.invalid${VERSION}`], { HTTPS_PROXY: 'http://127.0.0.1:9' }, 'NODE_USE_ENV_PROXY=1'],
    [['SERVER', '--run', 'nope'], {}, 'There is no such run: the service responded with 404. Check --run.'],
    [
      ['SERVER', '--trigger', 'nope'],
      {},
      'There is no such playbook: the service responded with 404. Check --trigger.',
    ],
    [['SERVER', '--html', 'openapi'], {}, 'it is a folder. Name a file in it.'],
    [['SERVER', '--input', 'month=11'], {}, '--input needs --trigger: only a run has inputs.'],
    [['SERVER', '--fail-on', 'anything'], {}, 'Allowed choices are contradicted.'],
    [['SERVER', '--fail-on-client'], {}, '--fail-on-client needs --har'],
    [['SERVER', '--update-baseline'], {}, '--update-baseline needs --baseline'],
  ])('verify exits with 2 and a reason for %j %j', async (args, env, reason) => {
    const { printed, ended } = verify(
      args.map((each) => ADDRESSES[each]?.() ?? each),
      env,
    )
    expect(await ended).toBe(2)
    expect(printed.error).toContain(reason)
    expect(printed.error).not.toMatch(/key_|\n +at /)
  })
})
