import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { after, before, test } from 'node:test'
import { createSandbox } from '@workflow-automation/contract/sandbox'
import { listen } from '@workflow-automation/contract/sandbox/node'

const PORT = process.env.PORT ?? '3000'
const sandbox = createSandbox()
let service
let next

before(async () => {
  service = await listen(sandbox)
  const env = { ...process.env, BASE_URL: service.baseUrl, WORKFLOW_API_KEY: sandbox.keys.valid }
  next = spawn(process.execPath, ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', PORT], {
    env,
    stdio: 'inherit',
  })
  while (!(await fetch(`http://127.0.0.1:${PORT}/favicon.ico`).catch(() => undefined)))
    if (next.exitCode !== null) throw new Error(`Next ended with ${next.exitCode}.`)
})

after(async () => {
  next.kill()
  await service.close()
})

const visit = async () => (await fetch(`http://127.0.0.1:${PORT}/`)).text()

test('a visitor reads why there are no playbooks, and then their names', async () => {
  sandbox.inject({ operation: 'listPlaybooks', status: 403 })
  assert.match(await visit(), /<p role="alert">The key has no access\.<\/p>/)
  assert.match(await visit(), /<li>Welcome a customer<\/li>/)
})

test('visitors share one client, whose cache spares the service', async () => {
  const before = sandbox.requests().length
  const pages = await Promise.all(Array.from({ length: 20 }, visit))
  for (const page of pages) assert.match(page, /<li>Refund an order<\/li>/)
  assert.equal(sandbox.requests().length, before)
})

test('the key stays on the server', async () => {
  assert.ok(!(await visit()).includes(sandbox.keys.valid))
})
