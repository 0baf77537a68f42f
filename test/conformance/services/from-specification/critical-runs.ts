import { instead } from '../changes.js'
import type { Json, Principal, Run, Step } from '../types.js'
import {
  byOther,
  CRITICAL,
  internal,
  iso,
  loses,
  on,
  POLLS,
  poll,
  pollOf,
  type Row,
  RUN_ID,
  runs,
  STEP_ID,
  send,
  TRIGGERS,
  WORKSPACE,
} from './frame.js'

export const RUNS: Row[] = [
  [
    'The plan Hobby has no API access.',
    'a workspace of the Hobby plan lists its providers',
    instead('permitted', on('listProviders'), () => () => true),
    send('listProviders', ({ service }) => ({ key: service.keys.hobby })),
    CRITICAL,
  ],
  [
    'A request that got 500 may be sent again.',
    'each third trigger gets 500, and the same request 409 ever after',
    (base) => {
      const locked = new Set<string>()
      let triggers = 0
      return {
        stages: [
          ...base.stages,
          (c) => {
            if (c.operation !== 'triggerRun') return undefined
            const name = JSON.stringify([c.principal.workspace.id, c.id, c.inputs])
            if (locked.has(name)) return { status: 409, body: { error: 'conflict', message: 'This run has started.' } }
            if (++triggers % 3 > 0) return undefined
            locked.add(name)
            return internal()
          },
        ],
      }
    },
    async (d) => {
      const all: number[] = []
      for (let sent = 0; sent < 5; sent++) all.push((await d.send('triggerRun')).status)
      return all
    },
    CRITICAL,
  ],
  [
    RUN_ID,
    'two runs of one second have one id, and the second is never shown',
    () => ({
      runId: (c) => `run_${Math.floor(c.now / 1000)}`,
    }),
    async (d) => {
      await d.trigger()
      const { body } = await d.send('getRun', { id: await d.trigger(d.service.playbooks.fails) })
      return (body as Json).playbook_id
    },
    CRITICAL,
  ],
  [
    POLLS,
    'a run is gone as soon as it has ended',
    loses((c, run) => c.does.status(c, run, c.does.steps(c, run)) !== 'running'),
    poll(4000),
    CRITICAL,
  ],
  [
    POLLS,
    'one of three replicas knows no run',
    loses((c) => c.count % 3 === 0),
    async (d) => {
      const id = await d.trigger()
      return [await d.send('getRun', { id }), await d.send('getRun', { id }), await d.send('getRun', { id })]
    },
    CRITICAL,
  ],
  [
    TRIGGERS,
    'a run without inputs is accepted and lost',
    loses((_c, run) => Object.keys(run.inputs).length === 0),
    pollOf('{"inputs":{}}'),
    CRITICAL,
  ],
  [
    TRIGGERS,
    'a run with an input that is not ASCII is accepted and lost',
    loses((_c, run) => Object.values(run.inputs).some((input) => /[^ -~]/.test(input))),
    pollOf('{"inputs":{"order":"Größe"}}'),
    CRITICAL,
  ],
  [
    WORKSPACE,
    'runs are counted in each workspace, and the newest with a number is shown to all',
    (base) => {
      const byId = new Map<string, Run>()
      return {
        runId: (c) => `run_${c.principal.workspace.runs.length + 1}`,
        findRun: (c) => byId.get(c.id),
        triggered(c, run) {
          byId.set(run.id, run)
          return base.triggered(c, run)
        },
      }
    },
    async (d) => {
      const id = await d.trigger()
      const { body } = await d.send('listPlaybooks', byOther(d))
      await d.trigger(String((body as { data: Json[] }).data[0]?.id), d.service.keys.other)
      return ((await d.send('getRun', { id })).body as Json).playbook_id
    },
    CRITICAL,
  ],
  [
    TRIGGERS,
    'a trigger runs the playbook of the trigger before',
    (base) => {
      const last = new Map<string, Run['playbook']>()
      return {
        triggered(c, run) {
          const { playbook } = run
          run.playbook = last.get(c.principal.workspace.id) ?? playbook
          last.set(c.principal.workspace.id, playbook)
          return base.triggered(c, run)
        },
      }
    },
    async (d) => [await poll()(d), await poll(0, 'fails')(d)],
    CRITICAL,
  ],
  [
    STEP_ID,
    'a run that takes longer than two seconds starts again, and its steps are there twice',
    runs((was, c, run) =>
      c.now - run.at < 2000
        ? was
        : { ...was, started_at: iso(run.at + 2000), steps: [...(was.steps as Step[]), ...(was.steps as Step[])] },
    ),
    poll(2500),
    CRITICAL,
  ],
  [
    STEP_ID,
    'runs that are triggered together are each executed twice',
    (base) => {
      const doubled = new WeakSet<Run>()
      return {
        triggered(c, run) {
          if (c.together) doubled.add(run)
          return base.triggered(c, run)
        },
        shown: (c, run, all) => base.shown(c, run, all).flatMap((step) => (doubled.has(run) ? [step, step] : [step])),
      }
    },
    async (d) => {
      const [id = ''] = await Promise.all([d.trigger(), d.trigger(), d.trigger()])
      return d.send('getRun', { id })
    },
    { critical: true, depth: 'thorough' },
  ],
  [
    WORKSPACE,
    'simultaneous requests of two workspaces get responses for the later one',
    (base) => {
      let current: Principal | undefined
      return {
        stages: [
          ...base.stages,
          async (c) => {
            current = c.principal
            await c.world.sleep(5)
            if (on('getCurrentWorkspace', 'listPlaybooks', 'listProviders')(c)) c.principal = current
            return undefined
          },
        ],
      }
    },
    (d) => Promise.all([d.send('getCurrentWorkspace'), d.send('getCurrentWorkspace', byOther(d))]),
    { critical: true, depth: 'thorough' },
  ],
]
