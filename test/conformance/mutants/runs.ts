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
    'started_at names no hour',
    ['S08'],
    run(({ body }) => (body.started_at = '2026-02-21T25:00:00Z')),
  ),
  of(
    'started_at names no day',
    ['S08'],
    run(({ body }) => (body.started_at = '2026-02-31T20:00:00Z')),
  ),
  ...[
    '2026-399T10:00:00Z',
    '2026-366T10:00:00Z',
    '2026-000T10:00:00Z',
    '2026-11-21T24:30:00Z',
    '2026-11-21T24:00:00.1Z',
    '2026-11-21T10:20:60Z',
    '2025-W53-1T10:00:00Z',
    '20261121T19:00:00Z',
    '2026-11-21T190000Z',
    '2026-1121T19:00:00Z',
    '2026-W476T19:00:00Z',
    '2026-11-21T19:0000Z',
    '20261121T190000+00:00',
    '2100-02-29T00:00:00Z',
  ].map((text) =>
    of(
      `started_at is ${text}`,
      ['S08'],
      run(({ body }) => (body.started_at = text)),
    ),
  ),
  of(
    'started_at is a day',
    ['S08'],
    run(({ body }) => (body.started_at = '2026-02-21')),
  ),
  of(
    'started_at is written for people',
    ['S08'],
    run(({ body }) => (body.started_at = 'Sat, 21 Nov 2026 19:00:00 GMT')),
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
    'started_at is null',
    ['S08'],
    run(({ body }) => (body.started_at = null)),
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
    'the status is null',
    ['S06'],
    run(({ body }) => (body.status = null)),
  ),
  of(
    'there is no status',
    ['S06'],
    run(({ body }) => delete body.status),
  ),
  of(
    'the status is empty',
    ['D06'],
    run(({ body }) => (body.status = '')),
  ),
  of(
    'the id is a number',
    ['S05'],
    run(({ body }) => (body.id = 7)),
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
    'the playbook_id is a number',
    ['S07'],
    run(({ body }) => (body.playbook_id = 7)),
  ),
  of(
    'the playbook_id is empty',
    ['S07', 'D06'],
    run(({ body }) => (body.playbook_id = '')),
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
    'the run comes in a list',
    ['S19'],
    run((it) => (it.body = [it.body])),
  ),
  of(
    'the run is empty',
    ['S19'],
    run((it) => (it.text = '')),
  ),
  of(
    'the run is HTML',
    ['S19'],
    run((it) => (it.text = '<p>running</p>')),
  ),
  of(
    'the run begins with a byte order mark',
    ['S19'],
    run((it) => (it.text = `\ufeff${JSON.stringify(it.body)}`)),
  ),
  of(
    'there are no steps',
    ['S09'],
    run(({ body }) => delete body.steps),
  ),
  of(
    'the steps are null',
    ['S09'],
    run(({ body }) => (body.steps = null)),
  ),
  of(
    'the steps are an object',
    ['S09'],
    run(({ body }) => (body.steps = {})),
  ),
  of(
    'the steps are a number',
    ['S09'],
    run(({ body }) => (body.steps = body.steps.length)),
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
    'the id of a step is a number',
    ['S10'],
    run(({ body }) => Object.assign(lastStep(body), { id: 1 })),
  ),
  of(
    'the id of a step is empty',
    ['D06'],
    run(({ body }) => Object.assign(lastStep(body), { id: '' })),
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
    'the status of a step is null',
    ['S11'],
    run(({ body }) => Object.assign(lastStep(body), { status: null })),
  ),
  of(
    'the status of a step is missing',
    ['S11'],
    run(({ body }) => delete lastStep(body).status),
  ),
  of(
    'the status of a step is a number',
    ['S11'],
    run(({ body }) => Object.assign(lastStep(body), { status: 3 })),
  ),
  of(
    'the status of a step is empty',
    ['D06'],
    run(({ body }) => Object.assign(lastStep(body), { status: '' })),
  ),
  of(
    'a capability has no dot',
    ['S12'],
    run(({ body }) => Object.assign(lastStep(body), { capability: 'mail' })),
  ),
  of(
    'a capability has no action',
    ['S12'],
    run(({ body }) => Object.assign(lastStep(body), { capability: 'mail.' })),
  ),
  of(
    'a capability is a list',
    ['S12'],
    run(({ body }) => Object.assign(lastStep(body), { capability: ['mail.send'] })),
  ),
  of(
    'a capability is an object',
    ['S12'],
    run(({ body }) => Object.assign(lastStep(body), { capability: { provider: 'mail', action: 'send' } })),
  ),
  ...(
    [
      ['has no id', 'D02', (it) => (it.body = { status: 'running' })],
      ['is empty', 'D02', (it) => Object.assign(it, { status: 204, text: null })],
      ['is a text', 'D02', (it) => (it.text = 'started')],
      ['is a list without a run', 'D02', (it) => (it.body = [])],
      ['is a sentence', 'D02', (it) => (it.body = 'The run was started.')],
      ['is null', 'D02', (it) => (it.body = null)],
      ['is true', 'D02', (it) => (it.body = true)],
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
    'a trigger needs another method',
    ['S18'],
    triggered((it) => refuse(it, 405)),
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
    'the second poll is refused',
    ['S19'],
    (() => {
      let number = 0
      return run((it) => ++number === 2 && refuse(it, 403))
    })(),
  ),
  of(
    'the run is read with a redirect',
    ['S19'],
    run((it) => Object.assign(it, { status: 302, text: '' })),
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
