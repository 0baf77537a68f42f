import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CLI, run, start } from '../../cli/command.js'
import { runOf, VERSION } from '../../support/fixtures.js'
import { serve } from '../../support/server.js'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'input-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const NOBODY = `http://127.0.0.1:9${VERSION}`
const envOf = (baseUrl: string) => ({ WORKFLOW_BASE_URL: baseUrl, WORKFLOW_API_KEY: 'key_valid' })

/** Runs a line of bash in which `cli` is the command, with a service that starts every run. */
async function shell(line: string) {
  const service = await serve(() => ({ status: 201, body: runOf({ id: 'run_1', status: 'running' }) }))
  const { ended, printed } = start('bash', ['-c', `cli() { ${process.execPath} ${CLI} "$@"; }; ${line}`], {
    env: { ...envOf(service.baseUrl), FOLDER: folder },
  })
  const status = await ended
  return { status, ...printed, seen: service.seen }
}

describe('inputs', () => {
  it('--inputs - waits for a pipe that does not block', async () => {
    const open = `import os, sys, time
r, w = os.pipe()
os.set_blocking(r, False)
if os.fork():
    os.close(w); os.dup2(r, 0); os.execvp(sys.argv[1], sys.argv[1:])
time.sleep(1)
os.write(w, b"""{"order":"42"}""")`
    const { status, seen } = await shell(`python3 -c '${open}' ${process.execPath} ${CLI} trigger pb_1 --inputs -`)
    expect([status, JSON.parse(seen[0]?.body ?? '{}')]).toEqual([0, { inputs: { order: '42' } }])
  })

  it.each([
    ['--input a=@/dev/zero', '--input a: the file /dev/zero has more than 1 MiB.\n'],
    ['--inputs /dev/zero', '--inputs: the file /dev/zero has more than 1 MiB.\n'],
    ['--key-file /dev/zero', '--key-file: the file /dev/zero has more than 1 MiB.\n'],
    ['--key-file <(yes)', expect.stringMatching(/^--key-file: the file \S+ has more than 1 MiB\.\n$/)],
  ])('%s is refused with a sentence, and nothing is sent', async (options, error) => {
    expect(await shell(`cli trigger pb_1 ${options}`)).toMatchObject({ status: 2, error, seen: [] })
  })

  it('a key comes from a pipe', async () => {
    const { status, seen } = await shell('cli trigger pb_1 --key-file <(echo key_piped)')
    expect([status, seen[0]?.headers.authorization]).toEqual([0, 'Bearer key_piped'])
  })
})

describe('a service that cannot be reached', () => {
  const PROXY = { HTTP_PROXY: 'http://user:secret@127.0.0.1:9', NO_PROXY: '', no_proxy: '' }
  it.each([
    ['whoami', 2],
    ['playbooks', 2],
    ['run run_1', 2],
    ['trigger pb_1', 2],
    ['wait run_1 --timeout 1s', 3],
    [`verify ${NOBODY}`, 2],
  ])('%s says that the proxy of the environment is not used', async (args, code) => {
    const { status, error } = await run(args.split(' '), { env: { ...envOf(NOBODY), ...PROXY } })
    expect([status, error]).toEqual([code, expect.stringContaining("HTTP_PROXY is set, and Node's fetch does not use")])
    expect(error).not.toContain('secret')
  })

  it.each([
    ['workflow.example', 'baseUrl must be a complete address. WORKFLOW_BASE_URL is "workflow.example".\n'],
    ['https://me:pass@a.example/v1?key=abc', /WORKFLOW_BASE_URL is "https:\/\/••••@a\.example\/v1\?••••"\.\n$/],
    [`https://a.example/${'x'.repeat(90)}`, /WORKFLOW_BASE_URL is "https:\/\/a\.example\/x+…"\.\n$/],
  ])('the base URL %s is named, without credentials', async (baseUrl, message) => {
    const { status, error } = await run(['whoami'], { env: envOf(baseUrl) })
    expect([status, error]).toEqual([2, typeof message === 'string' ? message : expect.stringMatching(message)])
    expect(error.length).toBeLessThan(250)
  })
})

describe('help', () => {
  it.each([
    [['wait'], /missing required argument 'id'\nUsage: workflow-automation wait \[options\] <id>\n$/],
    [['trigger'], /Usage: workflow-automation trigger \[options\] <playbook>\n$/],
    [['tigger', '--help'], /unknown command 'tigger'\n\(Did you mean trigger\?\)\n.*workflow-automation --help/],
    [['export'], /^error: unknown command 'export'\nThe commands: workflow-automation --help\.\n$/],
    [['cancel'], /no operation that lists or approves runs/],
  ])('%j is an error with what to write', async (args, message) => {
    expect(await run(args)).toEqual({ status: 2, out: '', error: expect.stringMatching(message) })
  })

  it.each([
    ['whoami', /Exit codes: 0 if it was read, 2 if not/],
    ['run', /Exit codes: 0 if it was read, 2 if not/],
    ['providers', /maximum number to show; default all[\s\S]*Exit codes: 0/],
    ['wait', /--quiet +print only the id of the run, once the wait is\s+over/],
    ['mock', /default: 4020/],
  ])('%s --help says it', async (name, text) => {
    expect(await run([name, '--help'])).toEqual({ status: 0, out: expect.stringMatching(text), error: '' })
  })

  it('docs WORD searches titles and headings', async () => {
    const { status, out } = await run(['docs', 'exit codes'])
    expect([status, out]).toEqual([0, expect.stringMatching(/^ {2}terminal +From the terminal\n +- Exit codes\n/m)])
    expect(out).not.toContain('getting-started')
  })
})
