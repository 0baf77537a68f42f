import { createSandbox } from '@workflow-automation/contract/sandbox'
import { isRun, validateResponse } from '@workflow-automation/contract/validators'
import { check } from './check.js'

const get = (sandbox, path, key = sandbox.keys.valid, init = {}) =>
  sandbox.fetch(`${sandbox.baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` }, ...init })

const trigger = async (sandbox, playbook) => {
  const headers = { authorization: `Bearer ${sandbox.keys.valid}`, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: JSON.stringify({ inputs: { order: '42' } }) }
  return (await sandbox.fetch(`${sandbox.baseUrl}/playbooks/${playbook}/runs`, init)).json()
}

export const sandboxCases = {
  async 'the sandbox responds as the contract says'() {
    const sandbox = createSandbox()
    for (const [operation, path] of [
      ['getCurrentWorkspace', '/workspaces/me'],
      ['listPlaybooks', '/playbooks?page=1&per_page=2'],
      ['listProviders', '/providers'],
    ]) {
      const response = await get(sandbox, path)
      const { status, headers } = response
      check.same(validateResponse(operation, { status, headers, body: await response.json() }), [])
      check.same(status, 200)
    }
  },
  async 'a run of the sandbox goes on with each poll, and waits for approval'() {
    const sandbox = createSandbox()
    const { id } = await trigger(sandbox, sandbox.playbooks.needsApproval)
    const poll = async () => (await get(sandbox, `/runs/${id}`)).json()
    const waits = ({ steps }) => steps.some(({ status }) => status === 'waiting_approval')
    let run = await poll()
    for (let polls = 0; polls < 20 && !waits(run); polls++) run = await poll()
    check.ok(isRun(run) && waits(run), 'the run never waited')
    sandbox.approve(id)
    for (let polls = 0; polls < 20 && run.status !== 'succeeded'; polls++) run = await poll()
    check.same(run.status, 'succeeded')
  },
  async 'the same seed and calls make the same bytes'() {
    const texts = []
    for (let round = 0; round < 2; round++) {
      const sandbox = createSandbox({ seed: 7 })
      const { id } = await trigger(sandbox, sandbox.playbooks.succeeds)
      texts.push(await (await get(sandbox, `/runs/${id}`)).text())
    }
    check.same(texts[0], texts[1])
  },
  async 'the sandbox rejects a request that is aborted'() {
    const sandbox = createSandbox()
    const aborted = AbortSignal.abort(new Error('enough'))
    const error = await check.rejects(get(sandbox, '/playbooks', sandbox.keys.valid, { signal: aborted }), Error)
    check.same(error.message, 'enough')
  },
}
