import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import getPort from 'get-port'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { binary } from '../support/project.js'
import { type Consumer, consumer, link, NAME } from './consumer.js'

let project: Consumer
let prism: { url: string; close(): Promise<void> }
beforeAll(async () => {
  project = await consumer()
  prism = await startPrism(await getPort({ host: '127.0.0.1' }))
})
afterAll(async () => {
  await prism.close()
  project.remove()
})

describe('a project that has installed the package', () => {
  it('a project with the installed package compiles, and its client gets responses from Prism', async () => {
    link(project.root, '@types/node')
    link(project.root, 'undici-types')
    project.write(
      'src/app.ts',
      `import { createClient, type Run } from '${NAME}'
       import type { TriggerRunRequest } from '${NAME}/types'

       const client = createClient({ baseUrl: process.env['BASE_URL'] as string, apiKey: 'any-key' })
       const order: TriggerRunRequest = { inputs: { order: '42' } }
       const { data } = await client.listPlaybooks()
       const { id } = await client.triggerRun(data[0]!.id, order)
       const run: Run = await client.getRun(id)
       const polled = await client.GET('/runs/{id}', { params: { path: { id }, header: { 'Service-Version': '2026-11-21' } } })
       console.log(JSON.stringify({ playbooks: data.length, same: run.id === id, status: polled.data?.status }))`,
    )
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2022',
      strict: true,
      skipLibCheck: true,
      rootDir: 'src',
      outDir: 'out',
      types: ['node'],
    }
    project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['src'] }))
    expect(await project.tsc()).toEqual({ code: 0, printed: '' })
    project.write('run.mjs', `process.env.BASE_URL = '${prism.url}'; await import('./out/app.js')`)
    expect(await project.node('run.mjs')).toEqual({
      code: 0,
      printed: `${JSON.stringify({ playbooks: 3, same: true, status: 'running' })}\n`,
    })
  })

  it('the client receives the validation errors of Prism for a wrong request', async () => {
    const init = {
      method: 'POST',
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
      body: '{}',
    }
    expect((await fetch(`${prism.url}/playbooks/pb_1/runs`, init)).status).toBe(400)
    expect((await fetch(`${prism.url}/playbooks`)).status).toBe(401)
  })
})

/** Starts Prism as its users do: by the name of the command, on the document in `node_modules`. */
async function startPrism(port: number): Promise<{ url: string; close(): Promise<void> }> {
  mkdirSync(join(project.root, 'node_modules/.bin'), { recursive: true })
  symlinkSync(binary('prism'), join(project.root, 'node_modules/.bin/prism'))
  const document = `node_modules/${NAME}/generated/openapi.yaml`
  const args = ['--no-install', 'prism', 'mock', document, '--port', String(port), '--host', '127.0.0.1']
  const child = spawn('npx', args, { cwd: project.root, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  await new Promise<void>((resolve, reject) => {
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        printed += chunk
        if (printed.includes('Prism is listening')) resolve()
      })
    child.once('exit', (code) => reject(new Error(`Prism ended with ${code}: ${printed}`)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      // npx, the shell that it starts, and Prism are one process group.
      process.kill(-(child.pid as number), 'SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}
