import { expect, it } from 'vitest'
import { playbookList, run } from '../../generated/examples.js'
import { findRunId } from '../../src/internal/contract/run-id.js'
import { listOf } from '../support/fixtures.js'
import { RUN, RUNS, returning, send, trigger } from './send.js'

const row = { ...run, steps: [{ ...run.steps[0], internal_cost: 3 }], tenant_id: 7 }
const strip = { responseFields: 'strip' } as const
const stripped = async (returned: object, own = {}) =>
  (await send({ ...returning(returned), ...strip, ...own }, RUN)).body

it('responseFields "strip" leaves out what the contract does not have, in lists and objects of objects too', async () => {
  expect(await stripped({ status: 200, body: row })).toEqual({ ...run, steps: [run.steps[0]] })
  expect(await stripped({ status: 200, body: { toJSON: () => row } })).toEqual({ ...run, steps: [run.steps[0]] })
  expect((await send(returning({ status: 200, body: row }), RUN)).body).toEqual(row)
  const [playbook] = playbookList.data
  const { meta } = listOf([playbook!])
  const body = { data: [{ ...playbook!, internal_owner: 'me' }], meta: { ...meta, took: 5 }, cursor: 'x' }
  const list = await send({ operations: { listPlaybooks: () => ({ status: 200, body }) }, ...strip }, '/playbooks')
  expect(list.body).toEqual({ data: [playbook], meta })
  expect(await stripped({ status: 404, body: { message: 'Lost.', query: 'select' } })).toEqual({
    error: 'not_found',
    message: 'Lost.',
  })
})

it('responseFields "strip" keeps a body of a status that the contract does not have, and parts that have another form', async () => {
  for (const [status, body] of [
    [418, { message: 'No tea.', pot: { size: 1 } }],
    [200, { ...run, steps: null }],
    [200, 'a run'],
    [200, null],
  ])
    expect(await stripped({ status, body }, { validateResponses: false })).toEqual(body)
  expect((await send({ ...strip, problems: 'all' }, '/runs/')).body.problems).toHaveLength(1)
})

it('responseFields "strip" hides no violation of the contract', async () => {
  const { status, reported } = await send({ ...returning({ status: 200, body: { ...row, id: 7 } }), ...strip }, RUN)
  expect([status, String(reported[0])]).toEqual([500, expect.stringContaining('"id" must be a string')])
})

it('responseFields "strip" keeps the id of a new run, wherever a client looks for it, and no other column', async () => {
  const { id } = run
  for (const [body, expected] of [
    [{ run_id: id, tenant_id: 7 }, { run_id: id }],
    [{ run: { id, tenant_id: 7 }, tenant_id: 7 }, { run: { id } }],
    [{ data: { id, tenant_id: 7 }, tenant_id: 7 }, { data: { id } }],
    [
      { id, tenant_id: 7, run: id },
      { id, run: id },
    ],
    [undefined, undefined],
  ]) {
    const operations = { triggerRun: () => ({ status: 202 as const, body }) }
    const sent = await send({ operations, ...strip }, RUNS, trigger())
    expect(sent.body).toEqual(expected)
    expect(findRunId(sent.headers, sent.body)?.id).toBe(body && id)
  }
})

it.each([{ title: 'Lost', code: 7 }, { error: { message: 'Lost.' } }, 'lost', ['lost']])(
  'responseFields "strip" keeps an error of another form, such as %j',
  async (body) => {
    expect(await stripped({ status: 404, body })).toEqual(body)
    expect(await stripped({ status: 418, body })).toEqual(body)
  },
)
