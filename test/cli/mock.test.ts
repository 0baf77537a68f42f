import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { examples } from '../../generated/examples.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The command on a free port, once it listens, with what it has printed until then. */
async function startMock() {
  const child = spawn(process.execPath, ['dist/src/cli/index.js', 'mock', '--port', '0'], { cwd: root })
  const ended = once(child, 'close')
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += chunk
    if (/listening on/.test(printed)) break
  }
  return { child, ended, printed }
}

describe('workflow-automation mock', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)(
    'mock runs Prism on the packaged document, and a %s ends both',
    async (signal) => {
      const { child, ended, printed } = await startMock()
      const url = /listening on (http:\/\/\S+:\d+)/.exec(printed)?.[1] ?? ''
      const response = await fetch(`${url}/workspaces/me`, { headers: { authorization: 'Bearer any' } })
      expect(await response.json()).toEqual({ id: 'ws_5RkP0d', name: 'Acme Operations' })
      child.kill(signal)
      await ended
      await expect(fetch(url)).rejects.toThrow()
    },
  )

  it.runIf(process.platform === 'linux')('mock exits with 137 when Prism is killed', async () => {
    const { child, ended } = await startMock()
    const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
    for (const pid of children.split(' ').filter(Boolean))
      if ((await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes('prism')) process.kill(Number(pid), 'SIGKILL')
    expect((await ended)[0]).toBe(137)
  })

  it('mock reports the port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    expect(await run('mock', '--port', `${port}`)).toEqual({
      code: 1,
      printed: `Port ${port} is in use. Choose another with --port, or 0 for any free one.\n`,
    })
    other.close()
  })

  it('mock explains how to install Prism when it is missing, and prints its help without it', async () => {
    const hide = ['--import', `data:text/javascript,${encodeURIComponent(HIDE_PRISM)}`]
    const [missing, help] = await Promise.all([runWith(hide, 'mock'), runWith(hide, 'mock', '--help')])
    expect(missing.code).toBe(1)
    expect(missing.printed).toContain('npm install --save-dev @stoplight/prism-cli@5.14.2')
    expect(help.code).toBe(0)
    for (const [status, named] of Object.entries(examples.getRun))
      expect(help.printed).toMatch(new RegExp(`^  ${status}  .*${Object.keys(named)[0]}`, 'm'))
  })
})

const run = (...args: string[]) => runWith([], ...args)

/** Runs the command to its end. */
async function runWith(options: string[], ...args: string[]): Promise<{ code: number; printed: string }> {
  const all = ['--import', 'tsx', ...options, join(root, 'src/cli/index.ts'), ...args]
  const child = spawn(process.execPath, all, { cwd: root })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      printed += chunk
    })
  const [code] = await once(child, 'close')
  return { code, printed }
}

/** Makes Prism look as if it were not installed. */
const HIDE_PRISM = `
import Module from 'node:module'
const resolve = Module._resolveFilename
Module._resolveFilename = function (name, ...rest) {
  if (name.startsWith('@stoplight/prism-cli')) throw Object.assign(new Error('missing'), { code: 'MODULE_NOT_FOUND' })
  return resolve.call(this, name, ...rest)
}
`
