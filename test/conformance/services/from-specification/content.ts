import { body } from '../changes.js'
import type { Json, Step } from '../types.js'
import {
  APPROVAL,
  ENVELOPE,
  iso,
  META,
  metas,
  on,
  PLAYBOOKS,
  page2,
  poll,
  type Row,
  RUN_ID,
  runs,
  STARTED,
  send,
  startedAt,
  steps,
} from './frame.js'

export const CONTENT: Row[] = [
  [
    RUN_ID,
    'the id of a run is a number',
    (base) => ({
      runId: (c) => String(70_000 + c.count),
      run: (c, run) => ({ ...base.run(c, run), id: Number(run.id) }),
    }),
    poll(),
  ],
  [
    STARTED,
    'started_at has the offset of the office',
    startedAt((at) => iso(at + 7_200_000).replace('Z', '+02:00')),
    poll(),
  ],
  [STARTED, 'started_at is the time of the office, marked as UTC', startedAt((at) => iso(at + 7_200_000)), poll()],
  [
    'steps: array of Step. Steps of the run, in order.',
    'the newest step is the first',
    runs((was) => ({ ...was, steps: (was.steps as Step[]).toReversed() })),
    poll(1500),
  ],
  [
    'steps: array of Step. Steps of the run, in order.',
    'a run that has ended has no steps',
    runs(({ steps, ...was }) => (was.status === 'running' ? { ...was, steps } : was)),
    poll(4000),
  ],
  [
    APPROVAL,
    'the capability of a step that waits is null',
    steps((step) => (step.status === 'waiting_approval' ? { ...step, capability: null } : step)),
    poll(1500, 'waits'),
  ],
  [
    'A step that performs an action of a provider has a capability.',
    'a step that has succeeded loses its capability',
    steps(({ capability, ...step }) => (step.status === 'succeeded' || !capability ? step : { ...step, capability })),
    poll(1500),
  ],
  [
    'The response is the run.',
    'a run is JSON in a string of JSON',
    body(on('getRun'), (was) => JSON.stringify(was)),
    poll(),
  ],
  [
    ENVELOPE,
    'the data of a page after the last is null',
    body(on('listPlaybooks', 'listProviders'), (was) => ((was.data as Json[]).length ? was : { ...was, data: null })),
    send('listPlaybooks', { query: { page: '40' } }),
  ],
  [
    META,
    'the page that was asked for is returned as a string',
    metas(
      (c) => c.url.searchParams.has('page'),
      (meta) => ({ ...meta, page: `${meta.page}` }),
    ),
    page2,
  ],
  [
    PLAYBOOKS,
    'the pages are cut from an order that changes with each request',
    (base) => ({
      items(c) {
        const all = base.items(c)
        const by = (c.count * 7) % all.length
        return [...all.slice(by), ...all.slice(0, by)]
      },
    }),
    async (d) => [await page2(d), await page2(d)],
  ],
  [
    PLAYBOOKS,
    'the second page leaves out a playbook',
    body(
      (c) => Number(c.url.searchParams.get('page')) > 1 && c.operation === 'listPlaybooks',
      (was) => ({ ...was, data: (was.data as Json[]).slice(1) }),
    ),
    page2,
  ],
]
