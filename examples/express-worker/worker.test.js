import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createSandbox } from '@workflow-automation/contract/sandbox'
import { listen } from '@workflow-automation/contract/sandbox/node'

let folder
let sandbox
let service
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'express-worker-'))
  sandbox = createSandbox()
  service = await listen(sandbox)
})
afterEach(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

/** The runs that were triggered: the first one is of the world. */
const triggered = () => sandbox.state.workspaces[0].runs.slice(1)

/** The server as a process of its own, on the same table each time. */
async function start() {
  const child = spawn(process.execPath, ['server.js'], {
    cwd: import.meta.dirname,
    env: {
      ...process.env,
      BASE_URL: service.baseUrl,
      WORKFLOW_API_KEY: sandbox.keys.valid,
      REFUND_PLAYBOOK: sandbox.playbooks.needsApproval,
      DATABASE: join(folder, 'jobs.db'),
      PORT: '0',
      POLL_INTERVAL: '20',
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const [line] = await once(child.stdout, 'data')
  const url = `${line}`.trim()
  return {
    refund: (order) => fetch(`${url}/refunds/${order}`, { method: 'PUT' }),
    job: async (order) => (await fetch(`${url}/refunds/${order}`)).json(),
    async end(signal) {
      child.kill(signal)
      const [code] = await once(child, 'exit')
      return code
    },
  }
}

/** Waits until a refund is in a state. */
const reaches = (worker, order, state) =>
  eventually(async () => {
    const job = await worker.job(order)
    return job.state === state && job
  })

async function eventually(find) {
  for (let left = 1_000; left > 0; left--) {
    const found = await find()
    if (found) return found
    await setTimeout(20)
  }
  assert.fail('It did not happen in time.')
}

test('a refund that is requested twice is triggered once, and followed until it succeeds', async () => {
  sandbox.onWaiting(({ id }) => sandbox.approve(id))
  const worker = await start()
  await Promise.all([worker.refund('42'), worker.refund('42')])
  await reaches(worker, '42', 'succeeded')
  assert.equal(triggered().length, 1)
  assert.equal(await worker.end('SIGTERM'), 0)
})

test('a worker that is killed while a run waits follows the same run after a restart', async () => {
  const first = await start()
  await first.refund('42')
  const { run } = await reaches(first, '42', 'running')
  await sandbox.waitForRequest({ operation: 'getRun' }, { timeout: 10_000 })
  await first.end('SIGKILL')
  const second = await start()
  await reaches(second, '42', 'running')
  sandbox.onWaiting(({ id }) => sandbox.approve(id))
  assert.equal((await reaches(second, '42', 'succeeded')).run, run)
  assert.equal(triggered().length, 1)
  await second.end('SIGTERM')
})

test('a worker that is killed while it triggers does not trigger again', async () => {
  sandbox.inject({ operation: 'triggerRun', delay: 60_000, after: 'effect' })
  const first = await start()
  await first.refund('42')
  await eventually(() => triggered().length > 0)
  assert.equal((await first.job('42')).state, 'triggering')
  await first.end('SIGKILL')
  const second = await start()
  await reaches(second, '42', 'unknown')
  assert.equal(triggered().length, 1)
  await second.end('SIGTERM')
})

test('a trigger whose response is lost is not sent again', async () => {
  sandbox.inject({ operation: 'triggerRun', drop: true, after: 'effect' })
  const worker = await start()
  await worker.refund('42')
  await reaches(worker, '42', 'unknown')
  assert.equal(triggered().length, 1)
  await worker.end('SIGTERM')
})

test('a worker that is asked to end waits for its trigger and keeps the id of the run', async () => {
  sandbox.inject({ operation: 'triggerRun', delay: 500, after: 'effect' })
  const first = await start()
  await first.refund('42')
  await reaches(first, '42', 'triggering')
  assert.equal(await first.end('SIGTERM'), 0)
  sandbox.onWaiting(({ id }) => sandbox.approve(id))
  const second = await start()
  await reaches(second, '42', 'succeeded')
  assert.equal(triggered().length, 1)
  await second.end('SIGTERM')
})
