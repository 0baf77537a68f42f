import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createSandbox, type DefaultKey, type DefaultPlaybook, type Sandbox } from '../../../src/tools/sandbox/index.js'
import { listen, type SandboxServer } from '../../../src/tools/sandbox/port/index.js'
import { CLI, command, run, start } from '../../cli/command.js'
import { listOf, runOf } from '../../support/fixtures.js'
import { type Handler, serve } from '../../support/server.js'

let sandbox: Sandbox<DefaultKey, DefaultPlaybook>
let server: SandboxServer
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'screen-'))
})
afterAll(() => rmSync(folder, { recursive: true }))
beforeEach(async () => {
  sandbox = createSandbox({ plan: false })
  server = await listen(sandbox)
})
afterEach(() => server.close())

const envOf = (baseUrl = server.baseUrl) => ({ WORKFLOW_BASE_URL: baseUrl, WORKFLOW_API_KEY: 'key_valid' })
/** Runs a line of bash in which `cli` is the command. */
async function shell(line: string, env: NodeJS.ProcessEnv = envOf()) {
  const { ended, printed } = start('bash', ['-c', `cli() { ${process.execPath} ${CLI} "$@"; }; ${line}`], { env })
  return { status: await ended, ...printed }
}
/** Runs the command in a pseudo-terminal: what it wrote, its exit code, and standard error if the terminal was lost. */
const inTerminal = (
  size: [columns: number, rows: number],
  args: string[],
  env: NodeJS.ProcessEnv = {},
  what = 'read',
) =>
  new Promise<{ status: number; out: string; error: string }>((resolve) => {
    const pty = [join(import.meta.dirname, 'in_terminal.py'), ...size.map(String), what, process.execPath, CLI, ...args]
    const all = { ...process.env, ...envOf(), CI: '', NO_COLOR: '', TERM: 'xterm', ...env }
    const child = execFile('python3', pty, { env: all }, (_, out, error) =>
      resolve({ status: child.exitCode ?? 1, out, error }),
    )
  })

/** ESC, OSC, C1, bidirectional, zero-width and line separators, and a line break. */
const HOSTILE = 'a\u001b[2J\u001b]0;t\u0007b\u009b31m\u202ec\u2066d\u061ce\u200ef\u2028g\u200bh\ufeffi\nforged'
const RAW = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069\u061c\u200e\u200f\u2028\u2029\u200b\ufeff]|^forged/mu
/** The client refuses a run of another id. */
const idIn = (url: string) => decodeURIComponent(url.replace(/.*\//, ''))
const hostileRun = (status: string) => ({
  ...runOf({ id: HOSTILE, status }),
  playbook_id: HOSTILE,
  started_at: HOSTILE,
  steps: [{ id: HOSTILE, status: HOSTILE, capability: HOSTILE, [HOSTILE]: HOSTILE }],
})
const item = { id: HOSTILE, name: HOSTILE, description: HOSTILE, [HOSTILE]: HOSTILE }
const SUCCESSES: Handler = ({ method, url }) => {
  if (method === 'POST') return { status: 201, body: hostileRun('running') }
  if (url.includes('/runs/')) return { body: { ...hostileRun('succeeded'), id: idIn(url) } }
  if (url.includes('/workspaces')) return { body: item }
  return { body: listOf([item]) }
}
const ERRORS: Handler = ({ method }) => ({
  status: method === 'POST' ? 400 : 404,
  body: { error: HOSTILE, message: HOSTILE },
})
/** A page of a gateway, and a redirect: errors that quote a body or a header. */
const PAGES: Handler = () => ({ status: 200, body: `<html>${HOSTILE}` })
const UNKNOWN: Handler = ({ method, url }) =>
  method === 'POST' ? { status: 201, body: hostileRun('running') } : { body: { ...hostileRun(HOSTILE), id: idIn(url) } }

describe('a text of the service', () => {
  const COMMANDS = [
    'whoami',
    'playbooks',
    'providers',
    'run run_1',
    'wait run_1 --timeout 1s',
    'trigger pb_1',
    'trigger pb_1 --until approval --timeout 1s',
  ]
  const OPTIONS = [[], ['--quiet'], ['--json']]
  it.each(COMMANDS)('%s prints nothing of it raw, on either stream', async (command) => {
    const args = command.split(' ')
    const prints = Object.entries({ SUCCESSES, ERRORS, PAGES, UNKNOWN }).map(async ([name, handler], row) => {
      // Each command meets each option, and several commands each response with each option.
      const options = OPTIONS[(row + COMMANDS.indexOf(command)) % OPTIONS.length]!
      const { baseUrl } = await serve(handler)
      const { out, error } = await run([...args, ...options], { env: envOf(baseUrl) })
      const raw = RAW.exec(out) ?? RAW.exec(error)
      return { name, options, isSilent: out + error === '', raw: raw && JSON.stringify(raw.input) }
    })
    expect((await Promise.all(prints)).filter(({ raw, isSilent }) => raw || isSilent)).toEqual([])
  })

  it.each([
    ['verify', ['--depth', 'quick', '--trigger', 'pb_1', '--max-wait', '1']],
    ['verify', ['--depth', 'quick', '--json']],
    ['verify', ['--depth', 'quick', '--github']],
  ])('%s %j prints nothing raw', async (name, options) => {
    for (const handler of [SUCCESSES, ERRORS]) {
      const { baseUrl } = await serve(handler)
      const { out, error } = await run([name, baseUrl, ...options], { env: envOf(baseUrl) })
      expect(out + error).not.toMatch(RAW)
    }
  })

  it('nor does the line for a request of a client, a wrong argument, or the report on a command', async () => {
    const { until, printed, child } = command(['sandbox', '--port', '0'])
    const [, url] = await until(/curl (http\S+)\/playbooks/)
    await fetch(`${url}/playbooks/${encodeURIComponent(HOSTILE)}`)
    await until(/ms\n/)
    child.kill('SIGTERM')
    expect(printed.out).not.toMatch(RAW)
    for (const args of [
      [HOSTILE],
      ['run'],
      ['playbooks', '--limit', HOSTILE],
      ['docs', HOSTILE],
      ['run', '1', HOSTILE],
    ])
      expect((await run(args, { env: envOf() })).error).not.toMatch(/(?!\n)[\p{Cc}\u202e\u2066\u200b]/u)
    const send = `fetch(process.env.WORKFLOW_BASE_URL + '/playbooks/' + encodeURIComponent(${JSON.stringify(HOSTILE)}) + '/runs', { method: 'POST', body: ${JSON.stringify(HOSTILE)} })`
    expect((await run(['sandbox', '--', process.execPath, '-e', send])).error).not.toMatch(RAW)
  })

  it('a redrawn run has no escape sequence but those of the redraw, and joined emoji stay', async () => {
    const { baseUrl } = await serve(() => ({
      body: { ...hostileRun('succeeded'), id: 'run_1', steps: [{ id: '👩‍💻', status: HOSTILE }] },
    }))
    const { out } = await inTerminal([400, 24], ['wait', 'run_1'], envOf(baseUrl))
    const others = out.replaceAll('\u001b', 'ESC').replaceAll(/ESC\[(\d+A|2K|J)/g, '')
    expect(others.replaceAll('\r\n', '\n')).not.toMatch(/ESC|(?!\n)\p{Cc}|\u202e/u)
    expect(out).toContain('  👩‍💻  ')
  })

  it('--json escapes what is not visible, and can be read back', async () => {
    const { baseUrl } = await serve(SUCCESSES)
    const { out } = await run(['whoami', '--json'], { env: envOf(baseUrl) })
    expect(out).toContain('\\u202e')
    expect(JSON.parse(out).name).toBe(HOSTILE)
  })
})

describe('the size of a terminal', () => {
  it('0 columns cut nothing, and 0 rows give lines', async () => {
    for (const size of [
      [0, 0],
      [0, 24],
      [80, 0],
    ] as [number, number][]) {
      const { out } = await inTerminal(size, ['trigger', sandbox.playbooks.succeeds, '--wait'])
      expect(out).not.toContain('\u001b')
      expect(out).toMatch(/\nrun run_\w+ {2}succeeded\r\n/)
    }
    expect((await inTerminal([0, 0], ['playbooks'])).out).not.toContain('…')
  })

  it('a run that has more lines than the terminal shows how it ended', async () => {
    const steps = Array.from({ length: 9 }, (_, index) => ({ id: `step_${index}`, status: 'succeeded' }))
    const { baseUrl } = await serve(() => ({ body: { ...runOf({ id: 'run_1', status: 'succeeded' }), steps } }))
    const { out } = await inTerminal([80, 5], ['wait', 'run_1'], { WORKFLOW_BASE_URL: baseUrl })
    const last = out.slice(out.lastIndexOf('run run_1'))
    expect(last).toMatch(/^run run_1 {2}succeeded .*\r\n[\s\S]*step_8/)
    expect(last.split('\r\n').length).toBeLessThanOrEqual(5)
  })

  it('wide letters take two columns: no line wraps, and columns stay aligned', async () => {
    const wide = {
      ...runOf({ id: 'run_1', status: 'succeeded' }),
      steps: [{ id: '注文を確認する'.repeat(4), status: 'succeeded' }],
    }
    const items = [
      { id: '注文', name: 'Order' },
      { id: 'order', name: 'Order' },
    ]
    const { baseUrl } = await serve(({ url }) => ({ body: url.includes('/runs/') ? wide : listOf(items) }))
    const { out } = await inTerminal([40, 24], ['wait', 'run_1'], envOf(baseUrl))
    expect(out).toMatch(/K {2}(注文を確認する){2}注文を確…\r\n/)
    expect((await run(['playbooks'], { env: envOf(baseUrl) })).out).toBe('注文   Order\norder  Order\n')
  })

  it('CI=false is not CI', async () => {
    const args = ['trigger', sandbox.playbooks.succeeds, '--wait']
    expect((await inTerminal([80, 24], args, { CI: 'false' })).out).toContain('\u001b[2K')
    expect((await inTerminal([80, 24], args, { CI: 'true' })).out).not.toContain('\u001b')
  })
})

describe('a standard output that cannot be written', () => {
  const trigger = (name: 'succeeds' | 'fails') => `cli trigger ${sandbox.playbooks[name]}`

  it.each([
    ['a full disk', '> /dev/full', 'ENOSPC'],
    ['a file that may not grow', `> "$FILE"`, 'EFBIG'],
  ])('%s: trigger says which run was started and exits with 5, never with 2', async (_, to, code) => {
    const env = { ...envOf(), FILE: join(folder, 'limited') }
    const limit = code === 'EFBIG' ? 'ulimit -f 0; ' : ''
    for (const options of ['', '--quiet', '--json']) {
      const { status, error } = await shell(`${limit}${trigger('succeeds')} ${options} ${to}`, env)
      expect([status, error]).toEqual([5, expect.stringMatching(/^Run run_\w+ was started\.\n/)])
      expect(error).toContain(code)
    }
  })

  it('trigger --wait goes on, and ends with the code of the run, or with 5 in the place of 0', async () => {
    for (const options of ['--wait', '--wait --json', '--wait --quiet'])
      expect((await shell(`${trigger('succeeds')} ${options} > /dev/full`)).status).toBe(5)
    const { status, error } = await shell(`${trigger('fails')} --wait > /dev/full`)
    expect([status, error]).toEqual([1, expect.stringContaining('The output could not be written: ENOSPC')])
    expect((await shell(`${trigger('fails')} --wait --json > /dev/full`)).status).toBe(1)
  })

  // Node 20 itself aborts when it cannot restore a terminal that is gone, after the command has ended.
  it('a terminal that is lost is the same', async () => {
    const args = ['trigger', sandbox.playbooks.succeeds, '--wait']
    const { status, error } = await inTerminal([80, 24], args, {}, 'lose=Triggered')
    expect([5, 134]).toContain(status)
    expect(error).toContain('The output could not be written')
  })

  it.each(['whoami', 'playbooks', 'run run_8Zt4Lm2c', 'docs', '--help', 'whoami --json'])(
    '%s exits with 2 and the reason',
    async (args) => {
      const { status, error } = await shell(`cli ${args} > /dev/full`)
      expect([status, error]).toEqual([2, 'The output could not be written: ENOSPC: no space left on device, write.\n'])
    },
  )

  it('verify --html where no file can grow leaves no part of a file, and says which one', async () => {
    const reports = mkdtempSync(join(folder, 'reports-'))
    const line = `ulimit -f 0; cli verify ${server.baseUrl} --depth quick --quiet --html ${reports}/report.html`
    const { status, error } = await shell(line)
    expect([status, error]).toEqual([2, `${reports}/report.html cannot be written: EFBIG: file too large, write.\n`])
    expect(readdirSync(reports)).toEqual([])
  })

  const canMount = (() => {
    try {
      execFileSync('bash', [
        '-c',
        `mkdir -p ${tmpdir()}/m && mount -t tmpfs none ${tmpdir()}/m && umount ${tmpdir()}/m`,
      ])
      return true
    } catch {
      return false
    }
  })()
  it.runIf(canMount)('verify --html with its output on the same full disk leaves no part of a file', async () => {
    const disk = mkdtempSync(join(folder, 'disk-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', disk])
    try {
      writeFileSync(join(disk, 'used'), 'x'.repeat(60_000))
      const line = `cli verify ${server.baseUrl} --depth quick --html ${disk}/report.html > ${disk}/out`
      const { status, error } = await shell(line)
      expect([status, error]).toEqual([2, expect.not.stringContaining('The check failed')])
      expect(readdirSync(disk).sort()).toEqual(['out', 'used'])
    } finally {
      execFileSync('umount', [disk])
    }
  })
})

describe('a reader that leaves', () => {
  const head = (line: string) => shell(`${line} | head -1; echo "code \${PIPESTATUS[0]}" >&2`)

  it('lists and run exit with 0', async () => {
    const many = Array.from({ length: 20_000 }, (_, at) => ({ id: `pb_${at}`, name: 'n' }))
    const { baseUrl } = await serve(() => ({ body: listOf(many) }))
    expect((await shell(`cli playbooks | head -1; echo \${PIPESTATUS[0]}`, envOf(baseUrl))).out).toMatch(
      /^pb_0 .*\n0\n$/,
    )
    expect((await head('cli run run_8Zt4Lm2c')).error).toBe('code 0\n')
  })

  it('wait stops polling, says how to resume, and exits with 3', async () => {
    const waiting = shell(`cli wait run_slow --timeout 60s | head -1; echo "code \${PIPESTATUS[0]}" >&2`, envOf(slow()))
    const { out, error } = await waiting
    expect(out).toBe('run run_slow  running\n')
    expect(error).toMatch(/has left\. The run continues\. Resume waiting: npx \S+ wait run_slow.*\ncode 3\n$/)
    expect(polls).toBeLessThan(8)
  })

  it('trigger --wait goes on, and its exit code counts', async () => {
    const { error } = await head(`cli trigger ${sandbox.playbooks.fails} --wait`)
    expect(error).toMatch(/code 1\n$/)
    expect((await head(`cli trigger ${sandbox.playbooks.succeeds} --wait`)).error).toMatch(/code 0\n$/)
  })

  it('trigger into a pipe that nobody reads names the run on standard error, and exits with 5', async () => {
    const { error } = await shell(
      `mkfifo ${folder}/pipe; exec 4<>${folder}/pipe 5>${folder}/pipe 4<&-; cli trigger ${sandbox.playbooks.succeeds} -q >&5; echo "code $?" >&2`,
    )
    expect(error).toMatch(/^Run run_\w+ was started\.\ncode 5\n$/)
  })

  let polls = 0
  /** A service whose run has a new step with each poll, and never ends by itself before the 60th. */
  let address = ''
  beforeEach(async () => {
    polls = 0
    const { baseUrl } = await serve(() => {
      polls++
      const steps = Array.from({ length: polls }, (_, at) => ({ id: `step_${at}`, status: 'running' }))
      return { body: { ...runOf({ id: 'run_slow', status: polls < 60 ? 'running' : 'succeeded' }), steps } }
    })
    address = baseUrl
  })
  const slow = () => address
})

describe('signals', () => {
  const canUnshare = (() => {
    try {
      execFileSync('unshare', ['--pid', '--fork', 'true'], { stdio: 'pipe' })
      return true
    } catch {
      return false
    }
  })()
  it.runIf(canUnshare).each([
    [['whoami'], 'SIGTERM', 143],
    [['run', 'run_1'], 'SIGINT', 130],
    [['providers'], 'SIGTERM', 143],
  ] as const)('%j as process 1 of a container ends with %s', async (args, signal, status) => {
    const silent = await serve(() => undefined)
    const inner = start('unshare', ['--pid', '--fork', '--kill-child', process.execPath, CLI, ...args], {
      env: envOf(silent.baseUrl),
    })
    await expect.poll(() => silent.seen.length, { timeout: 20_000 }).toBe(1)
    const children = readFileSync(`/proc/${inner.child.pid}/task/${inner.child.pid}/children`, 'utf8').trim()
    process.kill(Number(children), signal)
    expect(await inner.ended).toBe(status)
  })
})
