import { expect, it } from 'vitest'
import { run } from '../../cli/command.js'
import { listOf, runOf } from '../../support/fixtures.js'
import { type Handler, serve } from '../../support/server.js'

/** Runs the command with a service that responds as `handler` does. */
async function call(args: string[], handler: Handler) {
  const { baseUrl } = await serve(handler)
  return run(args, { env: { WORKFLOW_BASE_URL: baseUrl, WORKFLOW_API_KEY: 'key_valid' } })
}
const list = (args: string[], items: unknown[]) => call(args, () => ({ body: listOf(items) }))

it('an entry without an id is printed as its JSON, and null is printed', async () => {
  const { status, out } = await list(['providers'], [{ slug: 'mail', kind: 'smtp' }, null, { id: 'p_1', name: 'One' }])
  expect([status, out]).toEqual([0, '{"slug":"mail","kind":"smtp"}\nnull\np_1  One\n'])
  expect((await list(['providers'], [null])).out).toBe('null\n')
})

it('--quiet prints the ids that there are, and exits with 2 if some are missing', async () => {
  expect(await list(['providers', '-q'], [{ slug: 'mail' }, { id: 'p_1' }])).toEqual({
    status: 2,
    out: 'p_1\n',
    error: '1 of 2 have no id. They are shown without --quiet.\n',
  })
  expect(await list(['providers', '-q'], [])).toEqual({ status: 0, out: '', error: '' })
  expect(await call(['whoami', '-q'], () => ({ body: { slug: 'acme' } }))).toMatchObject({ status: 2, out: '' })
})

const brokenLater: Handler = ({ url }) =>
  url.includes('page=2')
    ? { status: 403, body: { error: 'forbidden', message: 'No more.' } }
    : { body: listOf([{ id: 'pb_1', name: 'One' }], { total: 2, per_page: 1 }) }

it('what was received is printed although a later page fails, then the reason', async () => {
  expect(await call(['playbooks'], brokenLater)).toEqual({
    status: 2,
    out: 'pb_1  One\n',
    error: expect.stringContaining('listPlaybooks failed with 403'),
  })
  const { status, out } = await call(['playbooks', '--json'], brokenLater)
  expect([status, JSON.parse(out)]).toMatchObject([2, { data: [{ id: 'pb_1' }], meta: { page: 1 }, incomplete: true }])
})

it('an item that is in two pages is printed once', async () => {
  const overlapping: Handler = ({ url }) => {
    const page = url.includes('page=2') ? 2 : 1
    return { body: listOf([{ id: `pb_${page}` }, { id: `pb_${page + 1}` }], { total: 3, page, per_page: 2 }) }
  }
  expect((await call(['playbooks', '-q'], overlapping)).out).toBe('pb_1\npb_2\npb_3\n')
  const { data } = JSON.parse((await call(['playbooks', '--json'], overlapping)).out)
  expect(data).toEqual([{ id: 'pb_1' }, { id: 'pb_2' }, { id: 'pb_3' }])
})

it('a page of 150,000 items is printed', async () => {
  const items = Array.from({ length: 150_000 }, (_, at) => ({ id: `pb_${at}` }))
  const { status, out, error } = await list(['playbooks', '-q'], items)
  expect([status, error, out.split('\n').length]).toEqual([0, '', 150_001])
  const table = await list(['playbooks'], items)
  expect([table.status, table.out.slice(0, 5)]).toEqual([0, 'pb_0\n'])
})

it.each([
  ['without steps', { steps: undefined }, 'run run_1  succeeded\n'],
  ['with steps that are no list', { steps: 'none' }, 'run run_1  succeeded\n'],
  ['with a step that is null', { steps: [null] }, 'run run_1  succeeded\n  null\n'],
])('a run %s is shown, and waited for', async (_, fields, lines) => {
  const { playbook_id: _playbook, started_at: _at, ...own } = runOf({ id: 'run_1', status: 'succeeded', ...fields })
  expect(await call(['run', 'run_1'], () => ({ body: own }))).toEqual({ status: 0, out: lines, error: '' })
  expect(await call(['wait', 'run_1'], () => ({ body: own }))).toEqual({ status: 0, out: lines, error: '' })
})

it('an unknown status of a step is named when the time of --until approval is over', async () => {
  const steps = [{ id: 'step_1', status: 'on_hold' }]
  const body = runOf({ id: 'run_1', status: 'running', steps })
  const { status, error } = await call(['wait', 'run_1', '--until', 'approval', '--timeout', '1s'], () => ({ body }))
  expect([status, error]).toEqual([
    3,
    expect.stringContaining('step step_1 is on_hold, which the contract does not know'),
  ])
})
