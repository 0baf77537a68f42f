import { cpSync, linkSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/tools/sandbox/index.js'
import { archiveOf, pathOf, RECORDED_AT } from '../recorded/recordings.js'
import { run } from './command.js'

let folder: string
const inFolder = (name: string) => join(folder, name)
const RECORDING = 'recording.har'
const read = (name: string) => readFileSync(inFolder(name), 'utf8')
const call = (...args: string[]) => run(args, { cwd: folder })
const world = (har: string, ...args: string[]) => call('world', '--from', har, ...args)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'recordings-'))
  cpSync(pathOf('mitmproxy.har'), inFolder(RECORDING))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('workflow-automation world', () => {
  it('world writes a world that the sandbox accepts, and lists what it assumed and replaced', async () => {
    const made = await world(RECORDING, RECORDED_AT, '--output', 'world.json')
    expect(made.status).toBe(0)
    expect(made.error).toContain(
      'playbook pb_3kX9wq: no run was recorded; its runs have one step of the default duration.',
    )
    expect(made.error).toContain('a key: key_recorded_1')
    const written = JSON.parse(read('world.json'))
    expect(Object.keys(createSandbox({ world: written }).playbooks)).toContain('welcomeACustomer')
    const out = `${JSON.stringify(written, null, 2)}\n`
    expect(await world(RECORDING, '--quiet')).toEqual({ status: 0, out, error: '' })
  })

  it('world leaves out and names what contradicts the contract, and exits with 1', async () => {
    writeFileSync(inFolder('faulty.har'), read(RECORDING).replaceAll('09:30:00Z', '09:30:00'))
    const { status, out, error } = await world('faulty.har')
    expect(status).toBe(1)
    expect(error).toMatch(
      /Left out, because it contradicts the contract:\n {2}S08: getRun 200: .*"started_at".*\(8 responses\)\n/,
    )
    const { playbooks } = JSON.parse(out).recorded
    expect(playbooks.welcomeACustomer).toMatchObject({ playbook: expect.anything(), timelines: [[{ steps: [] }]] })
  })

  const two = (keys: string[]) => [
    { path: '/workspaces/me', key: keys[0] ?? '', body: { id: 'ws_1', name: 'One' } },
    { path: '/workspaces/me', key: keys[1] ?? '', body: { id: 'ws_2', name: 'Two' } },
  ]

  it.each<[what: string, make: () => string | object, message: RegExp]>([
    [
      'a recording that breaks off',
      () => read(RECORDING).slice(0, 9_000),
      /^The recording ends too early, near line \d+\./,
    ],
    [
      'a recording of another service',
      () => archiveOf([{ path: '/other' }], 'https://other.example/elsewhere'),
      /^The recording has no request to an address with \/v\d+\/ in it\./,
    ],
    [
      'a recording of two workspaces',
      () => archiveOf([...two(['a', 'b']), { path: '/playbooks', key: 'c' }]),
      /^The recording has several workspaces: ws_1 \(One\), ws_2 \(Two\)\. Choose one with --workspace and its id\.$/m,
    ],
    [
      'a recording of two workspaces without keys',
      () => archiveOf(two([])),
      /^The recording has the workspaces ws_1 \(One\) and ws_2 \(Two\), and no keys that tell which request is of which\./,
    ],
  ])('world refuses %s, and writes nothing', async (_, make, message) => {
    const har = make()
    writeFileSync(inFolder('wrong.har'), typeof har === 'string' ? har : JSON.stringify(har))
    const before = readdirSync(folder)
    const { status, error } = await world('wrong.har', '--output', 'never.json')
    expect(status).toBe(2)
    expect(error).toMatch(message)
    expect(readdirSync(folder)).toEqual(before)
  })

  it('world takes one workspace of several when it is named', async () => {
    writeFileSync(inFolder('two.har'), JSON.stringify(archiveOf(two(['a', 'b']))))
    const { status, out, error } = await world('two.har', '--workspace', 'ws_2')
    expect(status).toBe(0)
    expect(JSON.parse(out).recorded).toMatchObject({
      workspace: { id: 'ws_2' },
      keys: { recorded: { value: 'key_recorded_2' } },
    })
    expect(error).toContain('keys: 1 key of another workspace')
    expect((await world('two.har', '--workspace', 'ws_3')).error).toContain(
      'has no workspace ws_3. It has: ws_1 (One), ws_2 (Two).',
    )
  })

  it('world writes over no input, whatever its name', async () => {
    linkSync(inFolder(RECORDING), inFolder('same.json'))
    cpSync(pathOf('playwright-attach'), inFolder('attached'), { recursive: true })
    const [body = ''] = readdirSync(inFolder('attached')).filter((name) => name.endsWith('.json'))
    const before = readdirSync(folder)
    for (const args of [
      [RECORDING, '--output', 'same.json'],
      ['attached/recording.har', '--output', join('attached', body)],
    ])
      expect(await call('world', '--from', ...args)).toMatchObject({
        status: 2,
        error: expect.stringContaining('would write over'),
      })
    expect((await world(RECORDING, '--output', 'no/a.json')).status).toBe(2)
    expect(readdirSync(folder)).toEqual(before)
    expect(readFileSync(inFolder('same.json'))).toEqual(readFileSync(pathOf('mitmproxy.har')))
  })
})
