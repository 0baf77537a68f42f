/**
 * Runs a program of a guide, which triggers a playbook and polls its run, with services that do otherwise than the contract assumes:
 *
 *     node --import tsx test/suites/interop/guide-clients.ts COMMAND …
 *
 * Fails unless each ends as it should, and starts one run.
 */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { serve } from 'srvx'
import { runSucceeded } from '../../../generated/examples.js'

interface Case {
  triggered?: () => Response
  /** The response to a poll, of which there were `number` before. */
  polled?: (number: number) => Response | undefined
  /** What the program prints, in both streams. */
  prints: RegExp
  fails?: true
}

const early = (polls: number) => (number: number) => (number < polls ? new Response(null, { status: 404 }) : undefined)
const limited = { status: 429, headers: { 'retry-after': '2' } }
const at = (location: string, status = 201) => new Response(null, { status, headers: { location } })
const succeeds = /^succeeded \d$/m
const unnamed = /A run was started, or may have been, and its id is not known/

const CASES: Record<string, Case> = {
  'a run that is readable late': { polled: early(2), prints: succeeds },
  'a run that is never readable': { polled: early(60), prints: /404/, fails: true },
  'a 404 after the run was seen': {
    polled: (number) =>
      number === 0
        ? Response.json({ ...runSucceeded, status: 'queued' })
        : new Response('It was deleted.', { status: 404 }),
    prints: /404.*It was deleted/,
    fails: true,
  },
  'a 429 while polling': {
    polled: (number) => (number === 0 ? new Response(null, limited) : undefined),
    prints: succeeds,
  },
  'a 502 while polling': {
    polled: (number) => (number === 0 ? new Response(null, { status: 502 }) : undefined),
    prints: succeeds,
  },
  'a run that is refused': {
    polled: () => Response.json({ why: 'No more.' }, { status: 403 }),
    prints: /run_1[\s\S]*403.*No more/,
    fails: true,
  },
  'another field before id': { triggered: () => Response.json({ id: 'job_7', run_id: 'run_1' }), prints: succeeds },
  'run.id before id': { triggered: () => Response.json({ id: 'job_7', run: { id: 'run_1' } }), prints: succeeds },
  'a run that is text': { triggered: () => Response.json({ id: 'run_1', run: 'run_7' }), prints: succeeds },
  'data.id': { triggered: () => Response.json({ data: { id: 'run_1' } }), prints: succeeds },
  Location: { triggered: () => at('../runs/run_1?from=trigger'), prints: succeeds },
  'a 303 to the run': { triggered: () => at('/v1/runs/run_1', 303), prints: succeeds },
  'no body, 201': { triggered: () => new Response(null, { status: 201 }), prints: unnamed, fails: true },
  'no body, 204': { triggered: () => new Response(null, { status: 204 }), prints: unnamed, fails: true },
  'no id': {
    triggered: () => Response.json({ ticket: 'abc' }),
    prints: /its id is not known.*"ticket":"abc"/,
    fails: true,
  },
  'a refusal': {
    triggered: () => Response.json({ why: 'No plan.' }, { status: 402 }),
    prints: /402.*No plan/,
    fails: true,
  },
}

const [command = '', ...args] = process.argv.slice(2)
for (const [name, { triggered, polled, prints, fails = false }] of Object.entries(CASES)) {
  let polls = 0
  let runs = 0
  const server = serve({
    port: 0,
    hostname: '127.0.0.1',
    silent: true,
    gracefulShutdown: false,
    fetch({ method, url }) {
      if (method === 'POST') {
        runs++
        return triggered?.() ?? Response.json({ id: 'run_1' }, { status: 201 })
      }
      if (!url.endsWith('/v1/runs/run_1')) return Response.json({ error: 'not_found', message: url }, { status: 404 })
      return polled?.(polls++) ?? Response.json({ ...runSucceeded, id: 'run_1' })
    },
  })
  await server.ready()
  const env = { ...process.env, WORKFLOW_BASE_URL: `${server.url}v1`, WORKFLOW_API_KEY: 'wk_test', PLAYBOOK: 'pb_1' }
  const program = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise((resolve) => program.once('close', resolve))
  const printed = `${await text(program.stdout)}${await text(program.stderr)}`
  const failed = (await ended) !== 0
  await server.close(true)
  if (failed === fails && prints.test(printed) && runs === 1) continue
  console.error(`${name}: ${failed ? 'failed' : 'passed'}, ${runs} runs\n${printed}`)
  process.exitCode = 1
}
