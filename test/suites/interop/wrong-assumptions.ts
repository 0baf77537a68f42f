/**
 * Serves a sandbox in which assumptions of the contract are wrong, one below each path, while a command runs that calls it:
 *
 *     node --import tsx test/suites/interop/wrong-assumptions.ts COMMAND …
 *
 * SERVERS is the JSON of the base URLs by name. Fails unless the command passes and each trigger started one run.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { serve } from 'srvx'
import { createSandbox } from '../../../src/tools/sandbox/index.js'

// biome-ignore lint/suspicious/noExplicitAny: an assumption that is wrong may give a body any form
type Body = any
interface Outgoing {
  method: string
  path: string
  status: number
  headers: Headers
  body: Body
}

const onTrigger = (change: (it: Outgoing) => void) => (it: Outgoing) => {
  if (it.method === 'POST') change(it)
}
let reads = 0

const WRONG: Record<string, (it: Outgoing) => void> = {
  'other success': (it) => {
    if (it.status < 300) it.status = it.method === 'POST' ? 202 : 203
  },
  'other media type': (it) => it.headers.set('content-type', 'application/vnd.example+json'),
  'id elsewhere': onTrigger((it) => {
    it.headers.set('location', `/v1/runs/${it.body.id}`)
    it.body = { run: { id: it.body.id } }
  }),
  'list without pages': (it) => {
    if (it.path === '/playbooks') it.body.meta = { total: 4, page: 1, per_page: 4 }
  },
  'other total': (it) => {
    if (it.path === '/playbooks') it.body.meta.total = 1
  },
  'playbooks without ids': (it) => {
    if (it.path === '/playbooks') for (const each of it.body.data) delete each.id
  },
  'unknown terminal status': (it) => {
    if (it.body?.status === 'succeeded') it.body.status = 'completed'
  },
  '404 right after the trigger': (it) => {
    if (it.path.startsWith('/runs/') && reads++ < 2) Object.assign(it, { status: 404, body: { error: 'not_found' } })
  },
  '422 to inputs': onTrigger((it) => Object.assign(it, { status: 422, body: { errors: ['order is required'] } })),
  'other error shapes': (it) => {
    if (it.status >= 400) it.body = { error: { message: 'No.' } }
  },
  'releases refused': (it) => {
    if (it.path === '/workspaces/me') Object.assign(it, { status: 400, body: { message: 'There is no such release.' } })
  },
}

const sandbox = createSandbox({ plan: false, speed: 50, seed: 1 })
let started = 0
const server = serve({
  port: 0,
  hostname: '127.0.0.1',
  silent: true,
  async fetch(request) {
    const { pathname, search } = new URL(request.url)
    const [, name = '', path = ''] = /^\/([^/]+)\/v1(\/.*)$/.exec(pathname) ?? []
    const response = await sandbox.fetch(new Request(`${sandbox.baseUrl}${path}${search}`, request))
    if (request.method === 'POST' && response.ok) started++
    const { status, headers } = response
    const it: Outgoing = { method: request.method, path, status, headers, body: await response.json() }
    WRONG[decodeURIComponent(name)]?.(it)
    it.headers.delete('content-length')
    return new Response(JSON.stringify(it.body), { status: it.status, headers: it.headers })
  },
})
await server.ready()
const names = Object.keys(WRONG)
const base = (name: string) => `${server.url}${encodeURIComponent(name)}/v1`
const [command = '', ...args] = process.argv.slice(2)
const env = {
  ...process.env,
  API_KEY: sandbox.keys.valid,
  PLAYBOOK: sandbox.playbooks.succeeds,
  SERVERS: JSON.stringify(Object.fromEntries(names.map((name) => [name, base(name)]))),
}
const [code] = await once(spawn(command, args, { stdio: 'inherit', env }), 'close')
await server.close(true)
if (code === 0 && started !== names.length) console.error(`${names.length} triggers started ${started} runs.`)
process.exit(code === 0 && started === names.length ? 0 : 1)
