import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildPackage } from '../../../scripts/build.js'
import { copyProject, type Project } from '../../support/project.js'

/** A copy whose runs may be cancelled or paused, and whose steps may be skipped. */
let project: Project

beforeAll(async () => {
  project = copyProject()
  const known = (name: string) => `  ${name}:\n    description: Stated in this test.\n    x-basis: [S98]\n`
  project.edit(
    'openapi/basis.yaml',
    '- id: S03\n',
    '- id: S98\n  kind: stated\n  section: 3\n  text: There are more statuses.\n  schema: true\n  verify:\n    unobservable: No run has them.\n- id: S03\n',
  )
  const folder = 'openapi/components/schemas'
  project.edit(
    `${folder}/RunStatus.yaml`,
    'x-known-values:\n',
    `x-known-values:\n${['cancelled', 'paused'].map(known).join('')}`,
  )
  project.edit(`${folder}/StepStatus.yaml`, 'x-known-values:\n', `x-known-values:\n${known('skipped')}`)
  project.edit(
    `${folder}/Run.yaml`,
    'next: [succeeded, failed]\n',
    'next: [succeeded, failed, cancelled, paused]\n  paused:\n    next: [running]\n  cancelled:\n    terminal: true\n',
  )
  project.edit(`${folder}/Step.yaml`, 'x-transitions:\n', 'x-transitions:\n  skipped:\n    terminal: true\n')
  project.edit(
    'docs/guides/package-reference.md',
    "failed: 'red',",
    "failed: 'red', cancelled: 'grey', paused: 'grey',",
  )
  await buildPackage({ root: project.root, output: { write: () => true } })
})
afterAll(() => project.remove())

/** A module of the package that was built from the copy. */
const built = (path: string) => import(/* @vite-ignore */ join(project.root, 'dist', path))

const started_at = '2030-01-01T00:00:00Z'
const worldWith = (run: object) => ({
  bakery: {
    workspace: { id: 'ws_1', name: 'Bakery' },
    keys: { valid: { value: 'key_valid' } },
    playbooks: { bake: { playbook: { id: 'pb_bread' }, steps: [{}, {}, {}] } },
    providers: [],
    runs: [{ id: 'run_0', playbook_id: 'pb_bread', started_at, ...run }],
  },
})

/** A client, of the copy, of a sandbox with one run. */
async function clientWith(run: object, options: object = {}) {
  const { createClient } = await built('src/index.js')
  const { createSandbox } = await built('src/tools/sandbox/index.js')
  const sandbox = createSandbox({ world: worldWith(run), ...options })
  return {
    sandbox,
    client: createClient({ baseUrl: 'https://service.test/v1', apiKey: 'key_valid', fetch: sandbox.fetch }),
  }
}

const GIVEN = [
  { status: 'cancelled', steps: [{ status: 'succeeded', capability: 'oven.heat' }, { status: 'skipped' }] },
  { status: 'cancelled', steps: [] },
  { status: 'paused', steps: [{ status: 'running' }] },
  { status: 'running', steps: [{ status: 'skipped' }, { status: 'skipped' }] },
]

it.each(GIVEN)(
  'the sandbox serves and exports a run of a world as it is, also $status with $steps.length steps',
  async ({ status, steps }) => {
    const expected = { status, steps: steps.map((step, index) => ({ id: `step_${index + 1}`, ...step })) }
    for (const progress of ['poll', 'clock']) {
      const { client } = await clientWith({ status, steps }, { progress })
      for (let poll = 0; poll < 3; poll++) expect(await client.getRun('run_0')).toMatchObject(expected)
    }
    const { sandbox } = await clientWith({ status, steps })
    expect(() => sandbox.approve('run_0')).toThrow('keeps the status and steps that its world gives it')
    const exported = JSON.parse(JSON.stringify(sandbox.export())).bakery.runs[0]
    expect(exported).toEqual({ id: 'run_0', playbook_id: 'pb_bread', started_at, inputs: {}, number: 0, ...expected })
    const { client } = await clientWith(exported)
    expect(await client.getRun('run_0')).toMatchObject(expected)
  },
)

it('a client waits for a run to its end by the transitions of the contract', async () => {
  const { client } = await clientWith({ status: 'cancelled' })
  expect(await client.waitForRun('run_0')).toMatchObject({ status: 'cancelled', steps: [] })
})

it('a world whose run has the status of a step is refused, and so is a skipped step without a status of the run', async () => {
  await expect(clientWith({ status: 'skipped' })).rejects.toThrow(
    '/bakery/runs/0/status: must be one of cancelled, paused, running, succeeded, failed, waiting_approval.',
  )
  await expect(clientWith({ steps: [{ status: 'skipped' }] })).rejects.toThrow('/bakery/runs/0: needs a status')
})
