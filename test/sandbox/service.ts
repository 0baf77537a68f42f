import { expect, it } from 'vitest'
import type { Sandbox as AnySandbox, DefaultKey, DefaultPlaybook } from '../../src/tools/sandbox/index.js'
import { caller, trigger } from './calls.js'

type Sandbox = AnySandbox<DefaultKey, DefaultPlaybook>

const order = { inputs: { order: '42' } }

/** What every way to reach a sandbox has to do. `open` gives a sandbox as it is at first. */
export function behavesLikeTheService(open: () => Sandbox): void {
  it('the sandbox returns the workspace of the key', async () => {
    const call = caller(open())
    expect(await call('/workspaces/me')).toMatchObject({
      status: 200,
      body: { id: 'ws_5RkP0d', name: 'Acme Operations' },
    })
  })

  it('the sandbox lists page by page in the envelope', async () => {
    const call = caller(open())
    const first = await call('/playbooks?per_page=3')
    const last = await call('/playbooks?per_page=3&page=2')
    expect(first.body.meta).toMatchObject({ total: 4, page: 1, per_page: 3 })
    expect([...first.body.data, ...last.body.data].map(({ id }: { id: string }) => id)).toEqual([
      'pb_7hQ2vn',
      'pb_3kX9wq',
      'pb_9dL5sa',
      'pb_1fT8ye',
    ])
    expect((await call('/providers')).body.meta).toMatchObject({ total: 3, page: 1, per_page: 20 })
    expect((await call('/providers?page=9')).body).toMatchObject({
      data: [],
      meta: { total: 3, page: 9, per_page: 20 },
    })
  })

  it('the sandbox responds with 401 to a missing key, another scheme and an unknown key', async () => {
    const { fetch, baseUrl } = open()
    for (const authorization of [
      undefined,
      'Bearer',
      'Basic a2V5',
      'Bearer key_valid and more',
      'Bearer nobody',
      'Bearer constructor',
    ]) {
      const headers = new Headers(authorization === undefined ? {} : { authorization })
      const response = await fetch(`${baseUrl}/playbooks`, { headers })
      expect([authorization, response.status]).toEqual([authorization, 401])
      expect((await response.json()).error).toBe('unauthorized')
    }
  })

  it('the sandbox responds with 403 to a trigger without permission, and to every request on the Hobby plan', async () => {
    const sandbox = open()
    const { status, body } = await trigger(sandbox, sandbox.playbooks.succeeds, order, sandbox.keys.readOnly)
    expect([status, body.error]).toEqual([403, 'forbidden'])
    expect((await caller(sandbox, sandbox.keys.readOnly)('/playbooks')).status).toBe(200)
    expect((await caller(sandbox, sandbox.keys.hobby)('/playbooks')).status).toBe(403)
  })

  it('the sandbox responds with 404 to an id that does not exist', async () => {
    const sandbox = open()
    expect((await caller(sandbox)('/runs/run_0')).status).toBe(404)
    expect((await trigger(sandbox, 'pb_0', order)).status).toBe(404)
  })

  it('the sandbox separates the workspaces', async () => {
    const sandbox = open()
    const { body: run } = await trigger(sandbox, sandbox.playbooks.succeeds, order)
    const other = caller(sandbox, sandbox.keys.otherWorkspace)
    expect((await other(`/runs/${run.id}`)).status).toBe(404)
    expect((await other('/playbooks')).body.data).toHaveLength(1)
    expect((await trigger(sandbox, sandbox.playbooks.succeeds, order, sandbox.keys.otherWorkspace)).status).toBe(404)
    expect((await caller(sandbox, sandbox.keys.readOnly)(`/runs/${run.id}`)).status).toBe(200)
  })

  it.each([
    [{}, 'The body must have the property "inputs".'],
    [{ inputs: { order: null } }, '"inputs.order"'],
    [{ inputs: [] }, '"inputs"'],
    [[], 'The body must be an object.'],
  ])('the sandbox responds with 400 to the body %j and names the problem', async (body, message) => {
    const sandbox = open()
    const response = await trigger(sandbox, sandbox.playbooks.succeeds, body)
    expect(response.status).toBe(400)
    expect(response.body.message).toContain(message)
  })

  it('the sandbox responds with 400 to a body that is missing, has another type or is too large', async () => {
    const sandbox = open()
    const post = async (body: string | null, type = 'application/json') => {
      const headers = { authorization: `Bearer ${sandbox.keys.valid}`, 'content-type': type }
      const response = await sandbox.fetch(`${sandbox.baseUrl}/playbooks/pb_7hQ2vn/runs`, {
        method: 'POST',
        headers,
        body,
      })
      return `${response.status} ${(await response.json()).message}`
    }
    expect(await post(null)).toBe('400 The body is missing.')
    expect(await post('{"inputs":{}}', 'text/plain')).toBe('400 The content type must be application/json.')
    expect(await post('{"inputs":{}}', 'application/json; charset=utf-8')).toMatch(/^201/)
    expect(await post(JSON.stringify({ inputs: { text: 'é'.repeat(600_000) } }))).toBe(
      '400 The body is larger than 1048576 bytes.',
    )
  })

  it('the sandbox accepts any date as Service-Version and nothing else', async () => {
    const call = caller(open())
    expect((await call('/playbooks', { 'service-version': '2026-11-21' })).status).toBe(200)
    const refused = await call('/playbooks', { 'service-version': 'latest' })
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('"Service-Version"')])
  })

  it.each(['page=one', 'per_page=', 'per_page=1.5'])('the sandbox responds with 400 to %s', async (query) => {
    const { status, body } = await caller(open())(`/playbooks?${query}`)
    expect([status, body.message]).toEqual([400, expect.stringContaining(`"${query.split('=')[0]}"`)])
  })

  it.each(['page=0', 'page=-1', 'page=99', 'per_page=0', 'per_page=-1'])(
    'the sandbox responds to %s with an empty page, since no bound of the parameter is known',
    async (query) => {
      const { status, body } = await caller(open())(`/playbooks?${query}`)
      expect([status, body.data, body.meta.total]).toEqual([200, [], 4])
    },
  )

  it('the sandbox runs a playbook to its end, with an approval between', async () => {
    const sandbox = open()
    const { status, body } = await trigger(sandbox, sandbox.playbooks.needsApproval, order)
    expect([status, body.status, body.steps]).toEqual([201, 'running', []])
    const poll = async () => (await caller(sandbox)(`/runs/${body.id}`)).body
    await poll()
    expect((await poll()).steps.at(-1).status).toBe('waiting_approval')
    sandbox.approve(body.id)
    await poll()
    await poll()
    expect((await poll()).status).toBe('succeeded')
  })

  it('the sandbox responds with 429 and the wait in header and body, and still accepts triggers', async () => {
    const sandbox = open()
    const { status, headers, body } = await caller(sandbox, sandbox.keys.limited)('/providers')
    expect([status, body.error]).toEqual([429, 'rate_limit_exceeded'])
    expect(headers.get('retry-after')).toBe(String(body.retry_after))
    expect((await trigger(sandbox, 'pb_0', order, sandbox.keys.limited)).status).toBe(404)
  })
}
