import { expect, it, onTestFinished, vi } from 'vitest'
import { triggerOutcome } from '../../../src/index.js'
import { ROWS, serviceOf } from '../../assumptions/rows.js'
import { run } from '../../cli/command.js'
import { serve } from '../../support/server.js'

/** The command that calls an operation. */
const COMMANDS: Record<string, string[]> = {
  getCurrentWorkspace: ['whoami', '--json'],
  listPlaybooks: ['playbooks', '--json'],
  listProviders: ['providers', '--json'],
  getRun: ['run', 'run_9', '--json'],
  triggerRun: ['trigger', 'pb_1'],
}

/** The row's operations; where the key is refused, one that reads and the one that triggers. */
const commandsOf = (handlers: object) =>
  Object.keys('authenticate' in handlers ? { getRun: 0, triggerRun: 0 } : handlers)

it.each(ROWS)('$wrong: a command prints what came, and its exit code says what happened', async ({ handlers }) => {
  vi.spyOn(console, 'warn').mockReturnValue()
  onTestFinished(() => void vi.restoreAllMocks())
  for (const operation of commandsOf(handlers)) {
    const { baseUrl, sent } = await serviceOf({ handlers })
    const env = { WORKFLOW_API_KEY: 'wk_test', WORKFLOW_BASE_URL: baseUrl }
    const { status: code, out, error } = await run([...COMMANDS[operation]!, '--allow-http'], { env })
    expect(error).not.toMatch(/TypeError|Cannot read|^\s+at /m)
    const [[firstStatus, firstBody], [status, body]] = [sent[0]!, sent.at(-1)!]
    if (operation === 'triggerRun') {
      const headers = { 'content-type': 'application/json' }
      const outcome = triggerOutcome(new Response(body || null, { status, headers }))
      const named = /^Triggered run (run_\w+)\n$/
      if (outcome === 'started' && code === 0) expect(out).toMatch(named)
      else expect([code, out]).toEqual([outcome === 'safe' ? 2 : 5, ''])
      continue
    }
    if (firstStatus >= 200 && firstStatus < 300) {
      const { data, ...rest } = JSON.parse(firstBody)
      const printed = JSON.parse(out)
      expect(printed).toMatchObject(data ? { data } : rest)
      // A list that is not whole says so.
      expect(code).toBe(printed.incomplete ? 2 : 0)
    } else {
      expect(code).toBe(2)
      expect(error).toContain(`${status}`)
    }
  }
})

it.each(['succeeded', 'failed'])(
  'A48: a run that was %s when its trigger returned is printed, though it is gone',
  async (status) => {
    const ended = { id: 'run_9', status, playbook_id: 'pb_1', started_at: '2026-11-21T09:30:00Z', steps: [] }
    const { baseUrl } = await serve(({ method }) =>
      method === 'POST' ? { status: 200, body: ended } : { status: 404 },
    )
    const env = { WORKFLOW_API_KEY: 'wk_test', WORKFLOW_BASE_URL: baseUrl }
    const wait = ['trigger', 'pb_1', '--wait', '--timeout', '1s', '--allow-http']
    const code = status === 'succeeded' ? 0 : 1
    const json = await run([...wait, '--json'], { env })
    expect([json.status, JSON.parse(json.out), json.error]).toEqual([code, ended, 'run_9\n'])
    const text = await run(wait, { env })
    expect([text.status, text.out, text.error]).toEqual([code, `Triggered run run_9\nrun run_9  ${status}\n`, ''])
  },
)
