import { describe, expect, it } from 'vitest'
import { alike, CLI, command, run, start } from '../../cli/command.js'
import { VERSION } from '../../support/fixtures.js'

/** The command on a free port, once Prism listens, and the address of Prism. */
async function startMock(...options: string[]) {
  const mock = command(['mock', '--port', '0', ...options])
  const [, url = ''] = await mock.until(/listening on (http:\/\/\S+:\d+)/)
  return { ...mock, url }
}

describe('workflow-automation mock', () => {
  it.each(['SIGHUP', 'SIGKILL'] as const)(
    'mock runs Prism on the packaged document, and %s ends both',
    async (signal) => {
      const { child, ended, url } = await startMock()
      const response = await fetch(`${url}${VERSION}/workspaces/me`, { headers: { authorization: 'Bearer any' } })
      expect(await response.json()).toEqual({ id: 'ws_5RkP0d', name: 'Acme Operations' })
      child.kill(signal)
      await ended
      await expect(fetch(url)).rejects.toThrow()
    },
  )

  it('mock passes other options to Prism', async () => {
    const { url } = await startMock('--dynamic')
    const response = await fetch(`${url}${VERSION}/workspaces/me`, { headers: { authorization: 'Bearer any' } })
    expect((await response.json()).id).not.toBe('ws_5RkP0d')
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
    expect(help.printed.out).toContain(`Use http://127.0.0.1:4020${VERSION} as the client's base URL.`)
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
