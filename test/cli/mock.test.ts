import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The command on a free port, once it listens, with what it has printed until then. */
async function startMock() {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/index.ts', 'mock', '--port', '0'], { cwd: root })
  const ended = once(child, 'close')
  let printed = ''
  for await (const chunk of child.stdout) {
    printed += chunk
    if (/listening on/.test(printed)) break
  }
  return { child, ended, printed }
}

describe('workflow-automation mock', () => {
  it('runs Prism on the packaged document and ends with it', async () => {
    const { child, ended, printed } = await startMock()
    const url = /listening on (http:\/\/\S+:\d+)/.exec(printed)?.[1] ?? ''
    const response = await fetch(`${url}/workspaces/me`, { headers: { authorization: 'Bearer any' } })
    expect(await response.json()).toEqual({ id: 'ws_5RkP0d', name: 'Acme Operations' })
    child.kill('SIGTERM')
    await ended
    await expect(fetch(url)).rejects.toThrow()
  })

  it.runIf(process.platform === 'linux')('exits with 137 when Prism is killed', async () => {
    const { child, ended } = await startMock()
    const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
    for (const pid of children.split(' ').filter(Boolean))
      if ((await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes('prism')) process.kill(Number(pid), 'SIGKILL')
    expect((await ended)[0]).toBe(137)
  })

  it('says how to install Prism when it is missing', async () => {
    const hide = `data:text/javascript,${encodeURIComponent(HIDE_PRISM)}`
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', '--import', hide, join(root, 'src/cli/index.ts'), 'mock'],
      { cwd: root },
    )
    let printed = ''
    child.stderr.on('data', (chunk) => {
      printed += chunk
    })
    const [code] = await once(child, 'close')
    expect(code).toBe(1)
    expect(printed).toContain('npm install --save-dev @stoplight/prism-cli@5.14.2')
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
