import { fileURLToPath } from 'node:url'
import { createConfig } from '@redocly/openapi-core'
import { run as respect } from '@redocly/respect-core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { run } from '../../../generated/examples.js'
import { createSandbox } from '../../../src/tools/sandbox/index.js'
import { ok, ROWS, type Row, serviceOf } from '../../assumptions/rows.js'
import { UNKNOWN_STATUS } from '../../support/fixtures.js'

type RespectOptions = Parameters<typeof respect>[0]

const ALL = { followARun: 'follow-a-run', waitForApproval: 'wait-for-approval', refusals: 'errors', limits: 'errors' }

const silent = {
  info() {},
  warn() {},
  error() {},
  output() {},
  printNewLine() {},
  printSeparator() {},
  indent: (text: string) => text,
}

/** Runs a workflow against a server, and returns what failed. */
async function perform(workflow: keyof typeof ALL, server: string, inputs: object, send: typeof fetch) {
  const options = {
    files: [fileURLToPath(new URL(`../../../openapi/workflows/${ALL[workflow]}.yaml`, import.meta.url))],
    input: JSON.stringify(inputs),
    server: `service=${server}`,
    workflow: [workflow],
    config: await createConfig({}),
    maxSteps: 100,
    maxFetchTimeout: 5_000,
    requestFileLoader: { getFileBody: async () => new Blob() },
    logger: silent,
    fetch: send,
  }
  const results = await respect(options as unknown as RespectOptions)
  // Each attempt of a step that is tried again is a step of its own; only the last one decides.
  const checks = results
    .flatMap(({ executedWorkflows }) => executedWorkflows.flatMap(({ executedSteps }) => executedSteps))
    .flatMap((step) => ('checks' in step && !step.retriesLeft ? step.checks : []))
  return {
    checks,
    failed: checks.filter(({ passed }) => !passed),
    hasProblems: results.some((each) => each.hasProblems),
  }
}

const inputsOf = ({ keys, playbooks }: ReturnType<typeof createSandbox>) => ({
  apiKey: keys.valid,
  readOnlyKey: keys.readOnly,
  limitedKey: keys.limited,
  playbook: playbooks.needsApproval,
})

describe('the Arazzo workflows of the contract', () => {
  // The workflows wait a second between polls; the test does not.
  let clock: NodeJS.Timeout
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    clock = setInterval(() => vi.advanceTimersByTime(1_000), 1)
  })
  afterEach(() => {
    clearInterval(clock)
    vi.useRealTimers()
  })

  it.each(Object.keys(ALL) as (keyof typeof ALL)[])('the workflow %s succeeds with the sandbox', async (workflow) => {
    const sandbox = createSandbox()
    const approving: typeof fetch = async (input, init) => {
      const response = await sandbox.fetch(input, init)
      for (const { run } of sandbox.state.workspaces.flatMap(({ runs }) => runs))
        if (run.steps.some(({ status }) => status === 'waiting_approval')) sandbox.approve(run.id)
      return response
    }
    const { failed, hasProblems } = await perform(workflow, sandbox.baseUrl, inputsOf(sandbox), approving)
    expect(failed).toEqual([])
    expect(hasProblems).toBe(false)
    expect(sandbox.requests().length).toBeGreaterThanOrEqual(3)
    const followed = sandbox.state.workspaces[0]?.runs.slice(1).map(({ run }) => run.status)
    expect(followed).toEqual(workflow === 'followARun' || workflow === 'waitForApproval' ? ['succeeded'] : [])
  })

  it('the workflow followARun ends with the status that the run has at its end', async () => {
    const sandbox = createSandbox()
    const inputs = { ...inputsOf(sandbox), playbook: sandbox.playbooks.fails }
    const { failed, hasProblems } = await perform('followARun', sandbox.baseUrl, inputs, sandbox.fetch)
    expect(failed).toEqual([])
    expect(hasProblems).toBe(false)
    expect(sandbox.state.workspaces[0]?.runs.at(-1)?.run.status).toBe('failed')
  })

  it.each(['followARun', 'waitForApproval'] as const)(
    'the workflow %s polls on while a run has a status that the contract does not know',
    async (workflow) => {
      const sandbox = createSandbox()
      let polls = 0
      const queuedFirst: typeof fetch = async (input, init) => {
        const response = await sandbox.fetch(input, init)
        if (!/\/runs\/[^/]+$/.test(String(input instanceof Request ? input.url : input)) || polls++ > 2) {
          for (const { run } of sandbox.state.workspaces.flatMap(({ runs }) => runs))
            if (run.steps.some(({ status }) => status === 'waiting_approval')) sandbox.approve(run.id)
          return response
        }
        return Response.json({ ...(await response.json()), status: UNKNOWN_STATUS })
      }
      const { failed, hasProblems } = await perform(workflow, sandbox.baseUrl, inputsOf(sandbox), queuedFirst)
      expect(failed).toEqual([])
      expect(hasProblems).toBe(false)
      expect(sandbox.state.workspaces[0]?.runs.at(-1)?.run.status).toBe('succeeded')
    },
  )

  /** Those that start or end a run otherwise; a run that only shows something else is followed like any other. */
  const isOfItsCourse = ({ handlers: { triggerRun, getRun } }: Row): boolean =>
    Boolean(triggerRun || (getRun && Object(getRun('', 0)).body?.status !== run.status))

  it.each(ROWS.filter(isOfItsCourse))(
    '$wrong: the workflow followARun triggers once, and succeeds only when it has read the end of the run',
    async ({ handlers }) => {
      const { baseUrl, sent } = await serviceOf({ handlers: { triggerRun: ok({ id: run.id }, 201), ...handlers } })
      const methods: string[] = []
      const counting: typeof fetch = (input, init) => {
        methods.push(input instanceof Request ? input.method : (init?.method ?? 'GET'))
        return fetch(input, init)
      }
      const inputs = { apiKey: 'wk_test', playbook: 'pb_1' }
      // Respect throws where a response lacks what the workflow returns.
      const followed = await perform('followARun', baseUrl, inputs, counting).catch(() => ({ hasProblems: true }))
      expect(methods.filter((method) => method === 'POST')).toHaveLength(1)
      if (!followed.hasProblems) expect(['succeeded', 'failed']).toContain(JSON.parse(sent.at(-1)![1]).status)
    },
  )

  it('the workflow followARun fails with a service that keeps no state', async () => {
    const example = undefined as never
    const sandbox = createSandbox({ handlers: { triggerRun: example, getRun: example } })
    const { failed, hasProblems } = await perform('followARun', sandbox.baseUrl, inputsOf(sandbox), sandbox.fetch)
    expect(failed.length).toBeGreaterThan(0)
    expect(hasProblems).toBe(true)
  })
})
