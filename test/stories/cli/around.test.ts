import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLI, command, run, start } from '../../cli/command.js'
import { VERSION } from '../../support/fixtures.js'
import { repository } from '../../support/project.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'around-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** A command of Node that is run around the sandbox. */
const around = (code: string, ...options: string[]) =>
  run(['sandbox', ...options, '--', process.execPath, '--input-type=module', '-e', code])

const GET = `const { WORKFLOW_BASE_URL: url, WORKFLOW_API_KEY: key, SANDBOX_URL } = process.env
const get = (path, headers = { authorization: 'Bearer ' + key }) => fetch(url + path, { headers })
`
const BREAKS = `${GET}await get('/providers', {})`

it('the TypeScript of the guide "Test a client in any language" prints what it says', async () => {
  const guide = await readFile(join(repository, 'docs/guides/client-rules.md'), 'utf8')
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(guide) ?? []
  const built = code.replaceAll(/'@workflow-automation\/contract(\/sandbox)?'/g, (_, entry = '') =>
    JSON.stringify(join(repository, `dist/src${entry && `/tools${entry}`}/index.js`)),
  )
  const { ended, printed } = start(process.execPath, ['--input-type=module', '-e', built], {
    env: { NO_COLOR: '1', FORCE_COLOR: '0' },
  })
  expect([await ended, printed.out]).toEqual([0, `${/\/\/ (.*)/.exec(code)?.[1]}\n`])
})

describe('sandbox -- COMMAND', () => {
  it('sandbox -- COMMAND runs the command against a sandbox, passes its output through, and prints the rules on standard error', async () => {
    const { status, out, error } = await around(`${GET}
      const { data } = await (await get('/playbooks')).json()
      console.log(\`\${data.length} \${new URL(url).pathname} \${new URL(url).origin === SANDBOX_URL}\`)`)
    expect([status, out]).toEqual([0, `4 ${VERSION} true\n`])
    expect(error).toMatch(/Kept 1[\s\S]*Not exercised 6[\s\S]*The client keeps the rules; 1 of 7 were exercised\./)
    expect(error).not.toContain('key_valid')
  })

  it.each<[string, string, number]>([
    ['a broken rule', BREAKS, 1],
    [
      'a rule that was broken before a reset',
      `${BREAKS}; await fetch(SANDBOX_URL + '/__sandbox/reset', { method: 'POST' })`,
      1,
    ],
    ['a code of its own', `${BREAKS}; process.exit(7)`, 7],
    ['a signal', 'process.kill(process.pid, "SIGTERM"); setTimeout(() => {}, 9e6)', 143],
  ])('sandbox -- COMMAND exits with the code for %s', async (_, code, status) => {
    expect((await around(code)).status).toBe(status)
  })

  it('sandbox -- COMMAND says that nothing is known when the command sent no request', async () => {
    const { status, error } = await around('process.exit(7)')
    expect([status, error]).toEqual([7, expect.stringContaining('No request was seen, so nothing is known: ')])
  })

  it('sandbox -- COMMAND exits with 127 for a command that is not there', async () => {
    const { status, error } = await run(['sandbox', '--', 'there-is-no-such-command'])
    expect([status, error]).toEqual([127, 'The command there-is-no-such-command was not found, or exited with 127.\n'])
  })

  it.each([
    [['--report', 'rules.txt', '--', 'node'], '--report rules.txt must end in .json or .xml or .html or .md.\n'],
    [['--report', 'nowhere/rules.json', '--', 'node'], 'nowhere/rules.json cannot be written'],
    [['--report', 'rules.json'], '--report needs a command: sandbox --report FILE -- COMMAND.\n'],
    [['--port', 'x', '--', 'node'], 'integer'],
    [['--'], 'There is no command after --.\n'],
    [['--exercise', '--'], 'There is no command after --.\n'],
    [['world.json'], 'Commands come after --; a world file is --world FILE.\n'],
    [['world.json', '--', 'node'], 'Commands come after --; a world file is --world FILE.\n'],
    [['--require-world', '--', 'node'], '--require-world leaves the command without a base URL. Leave it out: '],
  ])('sandbox -- COMMAND refuses %j before anything starts', async (args, says) => {
    const { status, out, error } = await run(['sandbox', ...args])
    expect([status, out, error]).toEqual([2, '', expect.stringContaining(says)])
  })

  it.each([
    ['json', /"subject": "client"/],
    ['xml', /<failure type="fail" message="It sent listProviders without the header Authorization">/],
    ['html', /<title>Breaks the client rules/],
    ['md', /## ❌ The client breaks 1 rule/],
  ])('sandbox --report writes .%s', async (ending, says) => {
    const file = join(folder, `rules.${ending}`)
    expect((await around(BREAKS, '--report', file)).status).toBe(1)
    expect(await readFile(file, 'utf8')).toMatch(says)
  })

  it('sandbox --exercise makes situations happen, and says how the client handled them', async () => {
    const poll = `${GET}for (let count = 0; count < 6; count++) await get('/runs/run_8Zt4Lm2c').catch(() => {})`
    const { error } = await around(poll, '--exercise', '--seed', '3')
    expect(error).toMatch(/Exercised .* \(getRun\): /)
    expect((await around(poll)).error).not.toContain('Exercised')
  })

  it.each([
    [['--control-token', 'secret'], 'string'],
    [['--host', '0.0.0.0'], 'string'],
    [[], 'undefined'],
  ])('sandbox %j -- COMMAND gives the command the control token, if there is one', async (options, type) => {
    const code = `const { SANDBOX_URL, WORKFLOW_CONTROL_TOKEN: token } = process.env
      const headers = token === undefined ? {} : { authorization: 'Bearer ' + token }
      console.log(\`\${(await fetch(SANDBOX_URL + '/__sandbox/state', { headers })).status} \${typeof token}\`)`
    expect((await around(code, ...options)).out).toBe(`200 ${type}\n`)
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('sandbox -- COMMAND passes %s on, and closes its port', async (signal) => {
    const code = `${GET}process.on('${signal}', () => { console.log('ended'); process.exit(5) })
      console.log('at', SANDBOX_URL); setInterval(() => {}, 1000)`
    const one = command(['sandbox', '--', process.execPath, '--input-type=module', '-e', code])
    const [, url = ''] = await one.until(/at (\S+)/)
    one.child.kill(signal)
    expect([await one.ended, one.printed.out]).toEqual([5, expect.stringContaining('ended')])
    await expect(fetch(url)).rejects.toThrow()
  })

  it('sandbox -- COMMAND excepts the sandbox from the proxy of the environment, and keeps other exceptions', async () => {
    const code = 'console.log(process.env.NO_PROXY, process.env.no_proxy)'
    const child = ['sandbox', '--', process.execPath, '-e', code]
    const { out } = await run(child, { env: { HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: 'a.example', no_proxy: '' } })
    expect(out).toBe('a.example,127.0.0.1 127.0.0.1\n')
  })

  it('sandbox -- COMMAND says in a sentence that a command cannot be executed, and exits with 126', async () => {
    for (const name of [folder, join(repository, 'package.json')])
      expect(await run(['sandbox', '--', name])).toEqual({
        status: 126,
        out: '',
        error: expect.stringMatching(/^The command \S+ cannot be executed: .*EACCES\.\n$/),
      })
  })

  it('sandbox -- COMMAND is not passed a Ctrl-C of a terminal, which sends it to all processes', async () => {
    // In its own process group it gets only what is passed on.
    const code = `import os, signal, sys, time
os.setpgrp()
count = []
signal.signal(signal.SIGINT, lambda *_: count.append(1))
print("ready", flush=True)
end = time.monotonic() + 2
while time.monotonic() < end:
    time.sleep(0.1)
print(f"passed on {len(count)}", flush=True)
sys.exit(7)`
    const child = [process.execPath, CLI, 'sandbox', '--', 'python3', '-c', code]
    const script = join(import.meta.dirname, 'in_terminal.py')
    const terminal = start('python3', [script, '80', '24', 'interrupt=ready', ...child])
    expect([await terminal.ended, terminal.printed.out]).toEqual([7, expect.stringContaining('passed on 0')])
  })

  it('sandbox -- COMMAND names --exercise when nothing but the key was exercised, and judges what a fuzzer sends', async () => {
    const plain = await around(`${GET}await get('/workspaces/me')`)
    expect(plain.error).toMatch(/sandbox --exercise -- COMMAND\.\n$/)
    const fuzzed = await around(BREAKS)
    expect(fuzzed.error).toMatch(/wrong on purpose, such as those of a fuzzer, were judged as all others/)
  })

  it('sandbox --report names the suite of JUnit without the port', async () => {
    const file = join(folder, 'suite.xml')
    await around(BREAKS, '--report', file)
    expect(await readFile(file, 'utf8')).toContain('<testsuite name="client rules"')
  })
})
