import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { examples } from '../../generated/examples.js'
import { alike, CLI, command, run, start } from './command.js'

/** The command on a free port, once Prism listens, and the address of Prism. */
async function startMock() {
  const mock = command(['mock', '--port', '0'])
  const [, url = ''] = await mock.until(/listening on (http:\/\/\S+:\d+)/)
  return { ...mock, url }
}

describe('workflow-automation mock', () => {
  it('mock runs Prism on the packaged document, and a closed terminal ends both', async () => {
    const { child, ended, url } = await startMock()
    const response = await fetch(`${url}/workspaces/me`, { headers: { authorization: 'Bearer any' } })
    expect(await response.json()).toEqual({ id: 'ws_5RkP0d', name: 'Acme Operations' })
    child.kill('SIGHUP')
    await ended
    await expect(fetch(url)).rejects.toThrow()
  })

  it.runIf(process.platform === 'linux')('mock exits with 137 when Prism is killed', async () => {
    const { child, ended } = await startMock()
    const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
    for (const pid of children.split(' ').filter(Boolean))
      if ((await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes('prism')) process.kill(Number(pid), 'SIGKILL')
    expect(await ended).toBe(137)
  })

  it('mock reports the port that is in use', async () => {
    const { port } = await alike()
    expect(await run(['mock', '--port', `${port}`])).toEqual({
      status: 2,
      out: '',
      error: `Port ${port} is in use. Choose another with --port, or 0 for any free port.\n`,
    })
  })

  it('mock explains how to install Prism when it is missing, and prints its help without it', async () => {
    const hidden = ['--import', `data:text/javascript,${encodeURIComponent(HIDE_PRISM)}`, CLI, 'mock']
    const missing = start(process.execPath, hidden)
    const help = start(process.execPath, [...hidden, '--help'])
    expect(await missing.ended).toBe(2)
    expect(missing.printed.error).toContain('npm install --save-dev @stoplight/prism-cli@5.14.2')
    expect(await help.ended).toBe(0)
    for (const [status, named] of Object.entries(examples.getRun))
      expect(help.printed.out).toMatch(new RegExp(`^  ${status}  .*${Object.keys(named)[0]}`, 'm'))
  })
})

/** Makes Prism look as if it were not installed. */
const HIDE_PRISM = `
import Module from 'node:module'
const resolve = Module._resolveFilename
Module._resolveFilename = function (name, ...rest) {
  if (name.startsWith('@stoplight/prism-cli')) throw Object.assign(new Error('missing'), { code: 'MODULE_NOT_FOUND' })
  return resolve.call(this, name, ...rest)
}
`
