import { describe, expect, it } from 'vitest'
import { examples } from '../../generated/examples.js'
import { createSandbox, InvalidResponseError, type SandboxOptions } from '../../src/sandbox/index.js'
import { caller } from './calls.js'

describe('custom handlers', () => {
  it('an async handler is awaited', async () => {
    const sandbox = createSandbox({ handlers: { getRun: async () => ({ status: 404 }) } })
    expect((await caller(sandbox)('/runs/x')).status).toBe(404)
  })

  it.each<[string, () => never]>([
    ['return nothing', () => undefined as never],
    [
      'throw',
      () => {
        throw new Error('The handler of getRun is broken')
      },
    ],
    ['reject', () => Promise.reject(new Error('The handler of getRun is broken')) as never],
  ])('handlers that %s make the call fail, and the log names the operation', async (_, getRun) => {
    const sandbox = createSandbox({ handlers: { getRun } })
    await expect(caller(sandbox)('/runs/x')).rejects.toThrow('The handler of getRun')
    expect(sandbox.requests()).toMatchObject([{ operation: 'getRun', error: expect.stringContaining('getRun') }])
  })

  it('a handler that changes its workspace does not affect other sandboxes', async () => {
    const handlers: SandboxOptions['handlers'] = {
      getCurrentWorkspace: ({ context }) => {
        context.workspace.name = 'Changed'
        return { status: 200, body: context.workspace }
      },
    }
    expect((await caller(createSandbox({ handlers }))('/workspaces/me')).body.name).toBe('Changed')
    expect((await caller(createSandbox())('/workspaces/me')).body.name).toBe('Acme Operations')
  })

  it('a response of a handler that does not match the contract is refused', async () => {
    const sandbox = createSandbox({
      handlers: { getRun: () => ({ status: 200, body: { id: 'run_1', status: 7 } as never }) },
    })
    const failure = await caller(sandbox)('/runs/run_1').catch((error) => error)
    expect(failure).toBeInstanceOf(InvalidResponseError)
    expect(failure.message).toMatch(/response of getRun does not match the contract: .*"playbook_id".*"status"/)
    expect(sandbox.requests()[0]?.response).toBeUndefined()
  })

  it('an operation without a handler responds with an example', async () => {
    const sandbox = createSandbox({ handlers: { getRun: undefined as never } })
    expect((await caller(sandbox)('/runs/anything')).body.id).toBe('run_8Zt4Lm2c')
  })

  it('a list without a handler responds with pages of its example', async () => {
    const { data } = examples.listPlaybooks[200].default
    const sandbox = createSandbox({ handlers: { listPlaybooks: undefined as never } })
    expect((await caller(sandbox)('/playbooks?page=2&per_page=1')).body).toEqual({
      data: [data[1]],
      meta: { total: data.length, page: 2, per_page: 1 },
    })
  })
})
