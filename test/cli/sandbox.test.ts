import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const children: ChildProcess[] = []

/** Starts the command and gathers what it prints. */
function command(...args: string[]) {
  const child = spawn(process.execPath, ['dist/src/cli/index.js', ...args], { cwd: root })
  children.push(child)
  const printed = { out: '', error: '' }
  child.stdout.on('data', (chunk) => {
    printed.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    printed.error += chunk
  })
  const until = async (pattern: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = pattern.exec(printed.out)
      if (match) return match
      await once(child.stdout, 'data')
    }
  }
  return { child, printed, until, ended: once(child, 'close').then(([code]) => code as number | null) }
}

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

describe('workflow-automation sandbox', () => {
  it('sandbox prints its address, keys and working commands, then a line per request, and stops when interrupted', async () => {
    const { child, printed, until, ended } = command('sandbox', '--port', '0', '--seed', '7', '--speed', '10')
    const [, url] = await until(/curl (http\S+\/playbooks) -H 'Authorization: Bearer key_valid'/)
    await until(/Stop it/)
    const response = await fetch(url ?? '', { headers: { authorization: 'Bearer key_valid' } })
    expect(response.status).toBe(200)
    await until(/200 GET \/v1\/playbooks \d+\.\d ms\n/)
    expect(printed.out).toContain('key_read_only')
    expect(printed.out).toMatch(/^ {2}needsApproval +pb_/m)
    child.kill('SIGINT')
    expect(await ended).toBe(0)
    await expect(fetch(url ?? '')).rejects.toThrow()
    expect(printed.error).toBe('')
  })

  it('sandbox --require-world prints commands that work in a world', async () => {
    const { until } = command('sandbox', '--port', '0', '--require-world')
    const [, url] = await until(/curl (http\S+\/playbooks) -H 'Authorization: Bearer key_valid'/)
    await until(/Stop it/)
    const response = await fetch(url ?? '', { headers: { authorization: 'Bearer key_valid' } })
    expect(response.status).toBe(200)
  })

  it('sandbox reports the port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { printed, ended } = command('sandbox', '--port', String(port))
    expect(await ended).toBe(1)
    expect(printed.error).toContain(`Port ${port} is in use. Choose another with --port`)
    other.close()
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'sandbox exits with 0 within seconds of a %s, with requests and streams open',
    async (signal) => {
      const { child, printed, until, ended } = command('sandbox', '--port', '0')
      const [, url = ''] = await until(/curl (http\S+)\/playbooks -H/)
      const { origin } = new URL(url)
      await fetch(`${origin}/__sandbox/inject`, {
        method: 'POST',
        body: '{"delay":600000,"operation":"listProviders"}',
      })
      const delayed = fetch(`${url}/providers`, { headers: { authorization: 'Bearer key_valid' } }).catch(
        () => 'closed',
      )
      expect((await fetch(`${origin}/w/a`, { method: 'PUT' })).status).toBe(200)
      const stream = await fetch(`${origin}/w/a/__sandbox/events`)
      const idle = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
      const half = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {})
      half.write('POST /v1/playbooks/pb_7hQ2vn/runs HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{')
      const read = stream.text().catch(() => 'closed')
      await new Promise((resolve) => setTimeout(resolve, 100))
      child.kill(signal)
      expect(await ended).toBe(0)
      expect(await delayed).toBe('closed')
      expect(await read).toContain('event: open')
      expect(printed.error).toBe('')
      idle.destroy()
      half.destroy()
    },
  )

  it('sandbox exits at once at a second signal', async () => {
    const { child, until } = command('sandbox', '--port', '0')
    const [, url = ''] = await until(/curl (http\S+)\/playbooks -H/)
    await fetch(`${new URL(url).origin}/__sandbox/inject`, { method: 'POST', body: '{"delay":600000}' })
    const delayed = fetch(`${url}/providers`, { headers: { authorization: 'Bearer key_valid' } }).catch(() => 'closed')
    await new Promise((resolve) => setTimeout(resolve, 100))
    const closed = once(child, 'close')
    child.kill('SIGINT')
    await new Promise((resolve) => setTimeout(resolve, 100))
    child.kill('SIGINT')
    expect(await closed).toEqual([null, 'SIGINT'])
    expect(await delayed).toBe('closed')
  })

  it('sandbox keeps running when the reader of its output closes the pipe', async () => {
    const { child, until } = command('sandbox', '--port', '0')
    const [, url] = await until(/curl (http\S+\/playbooks) -H/)
    await until(/Stop it/)
    child.stdout.destroy()
    for (let count = 0; count < 5; count++)
      expect((await fetch(url ?? '', { headers: { authorization: 'Bearer key_valid' } })).status).toBe(200)
  })

  it('sandbox prints a control command with a random token when it listens on every address', async () => {
    const { until } = command('sandbox', '--port', '0', '--host', '0.0.0.0', '--quiet')
    const [, url, token] = await until(/curl -X POST (http\S+)\/runs\/RUN_ID\/approve -H 'Authorization: Bearer (\S+)'/)
    expect((await fetch(`${url}/keys`, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200)
    expect((await fetch(`${url}/keys`)).status).toBe(401)
  })

  it('sandbox reads a world file with a byte order mark, and reports the location of an error in a world file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'worlds-'))
    const cases: [string, string][] = [
      ['null', '- the world: must be of the type object.'],
      ['""', '- the world: must be of the type object.'],
      ['\uFEFF{"a":{}}', '- /a/keys: the property "keys" is missing.'],
      ['{\n  "a" 1', ':2:7 cannot be read: is not JSON'],
    ]
    await Promise.all(
      cases.map(async ([content, message], index) => {
        const file = join(folder, `world${index}.json`)
        await writeFile(file, content)
        const { printed, ended } = command('sandbox', '--port', '0', '--world', file)
        expect(await ended).toBe(1)
        expect(printed.error).toContain(message)
      }),
    )
    await rm(folder, { recursive: true })
  })

  it('sandbox refuses an invalid option value with the reason', async () => {
    const cases: [string, string, string][] = [
      ['--plan', 'gold', 'pro10x'],
      ['--port', 'high', 'whole number'],
      ['--port', '-1', 'It must be a whole number from 0 to 65535.'],
      ['--port', '99999', 'It must be a whole number from 0 to 65535.'],
      ['--max-runs', '0', 'It must be a whole number, 1 or more.'],
      ['--max-worlds', '0', 'It must be a whole number, 1 or more.'],
      ['--host', '192.0.2.1', '192.0.2.1 is not an address of this machine.'],
      ['--host', 'no host', 'no host'],
      ['--speed', '0', 'above 0'],
      ['--world', 'nowhere.json', 'The world in nowhere.json cannot be read'],
    ]
    await Promise.all(
      cases.map(async ([option, value, reason]) => {
        const { printed, ended } = command('sandbox', option, value)
        expect(await ended).toBe(1)
        expect(printed.error).toContain(reason)
      }),
    )
  })
})
