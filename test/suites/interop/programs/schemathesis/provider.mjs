// Serves examples/provider-hono while a command runs, which finds it at BASE_URL.
import { spawn } from 'node:child_process'
import { serve } from 'srvx'

const { createProvider, demoGrants } = await import(`${process.env.ROOT}/examples/provider-hono/app.ts`)
const grants = await demoGrants()
const [{ tenant }] = grants.values()
const provider = createProvider(grants)
let requests = 0
const server = serve({
  port: 0,
  hostname: '127.0.0.1',
  silent: true,
  fetch(request) {
    // Each request counts for a workspace of its own, or nearly all of them would get a 429.
    tenant.workspace.id = `ws_${++requests}`
    return provider.fetch(request)
  },
})
await server.ready()
const [command, ...args] = process.argv.slice(2)
const env = { ...process.env, BASE_URL: `${server.url}v1` }
spawn(command, args, { stdio: 'inherit', env }).on('close', (code) => process.exit(code ?? 1))
