import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import getPort from 'get-port'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyProject, type Project } from '../../support/project.js'

let project: Project
beforeAll(() => {
  project = copyProject()
  // The site is made while it is served.
  rmSync(join(project.root, '.build/site'), { recursive: true, force: true })
})
afterAll(() => project.remove())

it('npm start serves site, sandbox and mock, uses the next free port and stops cleanly on Ctrl-C', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  const sandboxPort = await getPort({ host: '127.0.0.1' })
  const mockPort = await getPort({ host: '127.0.0.1' })
  const start = spawn(process.execPath, ['--import', 'tsx', 'scripts/start.ts'], {
    cwd: project.root,
    env: { ...process.env, SITE_PORT: String(port), SANDBOX_PORT: String(sandboxPort), MOCK_PORT: String(mockPort) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  try {
    let printed = ''
    let complained = ''
    start.stderr.on('data', (chunk) => {
      complained += chunk
    })
    await new Promise<void>((resolve) =>
      start.stdout.on('data', (chunk) => {
        printed += chunk
        if (printed.includes('Ctrl-C')) resolve()
      }),
    )
    const site = /^Site +(\S+)/m.exec(printed)?.[1] ?? ''
    expect(site).not.toContain(`:${port}/`)
    expect(complained).toContain(`Port ${port} is taken by another program, such as a second npm start. The site is on`)
    const page = async (path = '') => (await fetch(`${site}${path}`)).text()
    expect(await page()).toContain('The site is being built')
    const commands = [...printed.matchAll(/curl -H '(.+): (.+)' (\S+)/g)]
    expect(commands).toHaveLength(2)
    for (const [, name = '', value = '', url = ''] of commands)
      expect(await (await fetch(url, { headers: { [name]: value } })).json()).toHaveProperty('meta.total')
    await expect.poll(() => page(), { timeout: 200_000, interval: 500 }).toContain('href="/api/"')
    for (const path of ['api/', 'guides/testing.html', 'run.js', 'try.js'])
      expect((await fetch(`${site}${path}`)).status, path).toBe(200)
    start.kill('SIGINT')
    const [code] = await once(start, 'exit')
    expect(code).toBe(0)
    await expect(fetch(site)).rejects.toThrow()
  } finally {
    start.kill('SIGKILL')
    taken.close()
  }
})

it('npm start stops its servers when it is ended by its process id', async () => {
  const ports = await Promise.all([1, 2, 3].map(() => getPort({ host: '127.0.0.1' })))
  const [SITE_PORT, SANDBOX_PORT, MOCK_PORT] = ports.map(String)
  const npm = spawn('npm', ['start'], {
    cwd: project.root,
    env: { ...process.env, SITE_PORT, SANDBOX_PORT, MOCK_PORT },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await new Promise<void>((resolve) => npm.stdout.on('data', (chunk) => String(chunk).includes('Ctrl-C') && resolve()))
  npm.kill('SIGTERM')
  for (const port of ports)
    await expect
      .poll(() => fetch(`http://127.0.0.1:${port}/`).then(String, () => 'refused'), { timeout: 10_000 })
      .toBe('refused')
})
