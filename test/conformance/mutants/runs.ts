import type { Served } from '../service.js'
import { isReal, isTrigger, type Mutant, refuse, run, triggered, when } from './mutant.js'

type Steps = { steps: Record<string, unknown>[] }
const lastStep = ({ steps }: Steps) => steps.at(-1) ?? {}
const followed = { trigger: 'succeeds' } as const

const of = (name: string, fails: string[], change: Mutant['change'], trial: Mutant['trial'] = followed): Mutant => ({
  name,
  fails,
  change,
  trial,
})

let polls = 0
const poll = (it: { body: { id: string } }, act: (number: number) => unknown) =>
  it.body.id === 'run_8Zt4Lm2c' ? undefined : act(++polls)

/** Runs, their steps, and triggers that are not what the contract says. */
export const runMutants: Mutant[] = [
  of(
    'started_at has no zone',
    ['S08'],
    run(({ body }) => (body.started_at = body.started_at.slice(0, -1))),
  ),
  of(
    'started_at has an offset',
    ['S08'],
    run(({ body }) => (body.started_at = body.started_at.replace('Z', '+02:00'))),
  ),
  of(
    'started_at names no day',
    ['S08'],
    run(({ body }) => (body.started_at = '2026-02-31T20:00:00Z')),
  ),
  ...[
    '2026-366T10:00:00Z',
    '2026-000T10:00:00Z',
    '2026-11-21T24:30:00Z',
    '2026-11-21T24:00:00.1Z',
    '2026-11-21T10:20:60Z',
    '2025-W53-1T10:00:00Z',
    '20261121T19:00:00Z',
    '2026-11-21T190000Z',
    '2100-02-29T00:00:00Z',
  ].map((text) =>
    of(
      `started_at is ${text}`,
      ['S08'],
      run(({ body }) => (body.started_at = text)),
    ),
  ),
  of(
    'started_at is a number',
    ['S08'],
    run(({ body }) => (body.started_at = 1_790_000_000)),
  ),
  of(
    'started_at is missing',
    ['S08'],
    run(({ body }) => delete body.started_at),
  ),
  of(
    'started_at changes from poll to poll',
    ['S08'],
    run(({ body, number }) => (body.started_at = new Date(number * 60_000).toISOString())),
  ),
  of(
    'the status is a number',
    ['S06'],
    run(({ body }) => (body.status = 1)),
  ),
  of(
    'the status is empty',
    ['D06'],
    run(({ body }) => (body.status = '')),
  ),
  of(
    'the run has no id',
    ['S05'],
    run(({ body }) => delete body.id),
  ),
  of(
    'the id of the run is empty',
    ['S19', 'D06'],
    run(({ body }) => (body.id = '')),
  ),
  of(
    'the playbook_id is missing',
    ['S07'],
    run(({ body }) => delete body.playbook_id),
  ),
  of(
    'the run names another playbook',
    ['S07'],
    run(({ body }) => (body.playbook_id = 'pb_other')),
  ),
  of(
    'another run comes',
    ['S19'],
    run(({ body }) => (body.id = 'run_other')),
  ),
  of(
    'there are no steps',
    ['S09'],
    run(({ body }) => delete body.steps),
  ),
  of(
    'the steps come in another order',
    ['S09'],
    run(({ body, number }) => number % 3 === 0 && body.steps.reverse()),
  ),
  of(
    'a step is a string',
    ['S09'],
    run(({ body }) => (body.steps[0] = 'step_1')),
  ),
  of(
    'a step has no id',
    ['S10'],
    run(({ body }) => delete lastStep(body).id),
  ),
  of(
    'two steps have one id',
    ['S10'],
    run(({ body }) => body.steps.push(...body.steps)),
  ),
  of(
    'the ids of steps change from poll to poll',
    ['S10'],
    run(({ body, number }) => {
      for (const step of body.steps) step.id += `_${number}`
    }),
  ),
  of(
    'the status of a step is missing',
    ['S11'],
    run(({ body }) => delete lastStep(body).status),
  ),
  of(
    'a capability has no dot',
    ['S12'],
    run(({ body }) => Object.assign(lastStep(body), { capability: 'mail' })),
  ),
  of(
    'a capability is a list',
    ['S12'],
    run(({ body }) => Object.assign(lastStep(body), { capability: ['mail.send'] })),
  ),
  ...(
    [
      ['has no id', 'D02', (it) => (it.body = { status: 'running' })],
      ['is empty', 'D02', (it) => Object.assign(it, { status: 204, text: null })],
      ['is a text', 'D02', (it) => (it.text = 'started')],
      ['is a list without a run', 'D02', (it) => (it.body = [])],
      [
        'has the id of its playbook only',
        'A31',
        (it) => (it.body = { playbook: { id: it.body.playbook_id }, playbook_id: it.body.playbook_id }),
      ],
    ] satisfies [string, string, (it: Served) => unknown][]
  ).map(([name, id, act]): Mutant => {
    const change = triggered(act)
    return { name: `the response to a trigger ${name}`, contradicts: [id], change, trial: followed }
  }),
  of(
    'the response to a trigger has an empty id',
    ['D06'],
    triggered((it) => (it.body = { id: '' })),
  ),
  of(
    'the trigger always fails',
    ['S18', 'S28'],
    when(
      (it) => isTrigger(it) && it.status === 201,
      (it) => refuse(it, 500),
    ),
  ),
  of(
    'a trigger is not found',
    ['S18'],
    triggered((it) => refuse(it, 404)),
  ),
  of(
    'a valid key may not trigger',
    ['S18'],
    triggered((it) => refuse(it, 401)),
  ),
  of(
    'the new run cannot be read',
    ['S19'],
    when(
      (it) => it.status === 200 && it.path.startsWith('/runs/'),
      (it) => refuse(it, 404),
    ),
  ),
  of(
    'the run is gone after the first poll',
    ['S19', 'S21'],
    run((it) => poll(it, (number) => number > 2 && refuse(it, 404))),
  ),
  of(
    'the named run is another one',
    ['S19'],
    when(
      (it) => it.path.startsWith('/runs') && isReal(it),
      ({ body }) => (body.id = 'run_9'),
    ),
    { options: { run: 'run_8Zt4Lm2c' } },
  ),
]
