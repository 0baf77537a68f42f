import { describe, expect, it } from 'vitest'
import { errorNotFound, run } from '../../generated/examples.js'
import { isRun } from '../../generated/validators.js'
import { InvalidResponseError } from '../../src/service/index.js'
import { send } from './send.js'

/** What a client reads of a run that a handler returns, and what was reported. */
async function get(body: unknown, validateResponses: 'throw' | 'report' | false, status = 200) {
  const operations = { getRun: () => ({ status, body }) as never }
  const response = await send({ operations, validateResponses }, '/runs/run_1')
  return { status: response.status, sent: response.body, reported: response.reported }
}

class WithGetter {
  id = run.id
  playbook_id = run.playbook_id
  started_at = run.started_at
  steps = run.steps
  get status() {
    return run.status
  }
}

class WithToJSON {
  readonly #run = run
  toJSON() {
    return this.#run
  }
}

const withHidden = Object.defineProperty({ ...run } as object, 'status', { value: run.status, enumerable: false })
const inherited = Object.create(run)
let reads = 0
const changing = {
  ...run,
  get status() {
    return reads++ === 0 ? run.status : (undefined as never)
  },
}

describe('a response is validated as it is sent:', () => {
  it.each<[string, unknown]>([
    ['a model with toJSON', new WithToJSON()],
    ['a date, which is text in JSON', { ...run, started_at: new Date(run.started_at) }],
    ['a value of a text object', { ...run, id: Object(run.id) }],
    ['an object without a prototype', Object.assign(Object.create(null), run)],
    ['a model among the steps', { ...run, steps: [{ toJSON: () => run.steps[0] }] }],
    ['a property that is undefined', { ...run, more: undefined }],
    ['a getter, which is read once', changing],
  ])('%s is what the contract has', async (_, body) => {
    const { status, sent, reported } = await get(body, 'throw')
    expect([status, isRun(sent), reported]).toEqual([200, true, []])
  })

  it.each<[string, unknown]>([
    ['a getter of a class', new WithGetter()],
    ['a property that is not enumerable', withHidden],
    ['what is inherited', inherited],
    ['a number that JSON does not have', { ...run, id: Number.NaN }],
    ['a missing item of a list', { ...run, steps: [undefined] }],
    ['a function', { ...run, status: () => 'running' }],
    ['a Map', { ...run, steps: new Map() }],
    ['toJSON without a value', { ...run, toJSON() {} }],
  ])('%s is not sent, so the response is a 500', async (_, body) => {
    const { status, reported } = await get(body, 'throw')
    expect([status, reported]).toEqual([500, [expect.any(InvalidResponseError)]])
  })

  it('keeps a property that is named as the prototype is', async () => {
    const body = JSON.parse(`{"__proto__":{"a":1},${JSON.stringify(run).slice(1)}`)
    const { sent } = await get(body, 'throw')
    expect(Object.getOwnPropertyDescriptor(sent, '__proto__')?.value).toEqual({ a: 1 })
  })

  it.each(['throw', 'report', false] as const)('sends the same with %j for validateResponses', async (mode) => {
    const sent = async (body: unknown) => (await get(body, mode)).sent
    expect(await sent(new WithToJSON())).toEqual(run)
    expect(await sent({ ...run, price: [Number.NaN, undefined, -0] })).toEqual({ ...run, price: [null, null, 0] })
  })

  it('sends what toJSON of an error says in place of the parts of the contract', async () => {
    const body = { toJSON: () => ({ message: 'There is no such run.' }) }
    const { sent } = await get(body, 'throw', 404)
    expect(sent).toEqual({ ...errorNotFound, message: 'There is no such run.' })
  })
})
