import { join } from 'node:path'
import { serve } from 'srvx'
import { staticMiddleware } from 'srvx/static'
import { build, report } from './build.js'
import { startMock } from './mock.js'
import { freePort } from './ports.js'

const SITE_PORT = Number(process.env.SITE_PORT ?? 8080)
const MOCK_PORT = Number(process.env.MOCK_PORT ?? 4010)

/** `npm start`: builds, then serves the site and the mock on loopback until Ctrl-C. */
async function main(): Promise<void> {
  const root = process.cwd()
  await build({ root })
  const mock = await startMock(join(root, 'generated/openapi.yaml'), await freePort(MOCK_PORT))
  const site = serve({
    hostname: '127.0.0.1',
    port: await freePort(SITE_PORT),
    silent: true,
    middleware: [staticMiddleware({ dir: join(root, 'dist/docs') })],
    fetch: () => new Response('There is nothing here.', { status: 404 }),
  })
  await site.ready()
  process.stdout.write(welcome(site.url ?? '', mock.url))
  await new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  process.stdout.write('\nStopping.\n')
  await Promise.all([site.close(true), mock.close()])
}

const welcome = (site: string, mock: string): string => `
Site     ${site}
Mock     ${mock}   (Prism; one answer at a time, no memory)

Try it:  curl -H 'Authorization: Bearer any-key' ${mock}/playbooks

Ctrl-C stops both.
`

main().catch((error) => {
  report(error)
  process.exit(1)
})
