import { existsSync } from 'node:fs'
import { join } from 'node:path'
import getPort, { portNumbers } from 'get-port'
import { serve } from 'srvx'
import { staticMiddleware } from 'srvx/static'
import { listenForSignals, onInterrupt } from '../src/tools/cli/signals.js'
import { createSandbox } from '../src/tools/sandbox/index.js'
import { listen, type SandboxServer } from '../src/tools/sandbox/port/index.js'
import { buildPackage, SITE } from './build.js'
import { keepMock } from './mock.js'
import { exitWithError, printFailure } from './support/diagnostics.js'

const SITE_PORT = Number(process.env.SITE_PORT ?? 8080)
const SANDBOX_PORT = Number(process.env.SANDBOX_PORT ?? 4010)
const MOCK_PORT = Number(process.env.MOCK_PORT ?? 4020)

/** The port itself, or the next free one, with a word about it. */
async function freePort(wanted: number, server: string): Promise<number> {
  const port = await getPort({ port: portNumbers(wanted, wanted + 99), host: '127.0.0.1' })
  if (port !== wanted)
    warn(`Port ${wanted} is taken by another program, such as a second npm start. The ${server} is on ${port}.`)
  return port
}

const warn = (message: string) => void process.stderr.write(`${message}\n`)

/**
 * `npm start`: builds the package and serves it, the sandbox and the mock on loopback until Ctrl-C. The site follows
 * when it is made, at once if nothing has changed.
 */
async function main(): Promise<void> {
  listenForSignals()
  const interrupted = new Promise<[]>((resolve) => onInterrupt(() => resolve([])))
  const servers = await Promise.race([buildAndServe(process.cwd()), interrupted])
  await interrupted
  process.stdout.write('\nStopping.\n')
  await Promise.all(servers.map((server) => server.close(true)))
  // A build that was interrupted has nothing to finish.
  process.exit()
}

/** Resolves when the package is served. The site follows. */
async function buildAndServe(root: string): Promise<{ close(force?: boolean): Promise<void> }[]> {
  const makeSite = await buildPackage({ root })
  const servers = await startServers(root)
  makeSite().catch((error: unknown) => {
    waiting = FAILED
    printFailure(error, 'sandbox and mock go on without the new site')
  })
  return servers
}

async function startServers(root: string) {
  const sandbox = createSandbox({ progress: 'clock' })
  const sandboxServer = await listen(sandbox, { port: await freePort(SANDBOX_PORT, 'sandbox') })
  const mock = await keepMock(root, await freePort(MOCK_PORT, 'mock'), warn)
  const site = serve({
    hostname: '127.0.0.1',
    port: await freePort(SITE_PORT, 'site'),
    silent: true,
    middleware: [staticMiddleware({ dir: join(root, SITE) })],
    fetch: () =>
      existsSync(join(root, SITE))
        ? new Response('There is nothing here.', { status: 404 })
        : new Response(waiting, { headers: { 'content-type': 'text/html; charset=utf-8' } }),
  })
  await site.ready()
  process.stdout.write(welcome(site.url ?? '', sandboxServer, mock.url, sandbox.keys.valid))
  return [site, sandboxServer, mock]
}

const page = (text: string, head = ''): string =>
  `<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">${head}
<title>Workflow Automation Service</title>
<p>${text}</p>`

const FAILED = page(
  'The site could not be built. The terminal that runs npm start says why. The sandbox and the mock work.',
)

/** The page shown until the site is built. It reloads itself every 2 s. */
let waiting = page(
  'The site is being built. This takes about half a minute after a change; the sandbox and the mock already work.',
  '<meta http-equiv="refresh" content="2">',
)

const welcome = (site: string, { baseUrl, consoleUrl }: SandboxServer, mock: string, key: string): string => `
Site     ${site}
Sandbox  ${baseUrl}   does what the contract says: runs progress, keys and limits work
Console  ${consoleUrl}   shows the sandbox and drives it
Mock     ${mock}   Prism: the examples of the contract, no memory

Try it:  curl -H 'Authorization: Bearer ${key}' ${baseUrl}/playbooks
         curl -H 'Authorization: Bearer any-key' ${mock}/playbooks

Ctrl-C stops them all.
`

main().catch(exitWithError)
