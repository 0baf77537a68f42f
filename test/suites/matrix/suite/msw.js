// The recipe of the guide with MSW 3, which needs Node 22. Started with the file of the package's sandbox.
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'

const { createSandbox } = await import(process.argv[2])
const ORIGIN = 'https://workflow-automation.example/v1'
const headers = { authorization: 'Bearer key_valid', 'content-type': 'application/json' }
const sandbox = createSandbox()
const server = setupServer(
  http.all(`${ORIGIN}/*`, ({ request }) => sandbox.fetch(request).catch(() => HttpResponse.error())),
)
await server.listen({ onUnhandledRequest: 'error' })

const failed = []
const expect = async (what, expected, send) => {
  const found = await send().catch((error) => error.name)
  if (found !== expected) failed.push(`${what}: ${found}, not ${expected}`)
}
const statusOf = async (path, init) => (await fetch(ORIGIN + path, { headers, ...init })).status
const inject = (fault, path, init) => {
  sandbox.inject(fault)
  return statusOf(path, init)
}
const trigger = { method: 'POST', body: '{"inputs":{"order":"42"}}' }
await expect('a trigger', 201, () => statusOf(`/playbooks/${sandbox.playbooks.succeeds}/runs`, trigger))
await expect('a list', 200, () => statusOf('/playbooks'))
await expect('an unknown run', 404, () => statusOf('/runs/none'))
await expect('no key', 401, () => statusOf('/playbooks', { headers: {} }))
await expect('a fault', 429, () => inject({ status: 429 }, '/playbooks'))
await expect('a dropped connection', 'TypeError', () => inject({ drop: true }, '/playbooks'))
await expect('an abort', 'TimeoutError', () =>
  inject({ delay: 60_000 }, '/playbooks', { signal: AbortSignal.timeout(50) }),
)
await server.close()
console.log(JSON.stringify({ passed: 7 - failed.length, failed }))
