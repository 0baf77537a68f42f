import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { createSandbox, type DefaultKey, type DefaultPlaybook, type Sandbox } from '../../../src/tools/sandbox/index.js'
import { listen, type SandboxServer } from '../../../src/tools/sandbox/port/index.js'
import { CLI, command, run, start } from '../../cli/command.js'
import { runOf, VERSION } from '../../support/fixtures.js'
import { repository } from '../../support/project.js'
import { serve } from '../../support/server.js'

const exec = promisify(execFile)

let sandbox: Sandbox<DefaultKey, DefaultPlaybook>
let server: SandboxServer
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'terminal-'))
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(async () => {
  sandbox = createSandbox({ plan: false })
  server = await listen(sandbox)
})
afterEach(() => server.close())

const envOf = (baseUrl = server.baseUrl, key: string = sandbox.keys.valid) => ({
  ...process.env,
  WORKFLOW_BASE_URL: baseUrl,
  WORKFLOW_API_KEY: key,
})
/** Runs the command with the sandbox as the service. */
const call = (args: string[], env: NodeJS.ProcessEnv = envOf()) => run(args, { env })
const triggered = () => sandbox.requests({ operation: 'triggerRun' })

describe('reading', () => {
  it('whoami, playbooks and providers print what there is, and exit with 0', async () => {
    expect(await call(['whoami'])).toEqual({ status: 0, out: 'id:    ws_5RkP0d\nname:  Acme Operations\n', error: '' })
    const playbooks = await call(['playbooks'])
    expect([playbooks.status, playbooks.out.split('\n')[0]]).toEqual([
      0,
      'pb_7hQ2vn  Welcome a customer         Opens an account and sends a greeting.',
    ])
    expect((await call(['providers', '--quiet'])).out).toBe('billing\nmail\ntickets\n')
  })

  it('--json prints one list envelope, and --limit ends it', async () => {
    const { out } = await call(['playbooks', '--json', '--limit', '2'])
    const { data, meta } = JSON.parse(out)
    expect([data.length, meta]).toEqual([2, { total: 4, page: 1, per_page: 20 }])
  })

  it('run prints a run as it is, as lines, as JSON or as its id', async () => {
    expect((await call(['run', 'run_8Zt4Lm2c'])).out).toMatch(/^run run_8Zt4Lm2c {2}running\n {2}playbook pb_3kX9wq, /)
    expect(JSON.parse((await call(['run', 'run_8Zt4Lm2c', '--json'])).out).id).toBe('run_8Zt4Lm2c')
    expect((await call(['run', 'run_8Zt4Lm2c', '-q'])).out).toBe('run_8Zt4Lm2c\n')
  })

  it('a value of the service cannot control the terminal', async () => {
    const other = await serve(() => ({ body: { id: 'ws_1', name: 'Acme\u001b[2J\u0007' } }))
    expect((await call(['whoami'], envOf(other.baseUrl))).out).toBe('id:    ws_1\nname:  Acme\\u001b[2J\\u0007\n')
  })
})

describe('triggering', () => {
  it('trigger prints the id of the run, and exits with 0', async () => {
    const { status, out } = await call(['trigger', sandbox.playbooks.succeeds, '--input', 'order=42'])
    expect([status, out]).toEqual([0, expect.stringMatching(/^Triggered run run_\w+\n$/)])
    expect((await call(['trigger', sandbox.playbooks.succeeds, '--quiet'])).out).toMatch(/^run_\w+\n$/)
    expect(JSON.parse((await call(['trigger', sandbox.playbooks.succeeds, '--json'])).out).status).toBe('running')
  })

  it('inputs come from arguments, files and standard input, and the arguments win', async () => {
    await writeFile(join(folder, 'note.txt'), '\ufeffarrived broken')
    await writeFile(join(folder, 'inputs.json'), JSON.stringify({ order: '1', reason: 'r' }))
    const { playbooks } = sandbox
    const given = ['--input', 'order=4=2', '--input', `note=@${join(folder, 'note.txt')}`, '--input', 'at=@@home']
    await call(['trigger', playbooks.succeeds, ...given, '--inputs', join(folder, 'inputs.json')])
    const inputs = { order: '4=2', note: 'arrived broken', at: '@home', reason: 'r' }
    expect(triggered()[0]?.request.body).toEqual({ inputs })
    const piped = start(process.execPath, [CLI, 'trigger', playbooks.succeeds, '--inputs', '-'], { env: envOf() })
    piped.child.stdin.end('{"order":"7"}')
    expect(await piped.ended).toBe(0)
    expect(triggered()[1]?.request.body).toEqual({ inputs: { order: '7' } })
  })

  it.each([
    [['--input', 'order'], '--input "order" has no "=". Write --input order=42'],
    [['--input', '=42'], '--input "=42" has no name.'],
    [['--input', 'note=@nowhere.txt'], '--input note: the file nowhere.txt cannot be read'],
    [['--timeout', 'soon'], 'It must be a time above 0, such as 90s, 15m or 2h.'],
    [['--until', 'noon'], 'approval'],
    [['--timeout', '90s'], '--timeout limits a wait: add --wait or --until approval.'],
    [['--input', 'order=1', '--input', 'order=2'], '--input order is given twice. Give each input once.'],
  ])('%j is refused with a sentence, and nothing is sent', async (args, says) => {
    const { status, error } = await call(['trigger', sandbox.playbooks.succeeds, ...args])
    expect([status, error]).toEqual([2, expect.stringContaining(says)])
    expect(triggered()).toHaveLength(0)
  })

  it('an input in a file that is no string is refused with its name', async () => {
    const file = join(folder, 'wrong.json')
    await writeFile(file, '{"order":42}')
    const { status, error } = await call(['trigger', sandbox.playbooks.succeeds, '--inputs', file])
    expect([status, error]).toEqual([2, `--inputs ${file}: "order" must be a string, such as "42".\n`])
  })

  it('--wait shows each change once, and exits with 0 for success and 1 for another end', async () => {
    const { status, out } = await call(['trigger', sandbox.playbooks.succeeds, '--wait'])
    const [, first, ...lines] = out.trimEnd().split('\n')
    expect([status, first]).toEqual([0, expect.stringMatching(/^run run_\w+ {2}running$/)])
    expect(lines).toContain('  step_2  succeeded  mail.send')
    expect(new Set(lines).size).toBe(lines.length)
    expect((await call(['trigger', sandbox.playbooks.fails, '--wait'])).status).toBe(1)
  })

  it('--until approval exits with 4, and wait goes on after the approval', async () => {
    const { status, out } = await call(['trigger', sandbox.playbooks.needsApproval, '--until', 'approval', '--quiet'])
    const id = out.trim()
    expect([status, id]).toEqual([4, expect.stringMatching(/^run_\w+$/)])
    expect((await call(['wait', id, '--timeout', '1s'])).status).toBe(3)
    sandbox.approve(id)
    expect((await call(['wait', id])).status).toBe(0)
  })

  it('--json while waiting prints the last run alone, and its id on standard error', async () => {
    const { out, error } = await call(['trigger', sandbox.playbooks.succeeds, '--wait', '--json'])
    expect(error).toBe(`${JSON.parse(out).id}\n`)
    expect(JSON.parse(out).status).toBe('succeeded')
  })

  it('an unknown playbook exits with 2, and says how to list them', async () => {
    const { status, error } = await call(['trigger', 'pb_3kX9w'])
    expect([status, error]).toEqual([
      2,
      expect.stringMatching(
        /^triggerRun failed with 404.*\nList the playbooks: npx @workflow-automation\/contract playbooks\n$/,
      ),
    ])
  })

  it.each<[string, string[], NodeJS.ProcessEnv]>([
    ['no key', [], { WORKFLOW_API_KEY: '' }],
    ['a key that is not valid', [], { WORKFLOW_API_KEY: 'key_wrong' }],
    ['a key file that is not there', ['--key-file', 'nowhere'], {}],
    ['no base URL', [], { WORKFLOW_BASE_URL: '' }],
    ['a base URL that leads nowhere', ['--base-url', `http://127.0.0.1:9${VERSION}`], {}],
    ['plain HTTP to another machine', ['--base-url', `http://example.com${VERSION}`], {}],
  ])('%s exits with 2, since no run exists, and no key is shown', async (_, args, env) => {
    const { status, out, error } = await call(['trigger', sandbox.playbooks.succeeds, ...args], { ...envOf(), ...env })
    expect([status, out]).toEqual([2, ''])
    expect(error).not.toMatch(/key_valid|key_wrong/)
    expect(error).not.toBe('')
  })

  it('the key comes from a file or another variable', async () => {
    const file = join(folder, 'key')
    await writeFile(file, `${sandbox.keys.valid}\n`)
    const env = { ...envOf(), WORKFLOW_API_KEY: '', OTHER: sandbox.keys.valid }
    expect((await call(['whoami', '--key-file', file], env)).status).toBe(0)
    expect((await call(['whoami', '--key-env', 'OTHER'], env)).status).toBe(0)
  })

  it.each<[string, () => void]>([
    ['a lost response', () => sandbox.inject({ operation: 'triggerRun', drop: true })],
    ['a 502', () => sandbox.inject({ operation: 'triggerRun', status: 502 })],
    ['a 504', () => sandbox.inject({ operation: 'triggerRun', status: 504 })],
    ['a 402, which the contract does not have', () => sandbox.inject({ operation: 'triggerRun', status: 402 })],
    ['a 501', () => sandbox.inject({ operation: 'triggerRun', status: 501 })],
    ['a 524', () => sandbox.inject({ operation: 'triggerRun', status: 524 })],
  ])('%s exits with 5, is sent once, and says to look first', async (_, break_) => {
    break_()
    const { status, error } = await call(['trigger', sandbox.playbooks.succeeds])
    expect([status, error]).toEqual([5, expect.stringContaining('The run may have started. Check before you')])
    expect(triggered()).toHaveLength(1)
  })

  it.each<[string, object | string, RegExp]>([
    [
      'whose id is elsewhere',
      { job: { run: 'run_9' } },
      /^The run was started, but no id of it was found.*\nThe response was: \{"job":\{"run":"run_9"\}\}\nCheck before you trigger it again\.\n$/,
    ],
    ['without a body', '', /^The run was started, but no id of it was found.*\nCheck before you trigger it again\.\n$/],
    ['that is a page', '<html>', /^The run may have been started.*\nThe run may have started\. Check before/s],
  ])('a success %s exits with 5', async (_, body, says) => {
    const other = await serve(() => ({ status: 201, body }))
    const { status, error } = await call(['trigger', 'pb_1'], envOf(other.baseUrl))
    expect([status, error]).toEqual([5, expect.stringMatching(says)])
  })

  it('a 303 that leads to the run names it, and is waited for', async () => {
    const { baseUrl } = await serve(({ method }) =>
      method === 'POST'
        ? { status: 303, headers: { location: `${VERSION}/runs/run_9` } }
        : { body: runOf({ id: 'run_9', status: 'succeeded' }) },
    )
    expect(await call(['trigger', 'pb_1', '-q'], envOf(baseUrl))).toEqual({ status: 0, out: 'run_9\n', error: '' })
    expect(await call(['trigger', 'pb_1', '--wait'], envOf(baseUrl))).toMatchObject({
      status: 0,
      out: expect.stringMatching(/^Triggered run run_9\nrun run_9 {2}succeeded\n/),
    })
    expect(JSON.parse((await call(['trigger', 'pb_1', '--json'], envOf(baseUrl))).out)).toEqual({ id: 'run_9' })
  })

  it('the reason of a refusal is shown, whatever its form', async () => {
    const { baseUrl } = await serve(() => ({ status: 400, body: { problems: [{ input: 'topic', rule: 'required' }] } }))
    const { status, error } = await call(['trigger', 'pb_1'], envOf(baseUrl))
    expect([status, error]).toEqual([
      2,
      expect.stringContaining('\nThe response was: {"problems":[{"input":"topic","rule":"required"}]}\n'),
    ])
  })

  it('Ctrl-C while the trigger is under way exits with 5, and while waiting with 130 and the line that goes on', async () => {
    const silent = await serve(() => undefined)
    const slow = command(['trigger', 'pb_1'], { env: envOf(silent.baseUrl) })
    await expect.poll(() => silent.seen.length, { timeout: 10_000 }).toBe(1)
    slow.child.kill('SIGINT')
    expect([await slow.ended, slow.printed.error]).toEqual([5, expect.stringContaining('The run may have started.')])
    const waiting = command(['wait', 'run_8Zt4Lm2c'], { env: envOf() })
    await waiting.until(/waiting_approval/)
    waiting.child.kill('SIGINT')
    expect([await waiting.ended, waiting.printed.error]).toEqual([
      130,
      'Interrupted. The run continues. Resume waiting: npx @workflow-automation/contract wait run_8Zt4Lm2c\n',
    ])
  })

  it('wait says that it has not seen a run, and does not say that one continues which nobody has seen', async () => {
    const waiting = command(['wait', 'nope'], { env: envOf() })
    await expect
      .poll(() => waiting.printed.error, { timeout: 10_000 })
      .toContain('No state of the run nope yet. A 404 is')
    waiting.child.kill('SIGINT')
    expect(await waiting.ended).toBe(130)
    expect(waiting.printed.error).toContain('Interrupted. The run was not seen. Resume waiting')
  })

  it('SIGTERM, as of a cancelled CI job, is taken as Ctrl-C is', async () => {
    const silent = await serve(() => undefined)
    const slow = command(['trigger', 'pb_1'], { env: envOf(silent.baseUrl) })
    await expect.poll(() => silent.seen.length, { timeout: 10_000 }).toBe(1)
    slow.child.kill('SIGTERM')
    expect([await slow.ended, slow.printed.error]).toEqual([5, expect.stringContaining('The run may have started.')])
    const waiting = command(['wait', 'run_8Zt4Lm2c'], { env: envOf() })
    await waiting.until(/waiting_approval/)
    waiting.child.kill('SIGTERM')
    expect([await waiting.ended, waiting.printed.error]).toEqual([143, expect.stringContaining('The run continues.')])
  })

  it('the printed command continues with the same service and key', async () => {
    const key = join(folder, "the key's")
    await writeFile(key, sandbox.keys.valid)
    const options = ['--base-url', server.baseUrl, '--key-file', key]
    const env = { ...envOf(), WORKFLOW_BASE_URL: '', WORKFLOW_API_KEY: '' }
    const { status, out, error } = await call(
      ['trigger', sandbox.playbooks.needsApproval, '--until', 'approval', '--quiet', ...options],
      env,
    )
    expect([status, error]).toEqual([
      4,
      expect.stringMatching(/^A step needs approval\. After the approval, resume with: /),
    ])
    sandbox.approve(out.trim())
    const line = error
      .split('resume with: ')[1]!
      .replace('npx @workflow-automation/contract', `${process.execPath} ${CLI}`)
    const again = start('bash', ['-c', line], { env })
    expect([await again.ended, again.printed.out]).toEqual([0, expect.stringContaining('succeeded')])
  })

  it.each<[string, number, () => unknown]>([
    ['is not there', 2, () => {}],
    [
      'cannot be read because of the service',
      3,
      () => sandbox.inject({ operation: 'getRun', status: 503, times: 100 }),
    ],
  ])('wait for a run that %s exits with %i', async (_, code, change) => {
    change()
    const { status, error } = await call(['wait', 'run_none', '--timeout', '2s'])
    expect([status, error.includes('Resume waiting: ')]).toEqual([code, code === 3])
    if (code === 3)
      expect(error).toContain('no poll succeeded: getRun failed with 503 Service Unavailable (GET /runs/{id}): ')
  })

  it('wait --quiet prints the id once the wait is over', async () => {
    const { out } = await call(['trigger', sandbox.playbooks.succeeds, '--quiet'])
    expect(await call(['wait', out.trim(), '--quiet'])).toEqual({ status: 0, out, error: '' })
  })

  it.each([[['tigger']], [['--bogus']], [[]], [['wait']]])('%j exits with 2', async (args) => {
    const { status, error } = await call(args)
    expect([status, error]).toEqual([2, expect.stringMatching(/unknown|Usage|missing/)])
  })

  it.each([
    ['runs', /unknown command 'runs'\n\(Did you mean run\?\)/],
    ['approve', /unknown command 'approve'/],
  ])('the unknown command %s says which one is near, and where runs are shown and approved', async (name, message) => {
    const { error } = await call([name])
    expect(error).toMatch(message)
    expect(error).toContain('`run <id>` shows a run')
    expect(error).toMatch(/no operation that lists or approves runs; the console/)
  })

  it('polls that fail once the run was triggered exit with 3, with the line that goes on', async () => {
    sandbox.inject({ operation: 'getRun', status: 403, times: 100 })
    const { status, error } = await call(['trigger', sandbox.playbooks.succeeds, '--wait'])
    expect([status, error]).toEqual([
      3,
      expect.stringMatching(/403[\s\S]*Resume waiting: npx @workflow-automation\/contract wait run_/),
    ])
  })

  it('a wait that is too long to be waited for is said', async () => {
    sandbox.inject({ operation: 'getCurrentWorkspace', status: 429, retryAfter: 3_600 })
    const { status, error } = await call(['whoami'])
    expect([status, error]).toEqual([2, expect.stringMatching(/\nThe service asks to try again in 3600 s\.\n$/)])
  })

  it('a trigger that is interrupted while it waits after a 429 says that no run was started', async () => {
    sandbox.inject({ operation: 'triggerRun', status: 429, retryAfter: 60 })
    const triggering = command(['trigger', sandbox.playbooks.succeeds], { env: envOf() })
    await expect.poll(() => triggering.printed.error, { timeout: 10_000 }).toContain('Waiting after a 429')
    triggering.child.kill('SIGINT')
    expect(await triggering.ended).toBe(2)
    expect(triggering.printed.error).toContain('Interrupted while the run was being triggered. No run was started.')
  })

  it('a trigger that is interrupted while it reads its inputs says that no run was started', async () => {
    const triggering = command(['trigger', sandbox.playbooks.succeeds, '--inputs', '-'], { env: envOf() })
    // More than the system keeps for a reader that has not begun to read, and less than is accepted.
    await new Promise((resolve) => triggering.child.stdin.write(' '.repeat(1_000_000), resolve))
    triggering.child.kill('SIGINT')
    expect(await triggering.ended).toBe(2)
    expect(triggering.printed.error).toBe('Interrupted before the run was triggered. No run was started.\n')
    expect(triggered()).toEqual([])
  })

  it.each(['0', '0s', '0.0001s'])('trigger --wait refuses the timeout %s before it starts a run', async (timeout) => {
    const { status, out, error } = await call(['trigger', sandbox.playbooks.succeeds, '--wait', '--timeout', timeout])
    expect([status, out, error]).toEqual([2, '', expect.stringContaining('--timeout')])
    expect(error).toContain('It must be a time above 0, such as 90s, 15m or 2h.')
  })

  it('a rate limit is waited for, and said', async () => {
    sandbox.inject({ operation: 'triggerRun', status: 429, retryAfter: 2 })
    const { status, error } = await call(['trigger', sandbox.playbooks.succeeds])
    expect([status, error]).toEqual([0, expect.stringMatching(/^Waiting after a 429: \d s\.\n$/)])
  })
})

describe('a terminal', () => {
  /** Runs the command in a pseudo-terminal of this size. */
  const inTerminal = async (columns: number, args: string[], env: NodeJS.ProcessEnv = {}) => {
    const shell = `stty cols ${columns} rows 24; ${process.execPath} ${CLI} ${args.join(' ')}`
    const { stdout } = await exec('script', ['-qec', shell, '/dev/null'], {
      env: { ...envOf(), CI: '', NO_COLOR: '', TERM: 'xterm', ...env },
    })
    return stdout
  }

  it('in a terminal the steps of a run are redrawn in place, with the time since each status was first seen', async () => {
    const out = (await inTerminal(80, ['trigger', sandbox.playbooks.succeeds, '--wait'])).replaceAll('\u001b', 'ESC')
    expect(out).toMatch(/ESC\[\d+AESC\[2Krun run_\w+ {2}succeeded {2}~\d+ s\r\n/)
    expect(out).toMatch(/step_2 {2}succeeded {2}mail\.send {2}~\d+ s/)
  })

  it('a terminal of 40 columns gets no longer line', async () => {
    const out = await inTerminal(40, ['playbooks'])
    expect(out).toContain('…')
    for (const line of out.split('\r\n')) expect(line.length).toBeLessThan(40)
  })

  it.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }, { CI: 'true' }])('a terminal gets plain lines with %j', async (env) => {
    expect(await inTerminal(80, ['trigger', sandbox.playbooks.succeeds, '--wait'], env)).not.toContain('\u001b')
  })
})

describe('the guide "From the terminal"', () => {
  const guide = readFileSync(join(repository, 'docs/guides/terminal.md'), 'utf8')
  /** A block of the guide in a shell, with this build in the place of the package. */
  const shell = async (name: string, code = new RegExp(`name=${name}\n([\\s\\S]*?)\`\`\``).exec(guide)?.[1] ?? '') => {
    const script = code.replaceAll('npx @workflow-automation/contract', `${process.execPath} ${CLI}`)
    const { ended, printed } = start('bash', ['-e', '-c', script], { env: envOf() })
    return { status: await ended, ...printed }
  }

  it('the line for cron says nothing but the id when the run succeeds, and its code when it does not', async () => {
    expect((await shell('cron')).out).toMatch(/^run_\w+\n$/)
    sandbox.inject({ operation: 'triggerRun', drop: true })
    expect((await shell('cron')).out).toBe('welcome: exit code 5\n')
  })

  it('the step of a GitHub workflow passes when the run waits for its approval, and fails for anything else', async () => {
    const [, yaml = ''] = /name=workflow\n([\s\S]*?)```/.exec(guide) ?? []
    const [{ run: code }] = parse(yaml)
    expect((await shell('', code)).status).toBe(0)
    sandbox.inject({ operation: 'triggerRun', status: 403 })
    expect((await shell('', code)).status).toBe(1)
  })

  it("an agent's loop ends at an approval, and not before", async () => {
    const { status, out } = await shell('agent')
    expect([status, out]).toEqual([0, expect.stringMatching(/run_\w+ waits for an approval\n$/)])
    sandbox.inject({ operation: 'triggerRun', status: 502 })
    expect((await shell('agent')).status).toBe(5)
  })
})
