import { isReal, type Mutant, refuse, refusing, run, triggered, violating, when } from './mutant.js'

type Steps = { steps: Record<string, unknown>[] }
const lastStep = ({ steps }: Steps) => steps.at(-1) ?? {}
const followed = { trigger: 'succeeds' } as const

let polls = 0
const poll = (it: { body: { id: string } }, act: (number: number) => unknown) =>
  it.body.id === 'run_8Zt4Lm2c' ? undefined : act(++polls)

/** Runs, their steps, and triggers that are not what the contract says. */
export const runMutants: Mutant[] = [
  ...violating(
    {
      S08: {
        'started_at has no zone': run(({ body }) => (body.started_at = body.started_at.slice(0, -1))),
        'started_at has an offset': run(({ body }) => (body.started_at = body.started_at.replace('Z', '+02:00'))),
        'started_at names no day': run(({ body }) => (body.started_at = '2026-02-31T20:00:00Z')),
        'started_at is a number': run(({ body }) => (body.started_at = 1_790_000_000)),
        'started_at is missing': run(({ body }) => delete body.started_at),
        'started_at changes from poll to poll': run(
          ({ body, number }) => (body.started_at = new Date(number * 60_000).toISOString()),
        ),
      },
      S06: {
        'the status is a number': run(({ body }) => (body.status = 1)),
      },
      D06: {
        'the status is empty': run(({ body }) => (body.status = '')),
        'the response to a trigger has an empty id': triggered((it) => (it.body = { id: '' })),
      },
      S05: {
        'the run has no id': run(({ body }) => delete body.id),
      },
      S07: {
        'the playbook_id is missing': run(({ body }) => delete body.playbook_id),
        'the run names another playbook': run(({ body }) => (body.playbook_id = 'pb_other')),
      },
      S19: {
        'another run comes': run(({ body }) => (body.id = 'run_other')),
        'the new run cannot be read': when((it) => it.status === 200 && it.path.startsWith('/runs/'), refusing(404)),
      },
      S09: {
        'there are no steps': run(({ body }) => delete body.steps),
        'the steps come in another order': run(({ body, number }) => number % 3 === 0 && body.steps.reverse()),
        'a step is a string': run(({ body }) => (body.steps[0] = 'step_1')),
      },
      S10: {
        'a step has no id': run(({ body }) => delete lastStep(body).id),
        'two steps have one id': run(({ body }) => body.steps.push(...body.steps)),
        'the ids of steps change from poll to poll': run(({ body, number }) => {
          for (const step of body.steps) step.id += `_${number}`
        }),
      },
      S11: {
        'the status of a step is missing': run(({ body }) => delete lastStep(body).status),
      },
      S12: {
        'a capability has no dot': run(({ body }) => Object.assign(lastStep(body), { capability: 'mail' })),
        'a capability is a list': run(({ body }) => Object.assign(lastStep(body), { capability: ['mail.send'] })),
      },
      S18: {
        'a trigger is not found': triggered(refusing(404)),
        'a valid key may not trigger': triggered(refusing(401)),
      },
    },
    followed,
  ),
  {
    name: 'the named run is another one',
    violates: ['S19'],
    change: when(
      (it) => it.path.startsWith('/runs') && isReal(it),
      ({ body }) => (body.id = 'run_9'),
    ),
    trial: { options: { run: 'run_8Zt4Lm2c' } },
  },
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
  ].flatMap((text) =>
    violating({ S08: { [`started_at is ${text}`]: run(({ body }) => (body.started_at = text)) } }, followed),
  ),
  {
    name: 'the id of the run is empty',
    violates: ['S19', 'D06'],
    change: run(({ body }) => (body.id = '')),
    trial: followed,
  },
  ...violating(
    {
      D02: {
        'the response to a trigger has no id': triggered((it) => (it.body = { status: 'running' })),
        'the response to a trigger is empty': triggered((it) => Object.assign(it, { status: 204, text: null })),
        'the response to a trigger is a text': triggered((it) => (it.text = 'started')),
        'the response to a trigger is a list without a run': triggered((it) => (it.body = [])),
      },
      A31: {
        'the response to a trigger has the id of its playbook only': triggered((it) => {
          it.body = { playbook: { id: it.body.playbook_id }, playbook_id: it.body.playbook_id }
        }),
      },
    },
    followed,
  ),
  {
    name: 'the trigger always fails',
    violates: ['S18', 'S28'],
    change: triggered(refusing(500)),
    trial: followed,
  },
  {
    name: 'the run is gone after the first poll',
    violates: ['S19', 'S21'],
    change: run((it) => poll(it, (number) => number > 2 && refuse(it, 404))),
    trial: followed,
  },
]
