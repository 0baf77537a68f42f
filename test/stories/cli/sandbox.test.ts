import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { planIds } from '../../../generated/contract.js'
import { alike, command, run } from '../../cli/command.js'
import { control } from '../../sandbox/ports.js'
import { aMoment } from '../../support/clock.js'
import { VERSION } from '../../support/fixtures.js'

const KEY = { headers: { authorization: 'Bearer key_valid' } }
const READY = /curl (http\S+)\/playbooks -H 'Authorization: Bearer key_valid'[\s\S]*Stop it/

/** The command on a free port, once it listens, and the base URL that it prints. */
async function sandbox(...args: string[]) {
  const started = command(['sandbox', '--port', '0', ...args])
  const [, url = ''] = await started.until(READY)
  return { ...started, url }
}

/** A request that waits for ten minutes. */
async function delayed(url: string): Promise<{ ended: Promise<unknown> }> {
  await control({ url: new URL(url).origin }, 'inject', { delay: 600_000, operation: 'listProviders' })
  return { ended: fetch(`${url}/providers`, KEY).catch(() => 'closed') }
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'worlds-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('workflow-automation sandbox', () => {
  it('sandbox prints its address, keys and working commands, then a line per request, and stops when interrupted', async () => {
    const { child, printed, until, ended, url } = await sandbox('--seed', '7', '--speed', '10')
    expect((await fetch(`${url}/playbooks`, KEY)).status).toBe(200)
    await until(/200 GET \/v\d+\/playbooks \d+\.\d ms\n/)
    expect(printed.out).toContain('key_read_only')
    expect(printed.out).toMatch(/^ {2}needsApproval +pb_/m)
    child.kill('SIGINT')
    expect(await ended).toBe(0)
    await expect(fetch(url)).rejects.toThrow()
    expect(printed.error).toBe('')
  })

  it('sandbox --require-world prints commands that work in a world', async () => {
    const { url } = await sandbox('--require-world')
    expect((await fetch(`${url}/playbooks`, KEY)).status).toBe(200)
  })

  it('sandbox reports the port that is in use', async () => {
    const { port } = await alike()
    expect(await run(['sandbox', '--port', `${port}`])).toMatchObject({
      status: 2,
      error: expect.stringContaining(`Port ${port} is in use. Choose another with --port`),
    })
  })

  it('sandbox exits with 0 within seconds of a SIGTERM, with requests and streams open', async () => {
    const { child, printed, ended, url } = await sandbox()
    const { origin, port } = new URL(url)
    const request = await delayed(url)
    expect((await fetch(`${origin}/w/a`, { method: 'PUT' })).status).toBe(200)
    const stream = await control({ url: `${origin}/w/a` }, 'events')
    const read = stream.text().catch(() => 'closed')
    const sockets = [
      '',
      `POST ${VERSION}/playbooks/pb_7hQ2vn/runs HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{`,
    ].map((sent) => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => {})
      socket.write(sent)
      return socket
    })
    await aMoment()
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
    expect(await request.ended).toBe('closed')
    expect(await read).toContain('event: open')
    expect(printed.error).toBe('')
    for (const socket of sockets) socket.destroy()
  })

  it('sandbox exits at once at a second signal', async () => {
    const { child, url } = await sandbox()
    const request = await delayed(url)
    await aMoment()
    const closed = once(child, 'close')
    child.kill('SIGINT')
    await aMoment()
    child.kill('SIGINT')
    expect(await closed).toEqual([null, 'SIGINT'])
    expect(await request.ended).toBe('closed')
  })

  it('sandbox keeps running when the reader of its output closes the pipe', async () => {
    const { child, url } = await sandbox()
    child.stdout.destroy()
    for (let count = 0; count < 5; count++) expect((await fetch(`${url}/playbooks`, KEY)).status).toBe(200)
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('sandbox ends with %s when nobody reads its output', async (signal) => {
    const { child, url } = await sandbox('--plan', 'none')
    child.stdout.pause()
    for (let count = 0; count < 50; count++)
      await Promise.all(Array.from({ length: 100 }, async () => (await fetch(`${url}/providers`, KEY)).text()))
    const exited = once(child, 'exit')
    child.kill(signal)
    expect(await exited).toEqual([0, null])
  })

  it('sandbox prints a control command with a random token when it listens on every address', async () => {
    const { until, printed } = command(['sandbox', '--port', '0', '--host', '0.0.0.0', '--quiet'])
    const [, url] = await until(
      /curl -X POST (http\S+)\/runs\/RUN_ID\/approve -H "Authorization: Bearer \$WORKFLOW_CONTROL_TOKEN"/,
    )
    expect(printed.error).toContain('Everybody who reaches 0.0.0.0 on the network can use the API')
    const token = /The control token, random for this start: (\S+)/.exec(printed.error)?.[1] ?? 'none'
    expect((printed.out + printed.error).split(token)).toHaveLength(2)
    expect((await fetch(`${url}/keys`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
    expect((await fetch(`${url}/keys`)).status).toBe(401)
  })

  it.each<[string, string[], NodeJS.ProcessEnv]>([
    ['a file', ['--control-token-file', 'FILE'], {}],
    ['WORKFLOW_CONTROL_TOKEN', [], { WORKFLOW_CONTROL_TOKEN: 'given-token' }],
    ['an argument', ['--control-token', 'given-token'], {}],
  ])('sandbox takes the control token from %s, and never prints it', async (_, args, env) => {
    const file = join(folder, 'token')
    await writeFile(file, 'given-token\n')
    const options = args.map((each) => (each === 'FILE' ? file : each))
    const { until, printed } = command(['sandbox', '--port', '0', ...options], { env })
    const [, url = ''] = await until(/The sandbox is at (http\S+)[\s\S]*Stop it/)
    const state = (token: string) =>
      fetch(`${new URL(url).origin}/__sandbox/keys`, { headers: { authorization: `Bearer ${token}` } })
    expect([(await state('given-token')).status, (await state('given-toke')).status]).toEqual([200, 401])
    expect(printed.out + printed.error).not.toContain('given-token')
  })

  it.concurrent.each([
    ['null', '- the world: must be of the type object.'],
    ['\uFEFF{"a":{}}', '- /a/keys: the property "keys" is missing.'],
    ['{"a":{},"b":{}}', 'missing.\n- /b/keys: the property "keys" is missing.'],
    ['{\n  "a" 1', ':2:7 cannot be read: is not JSON'],
  ])('sandbox reports the location of the error in a world file with %j', async (content, message) => {
    const file = join(folder, encodeURIComponent(content))
    await writeFile(file, content)
    const { status, error } = await run(['sandbox', '--port', '0', '--world', file])
    expect(status).toBe(2)
    expect(error).toContain(message)
  })

  it.concurrent.each([
    ['--plan', 'gold', planIds.largest],
    ['--port', 'high', 'integer'],
    ['--port', '99999', 'It must be an integer from 0 to 65535.'],
    ['--max-runs', '0', 'It must be an integer >= 1.'],
    ['--max-worlds', '0', 'It must be an integer >= 1.'],
    ['--host', '192.0.2.1', '192.0.2.1 is not an address of this machine.'],
    ['--host', 'no host', 'no host'],
    ['--speed', '0', 'above 0'],
    ['--world', 'nowhere.json', 'The world in nowhere.json cannot be read'],
  ])('sandbox refuses %s %s with the reason', async (option, value, reason) => {
    const { status, error } = await run(['sandbox', option, value])
    expect(status).toBe(2)
    expect(error).toContain(reason)
  })
})
