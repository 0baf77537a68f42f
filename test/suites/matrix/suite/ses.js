// The client where SES has locked the runtime down. Started with the file of SES and the base URL of the sandbox.
import { createClient } from '@workflow-automation/contract'

const [, , ses, server] = process.argv
await import(ses)
lockdown({ errorTaming: 'unsafe' })

const failed = []
const expect = async (what, expected, call) => {
  const found = await call().catch((error) => error)
  if (String(found) !== expected) failed.push(`${what}: ${found?.stack ?? found}, not ${expected}`)
}
const client = createClient({ baseUrl: server, apiKey: 'key_valid', polling: { minInterval: 10 } })
const { data } = await client.listPlaybooks()
const { id } = await client.triggerRun(data[0].id, { inputs: { order: '42' } })
await expect('a watched run', 'left', async () => {
  for await (const run of client.watchRun(id)) if (run.id === id) return 'left'
})
await expect('a run that is waited for', id, async () => (await client.waitForRun(id)).id)
await expect('an unknown run', 'NotFoundError', () => client.getRun('none').catch(({ name }) => name))
const broken = { fetch: () => Promise.reject(new TypeError('fetch failed', { cause: new Error('no') })), retry: false }
await expect('no connection', 'ConnectionError', () =>
  client
    .withOptions(broken)
    .getRun(id)
    .catch(({ name }) => name),
)
console.log(JSON.stringify({ passed: 4 - failed.length, failed }))
