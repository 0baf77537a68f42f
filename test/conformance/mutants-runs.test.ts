import { expect, it } from 'vitest'
import { type Change, ids, type Trial, tryService } from './service.js'

type Mutant = [name: string, id: string, change: Change, trial?: Trial]

const run =
  (change: Change): Change =>
  (answer, sandbox) => {
    if (answer.status === 200 && answer.path.startsWith('/runs/')) return change(answer, sandbox)
  }
const triggered =
  (change: Change): Change =>
  (answer, sandbox) => {
    if (answer.status === 201) return change(answer, sandbox)
  }
const lastStep = (body: { steps: Record<string, unknown>[] }) => body.steps.at(-1) ?? {}

const mutants: Mutant[] = [
  ['started_at has no zone', 'S08', run(({ body }) => (body.started_at = body.started_at.slice(0, -1)))],
  ['started_at has an offset', 'S08', run(({ body }) => (body.started_at = body.started_at.replace('Z', '+02:00')))],
  ['started_at is no date', 'S08', run(({ body }) => (body.started_at = '2026-02-31T25:00:00Z'))],
  ['started_at is a number', 'S08', run(({ body }) => (body.started_at = 1_790_000_000))],
  ['the status is a number', 'S06', run(({ body }) => (body.status = 1))],
  ['there is no status', 'S06', run(({ body }) => delete body.status)],
  ['the status is empty', 'D06', run(({ body }) => (body.status = ''))],
  ['the id is a number', 'S05', run(({ body }) => (body.id = 7))],
  ['the playbook_id is missing', 'S07', run(({ body }) => delete body.playbook_id)],
  ['the run names another playbook', 'S07', run(({ body }) => (body.playbook_id = 'pb_other'))],
  ['another run is answered', 'S19', run(({ body }) => (body.id = 'run_other'))],
  ['the run comes in an envelope', 'S19', run((answer) => (answer.body = [answer.body]))],
  ['there are no steps', 'S09', run(({ body }) => delete body.steps)],
  ['the steps are an object', 'S09', run(({ body }) => (body.steps = {}))],
  ['the steps come in another order', 'S09', run(({ body, number }) => number % 2 === 0 && body.steps.reverse())],
  ['a step has no id', 'S10', run(({ body }) => delete lastStep(body).id)],
  ['two steps have one id', 'S10', run(({ body }) => body.steps.push(...body.steps))],
  ['the status of a step is null', 'S11', run(({ body }) => Object.assign(lastStep(body), { status: null }))],
  ['a capability has no dot', 'S12', run(({ body }) => Object.assign(lastStep(body), { capability: 'mail' }))],
  ['a capability is a list', 'S12', run(({ body }) => Object.assign(lastStep(body), { capability: ['mail.send'] }))],
  ['the answer to a trigger has no id', 'D02', triggered(({ body }) => delete body.id)],
  [
    'the answer to a trigger is empty',
    'D02',
    triggered((answer) => Object.assign(answer, { status: 204, text: null })),
  ],
  [
    'the trigger fails',
    'S18',
    triggered((answer) => Object.assign(answer, { status: 500, body: { error: 'internal_error', message: 'Oh.' } })),
  ],
  [
    'the new run cannot be read',
    'S19',
    (answer) => {
      if (answer.status === 200 && answer.path.startsWith('/runs/'))
        Object.assign(answer, { status: 404, body: { error: 'not_found', message: 'There is no such run.' } })
    },
  ],
  [
    'a run of another workspace is visible',
    'D05',
    async (answer, { fetch, baseUrl, keys }) => {
      if (answer.status !== 404 || answer.key !== keys.otherWorkspace) return
      answer.status = 200
      const seen = await fetch(`${baseUrl}${answer.path}`, { headers: { authorization: `Bearer ${keys.valid}` } })
      answer.body = await seen.json()
    },
  ],
]

it.each(mutants)('%s: %s', async (_, id, change, trial = { trigger: 'succeeds' }) => {
  const report = await tryService(change, trial)
  expect(ids(report, 'fail')).toEqual([id])
  expect(report.complete).toBe(true)
})
