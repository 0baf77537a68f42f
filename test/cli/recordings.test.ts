import { spawn, spawnSync } from 'node:child_process'
import { cpSync, linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'
import { listen } from '../../src/sandbox/node.js'
import { archiveOf, pathOf, RECORDED_AT } from '../recorded/recordings.js'
import { repository } from '../support/project.js'

let folder: string
const inFolder = (name: string) => join(folder, name)
const recording = () => inFolder('recording.har')

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'recordings-'))
  cpSync(pathOf('mitmproxy.har'), recording())
})
afterAll(() => rmSync(folder, { recursive: true }))

const cli = join(repository, 'dist/src/cli/index.js')

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { cwd: folder, encoding: 'utf8' })
  return { status, out: stdout, error: stderr }
}

/** Like `run`, while this process serves a sandbox. */
async function runBeside(...args: string[]) {
  const child = spawn(process.execPath, [cli, ...args], { cwd: folder })
  let out = ''
  child.stdout.on('data', (data) => {
    out += data
  })
  child.stderr.on('data', (data) => {
    out += data
  })
  const status = await new Promise((resolve) => child.on('close', resolve))
  return { status, out }
}

describe('workflow-automation world', () => {
  it('writes a world and fixtures that --world and the compiler accept, and lists what it assumed and replaced', () => {
    const made = run('world', '--from', recording(), RECORDED_AT, '--output', 'world.yaml', '--fixtures', 'fixtures.ts')
    expect(made.status).toBe(0)
    expect(made.error).toContain(
      'playbook pb_3kX9wq: no run was recorded; its runs have one step of the default duration.',
    )
    expect(made.error).toContain('a key: key_recorded_1')
    const world = JSON.parse(readFileSync(inFolder('world.yaml'), 'utf8'))
    expect(Object.keys(createSandbox({ world }).playbooks)).toContain('welcomeACustomer')
    expect(readFileSync(inFolder('fixtures.ts'), 'utf8')).toMatch(
      /export const getRunSucceeded = \{[\s\S]*\} satisfies Recorded<Run>\n/,
    )
    expect(run('world', '--from', recording(), '--quiet')).toMatchObject({
      status: 0,
      out: `${JSON.stringify(world, null, 2)}\n`,
      error: '',
    })
  })

  it('leaves out and names what contradicts the contract, and exits with 1', () => {
    writeFileSync(inFolder('faulty.har'), readFileSync(recording(), 'utf8').replaceAll('09:30:00Z', '09:30:00'))
    const { status, out, error } = run('world', '--from', 'faulty.har')
    expect(status).toBe(1)
    expect(error).toMatch(
      /Left out, because it contradicts the contract:\n {2}S08: getRun 200: .*"started_at".*\(8 responses\)\n/,
    )
    expect(error).toMatch(/ {2}Left out: triggerRun 201: .*"started_at".*, which is only assumed \(1 response\)\.\n/)
    const { playbooks } = JSON.parse(out).recorded
    expect(playbooks.welcomeACustomer).toEqual({ playbook: expect.anything(), steps: [{}] })
  })

  const wrongInputs: [what: string, make: () => string | object, message: RegExp][] = [
    [
      'a recording that breaks off',
      () => readFileSync(recording(), 'utf8').slice(0, 9_000),
      /^The recording ends too early, near line \d+\./,
    ],
    [
      'a recording of another service',
      () => archiveOf([{ path: '/other' }], 'https://other.example/v2'),
      /^The recording has no request to an address with \/v1\/ in it\./,
    ],
    [
      'a recording of two workspaces',
      () => archiveOf([...two(), { path: '/playbooks', key: 'c' }]),
      /^The recording has several workspaces: ws_1 \(One\), ws_2 \(Two\)\. Choose one with --workspace and its id\.$/m,
    ],
    [
      'a recording of two workspaces without keys',
      () => archiveOf(two().map((sent) => ({ ...sent, key: '' }))),
      /^The recording has the workspaces ws_1 \(One\) and ws_2 \(Two\), and no keys that tell which request is of which\./,
    ],
  ]
  const two = () => [
    { path: '/workspaces/me', key: 'a', body: { id: 'ws_1', name: 'One' } },
    { path: '/workspaces/me', key: 'b', body: { id: 'ws_2', name: 'Two' } },
  ]

  it.each(wrongInputs)('refuses %s, and writes nothing', (_, make, message) => {
    const har = make()
    writeFileSync(inFolder('wrong.har'), typeof har === 'string' ? har : JSON.stringify(har))
    const before = readdirSync(folder)
    const { status, error } = run('world', '--from', 'wrong.har', '--output', 'never.json', '--fixtures', 'never.ts')
    expect(status).toBe(2)
    expect(error).toMatch(message)
    expect(readdirSync(folder)).toEqual(before)
  })

  it('takes one workspace of several when it is named', () => {
    writeFileSync(inFolder('two.har'), JSON.stringify(archiveOf(two())))
    const { status, out, error } = run('world', '--from', 'two.har', '--workspace', 'ws_2')
    expect(status).toBe(0)
    expect(JSON.parse(out).recorded).toMatchObject({
      workspace: { id: 'ws_2' },
      keys: { recorded: { value: 'key_recorded_2' } },
    })
    expect(error).toContain('keys: 1 key of another workspace')
    expect(run('world', '--from', 'two.har', '--workspace', 'ws_3').error).toContain(
      'has no workspace ws_3. It has: ws_1 (One), ws_2 (Two).',
    )
  })

  it('writes over no input, whatever its name, and not one file without the other', () => {
    linkSync(recording(), inFolder('same.json'))
    cpSync(pathOf('playwright-attach'), inFolder('attached'), { recursive: true })
    const [body = ''] = readdirSync(inFolder('attached')).filter((name) => name.endsWith('.json'))
    const before = readdirSync(folder)
    for (const args of [
      ['--from', recording(), '--output', recording()],
      ['--from', recording(), '--output', 'same.json'],
      ['--from', recording(), '--output', 'a.json', '--fixtures', 'a.json'],
      ['--from', 'attached/recording.har', '--output', join('attached', body)],
    ])
      expect(run('world', ...args)).toMatchObject({ status: 2, error: expect.stringContaining('would write over') })
    expect(run('world', '--from', recording(), '--output', 'a.json', '--fixtures', 'no/fixtures.ts').status).toBe(2)
    expect(readdirSync(folder)).toEqual(before)
    expect(readFileSync(inFolder('same.json'))).toEqual(readFileSync(pathOf('mitmproxy.har')))
  })
})

describe('workflow-automation replay', () => {
  it('replays on a sandbox whose clock it moves and leaves as it was, and writes the reports of verify', async () => {
    expect(run('world', '--from', recording(), '--output', 'world.json', '--quiet').status).toBe(0)
    const sandbox = createSandbox({
      world: JSON.parse(readFileSync(inFolder('world.json'), 'utf8')),
      progress: 'clock',
    })
    await using server = Object.assign(await listen(sandbox, { port: 0 }), {
      [Symbol.asyncDispose]: () => server.close(),
    })
    const same = await runBeside(
      'replay',
      recording(),
      server.baseUrl,
      '--html',
      'report.html',
      '--junit',
      'report.xml',
    )
    expect(same.out).toContain('15 of 15 recorded requests got the recorded response.')
    expect(same.status).toBe(0)
    expect(readFileSync(inFolder('report.html'), 'utf8')).toContain('15 of 15 recorded requests')
    expect(readFileSync(inFolder('report.xml'), 'utf8')).toMatch(/failures="0"/)
    const state = await (await fetch(`${server.url}/__sandbox/state`)).json()
    expect(state.paused).toBe(false)
    sandbox.inject({ operation: 'listProviders', status: 403 })
    const different = await runBeside('replay', recording(), server.baseUrl, '--json')
    expect(different.status).toBe(1)
    expect(JSON.parse(different.out)).toMatchObject({ passed: false, replay: { sent: 15, equal: 14, leftOut: 0 } })
  })

  it('names a service that does not respond, and an output that is an input', () => {
    expect(run('replay', recording(), 'http://127.0.0.1:9/v1')).toMatchObject({
      status: 2,
      error: expect.stringMatching(/^http:\/\/127.0.0.1:9\/v1 did not respond: .*\n$/),
    })
    expect(run('replay', recording(), 'http://127.0.0.1:9/v1', '--html', recording()).error).toContain(
      'would write over',
    )
  })
})
