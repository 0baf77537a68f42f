import { spawn } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { runSucceeded } from '../../../generated/examples.js'
import { until } from '../../support/clock.js'
import { repository } from '../../support/project.js'
import { KEY, RUN, serve } from '../../support/server.js'

const TIMEOUT = 1_000

const program = (baseUrl: string) => `
  import { createClient } from './src/index.ts'
  const client = createClient({ baseUrl: '${baseUrl}', apiKey: '${KEY}' })
  await client.waitForRun('run_1', { timeout: ${TIMEOUT} }).then(
    ({ status }) => console.log(status),
    ({ run, message }) => console.log(run.status, message),
  )`

/** Stops a process that waits for a run, until its time is up. */
async function waitWhileStopped(statusAfterwards: string) {
  let status = 'running'
  const server = await serve(() => ({ body: { ...RUN, status } }))
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program(server.baseUrl)], {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  child.stdout.on('data', (chunk) => (printed += chunk))
  await until(() => server.seen.length > 0)
  child.kill('SIGSTOP')
  status = statusAfterwards
  await setTimeout(TIMEOUT + 1_500)
  const before = server.seen.length
  child.kill('SIGCONT')
  await new Promise((resolve) => child.on('close', resolve))
  return { printed: printed.trim(), polls: server.seen.length - before }
}

it('waitForRun in a process that was stopped beyond its timeout resolves to the run that has ended meanwhile', async () => {
  const { printed } = await waitWhileStopped(runSucceeded.status)
  expect(printed).toBe(runSucceeded.status)
})

it('waitForRun in a process that was stopped beyond its timeout rejects after one more look at a run that goes on', async () => {
  const { printed, polls } = await waitWhileStopped('waiting')
  expect(printed).toContain(`waiting Run run_1 did not finish within ${TIMEOUT} ms`)
  expect(polls).toBeLessThanOrEqual(2)
})
