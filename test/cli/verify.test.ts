import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.js'
import { listen, type SandboxServer } from '../../src/sandbox/node.js'
import { repository } from '../support/project.js'

const children: ChildProcess[] = []
let server: SandboxServer
let folder: string
let closed: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'verify-'))
  server = await listen(createSandbox({ plan: false }))
  const other = await listen(createSandbox())
  closed = other.baseUrl
  await other.close()
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
  await server.close()
})

const KEYS = {
  WORKFLOW_API_KEY: 'key_valid',
  READ_ONLY: 'key_read_only',
  OTHER: 'key_nobody',
  NO_COLOR: '',
  FORCE_COLOR: '',
}

function verify(args: string[], env: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, ['dist/src/cli/index.js', 'verify', ...args, '--depth', 'quick'], {
    cwd: repository,
    env: { ...process.env, ...KEYS, ...env },
  })
  children.push(child)
  const printed = { out: '', error: '' }
  child.stdout.on('data', (chunk) => {
    printed.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    printed.error += chunk
  })
  return { child, printed, ended: once(child, 'close').then(([code]) => code as number | null) }
}

/** Headers that are about the message, and not about the connection. */
const ownHeaders = (headers: Headers | NodeJS.Dict<string | string[]>): Record<string, string> =>
  Object.fromEntries(
    [...(headers instanceof Headers ? headers : Object.entries(headers))]
      .filter(([name]) => !/^(host|connection|keep-alive|content-length|transfer-encoding|accept-encoding)$/.test(name))
      .map(([name, value]) => [name, String(value)]),
  )

/** What the sandbox responds with to a request. */
async function passOn(request: IncomingMessage) {
  const { method = 'GET', url = '', headers } = request
  const sent = await text(request)
  const init = { method, headers: ownHeaders(headers), ...(sent && { body: sent }) }
  const received = await fetch(new URL(server.baseUrl).origin + url, init)
  return { status: received.status, headers: ownHeaders(received.headers), text: await received.text() }
}

/** Addresses that are known only when the test runs. */
const ADDRESSES: Record<string, () => string> = { SERVER: () => server.baseUrl, CLOSED: () => closed }

describe('workflow-automation verify', () => {
  it('verify announces its requests, prints the table without colour, writes the report files and exits with 0', async () => {
    const [junit, html] = [join(folder, 'report.xml'), join(folder, 'report.html')]
    const { printed, ended } = verify([
      server.baseUrl,
      '--read-only-key-env',
      'READ_ONLY',
      '--junit',
      junit,
      '--html',
      html,
    ])
    expect(await ended).toBe(0)
    expect(printed.error).toMatch(
      /^Checking http:\S+ with about \d+ requests, at most \d+, in less than a minute \(seed \d+\)\.\nNothing is triggered: .+\n$/,
    )
    expect(printed.out).toMatch(/\nKeeps to the contract; \d+ of \d+ entries of the register were exercised\.\n/)
    expect(printed.out).toContain('More is exercised with --trigger, --run, --rate-limit')
    expect(printed.out).not.toContain('\u001b')
    expect(printed.out).not.toContain('…')
    expect(readFileSync(junit, 'utf8')).toContain('<testcase classname="contract.stated" name="S25 ')
    expect(readFileSync(html, 'utf8')).toContain('<title>Keeps to the contract')
  })

  it('verify prints colour with FORCE_COLOR', async () => {
    const { printed, ended } = verify([server.baseUrl, '--quiet'], { FORCE_COLOR: '1' })
    expect(await ended).toBe(0)
    expect(printed.out).toContain('\u001b[32m')
    expect(printed.error).toBe('')
  })

  it('verify exits with 1 when an entry fails, and prints only JSON with --json', async () => {
    const broken = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    }).listen(0, '127.0.0.1')
    await once(broken, 'listening')
    const { port } = broken.address() as AddressInfo
    const { printed, ended } = verify([`http://127.0.0.1:${port}/v1`, '--json', '--suggest'])
    expect(await ended).toBe(1)
    const report = JSON.parse(printed.out)
    expect(report).toMatchObject({ passed: false, complete: true })
    expect(report.suggestions.length).toBeGreaterThan(0)
    expect(printed.out + printed.error).not.toContain('key_valid')
    broken.close()
  })

  it('verify follows a run, and still prints its report when it is interrupted', async () => {
    const sandbox = createSandbox({ progress: 'clock' })
    const slow = await listen(sandbox)
    const { child, printed, ended } = verify([slow.baseUrl, '--trigger', sandbox.playbooks.slow, '--input', 'month=11'])
    while (sandbox.requests().at(-1)?.operation !== 'getRun' || sandbox.state.workspaces[0]?.runs.length !== 3)
      await new Promise((resolve) => setTimeout(resolve, 50))
    expect(sandbox.state.workspaces[0]?.runs[1]?.inputs).toEqual({ month: '11' })
    child.kill('SIGINT')
    expect(await ended).toBe(2)
    expect(printed.out).toContain('Not everything was checked. It was interrupted.')
    expect(printed.out).toContain('Keeps to the contract as far as it was checked')
    await slow.close()
  })

  it.each([
    ['SIGINT', 'SIGINT'],
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGTERM'],
  ] as const)(
    'verify still prints and writes its report when %s is followed by %s, as terminals and timeout do',
    async (first, second) => {
      let calls = 0
      const silent = createServer(async (request, response) => {
        const { status, headers, text: body } = await passOn(request)
        if (++calls < 9) response.writeHead(status, headers).end(body)
        else response.once('close', () => silent.emit('given-up'))
      }).listen(0, '127.0.0.1')
      await once(silent, 'listening')
      const { port } = silent.address() as AddressInfo
      const junit = join(folder, `${first}-${second}.xml`)
      const { child, printed, ended } = verify([`http://127.0.0.1:${port}/v1`, '--json', '-q', '--junit', junit])
      const given = once(silent, 'given-up')
      while (calls < 9) await new Promise((resolve) => setTimeout(resolve, 20))
      child.kill(first)
      await given
      child.kill(second)
      expect(await ended).toBe(2)
      expect(JSON.parse(printed.out)).toMatchObject({ complete: false, requests: 9 })
      expect(readFileSync(junit, 'utf8')).toContain('</testsuites>')
      silent.closeAllConnections()
      silent.close()
    },
  )

  it.skipIf(process.platform === 'win32')(
    'verify ends at once by a signal that comes long after the first one',
    async () => {
      const pipe = join(folder, 'pipe')
      spawnSync('mkfifo', [pipe])
      const { child } = verify(['http://localhost/v1', '--har', pipe])
      const exit = once(child, 'exit')
      // Opens when the command does, which then waits for what it is to read.
      const writer = await open(pipe, 'w')
      const again = setInterval(() => child.kill('SIGINT'), 50)
      expect(await exit).toEqual([null, 'SIGINT'])
      clearInterval(again)
      await writer.close()
    },
  )

  it('verify warns before the first request when keys go over the network in clear text', async () => {
    const { printed, ended } = verify(['http://verify.invalid/v1'])
    expect(await ended).toBe(2)
    expect(printed.error).toContain('\nKeys are sent to http://verify.invalid in clear text, for others')
  })

  it('verify fails on contradicted entries only with --fail-on contradicted', async () => {
    const proxy = createServer(async (request, response) => {
      const received = await passOn(request)
      const type = received.status < 300 ? { 'content-type': 'application/vnd.service+json' } : {}
      response.writeHead(received.status, { ...received.headers, ...type }).end(received.text)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const { port } = proxy.address() as AddressInfo
    const args = [`http://127.0.0.1:${port}/v1`, '--quiet']
    expect(await verify(args).ended).toBe(0)
    const strict = verify([...args, '--fail-on', 'contradicted'])
    expect(await strict.ended).toBe(1)
    expect(strict.printed.out).toContain('\nContradicts 1 of the observed or assumed entries; ')
    proxy.close()
  })

  describe('a report that is longer than a pipe buffer', () => {
    const broken = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ long: 'x'.repeat(4_000) }))
    })
    let baseUrl: string
    beforeAll(async () => {
      broken.listen(0, '127.0.0.1')
      await once(broken, 'listening')
      baseUrl = `http://127.0.0.1:${(broken.address() as AddressInfo).port}/v1`
    })
    afterAll(() => broken.close())

    it('verify prints the whole of a long report to a slow reader', async () => {
      const { child, printed, ended } = verify([baseUrl, '--json', '--quiet'])
      child.stdout.pause()
      await new Promise((resolve) => setTimeout(resolve, 3_000))
      child.stdout.resume()
      expect(await ended).toBe(1)
      const { out } = printed
      expect(out.length).toBeGreaterThan(100_000)
      expect(JSON.parse(out)).toMatchObject({ passed: false, complete: true })
    })

    it.each([
      ['--json', 'stdout'],
      ['--suggest', 'stdout'],
      ['--json', 'stderr'],
    ] as const)('verify with %s exits without an error when the reader of %s closes the pipe', async (flag, stream) => {
      const { child, printed, ended } = verify([baseUrl, flag])
      child[stream].destroy()
      expect(await ended).toBe(1)
      expect(printed.error).not.toMatch(/EPIPE|\n +at /)
      if (stream === 'stderr') expect(JSON.parse(printed.out)).toMatchObject({ passed: false })
    })
  })

  it.skipIf(!existsSync('/dev/full'))('says that the output cannot be written, and ends with 2', async () => {
    // /dev/full, which Linux has, is a disk without space.
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, ['dist/src/cli/index.js', 'verify', server.baseUrl, '--json', '-q'], {
      cwd: repository,
      env: { ...process.env, ...KEYS },
      stdio: ['ignore', full, 'pipe'],
    })
    children.push(child)
    closeSync(full)
    const printed = text(child.stderr as Readable)
    const [code] = await once(child, 'close')
    expect(await printed).toMatch(/^The output cannot be written: .*ENOSPC.*\n$/)
    expect(code).toBe(2)
  })

  it('verify leaves no process behind when npx itself is ended', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const command = `node --import tsx src/cli/index.ts verify http://127.0.0.1:${port}/v1 --timeout 300`
    const npx = spawn('npx', ['--no-install', '-c', command], { cwd: repository, env: { ...process.env, ...KEYS } })
    children.push(npx)
    const ended = once(npx, 'close')
    await once(silent, 'request')
    npx.kill('SIGTERM')
    await ended
    silent.closeAllConnections()
    silent.close()
  })

  it.each([
    ['SIGTERM that reaches only the shell of npx', 'SIGTERM', false],
    ['Ctrl-C, which reaches the whole group', 'SIGINT', true],
  ] as const)('verify leaves no process behind after %s', async (_, signal, wholeGroup) => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const command = [process.execPath, 'dist/src/cli/index.js', 'verify', `http://127.0.0.1:${port}/v1`]
    const shell = spawn('sh', ['-c', '"$@"; exit $?', 'sh', ...command, '--timeout', '300'], {
      cwd: repository,
      // As npx has it, whose shell does not pass signals on.
      env: { ...process.env, ...KEYS, npm_command: 'exec' },
      detached: true,
    })
    const { pid } = shell
    if (pid === undefined) throw new Error('There is no shell.')
    // Its pipes are closed when the last process that has them ends.
    const ended = once(shell, 'close')
    await once(silent, 'request')
    process.kill(wholeGroup ? -pid : pid, signal)
    await ended
    silent.closeAllConnections()
    silent.close()
  })

  it.each([
    [['CLOSED'], {}, 'Nothing listens at http://127.0.0.1:'],
    [['nowhere'], {}, 'The base URL has to be complete'],
    [[], {}, "missing required argument 'base-url'"],
    [['SERVER'], { WORKFLOW_API_KEY: '' }, 'The environment variable WORKFLOW_API_KEY is not set, or is empty.'],
    [['SERVER', '--key-env', 'OTHER'], {}, 'responded to every request with 401'],
    [['SERVER', '--max-wait', 'long'], {}, 'a number of seconds above 0'],
    [['SERVER', '--junit', '/nowhere/report.xml'], {}, '/nowhere/report.xml cannot be written'],
    [['CLOSED', '--html', '/nowhere/report.html'], {}, '/nowhere is not a writable folder'],
    [['SERVER', '--run', 'nope'], {}, 'There is no such run: the service responded with 404. Check --run.'],
    [
      ['SERVER', '--trigger', 'nope'],
      {},
      'There is no such playbook: the service responded with 404. Check --trigger.',
    ],
    [['SERVER', '--html', 'openapi'], {}, 'it is a folder. Name a file in it.'],
    [['SERVER', '--html', 'report', '--junit', './report'], {}, '--html would write over report, the file of --junit.'],
    [['SERVER', '--har', 'README.md', '--junit', './README.md'], {}, '--junit would write over ./README.md'],
    [['SERVER', '--unsafe', 'getRun'], {}, 'the operations that are called on request only are: none.'],
    [['SERVER', '--input', 'month=11'], {}, '--input needs --trigger: only a run has inputs.'],
    [['SERVER', '--fail-on', 'anything'], {}, 'Allowed choices are contradicted.'],
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
