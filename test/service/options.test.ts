import { expect, it, vi } from 'vitest'
import { type OperationId, operations } from '../../generated/contract.js'
import { createService } from '../../src/tools/service/index.js'
import { VERSION } from '../support/fixtures.js'
import { open, options, RUN } from './send.js'

const create = (own: object) => () => createService({ ...options, otherwise: 501, ...own })

const BASE_PATH = `basePath must be a path of a URL, such as /api${VERSION}`

it('createService names every wrong option with what it must be', () => {
  const wrong = {
    authenticate: 1,
    operations: 1,
    otherwise: 1,
    strict: 1,
    limit: 1,
    rateLimitHeaders: 1,
    requestTimeout: 0,
    problems: 1,
    errorBody: 1,
    responseFields: 1,
    validateResponses: 1,
    onRequest: 1,
    onResponse: 1,
    onError: 1,
    Response: 1,
    basePath: '//a',
    maxBodySize: 0,
  }
  expect(() => createService(wrong as never)).toThrow(
    new TypeError(
      `createService: ${[
        'authenticate must be a function',
        'operations must be an object',
        'otherwise must be 501 or a function',
        'strict must be true or false',
        'limit must be a function',
        'rateLimitHeaders must be true or false',
        'requestTimeout must be an integer >= 1',
        "problems must be 'first' or 'all'",
        'errorBody must be a function',
        "responseFields must be 'keep' or 'strip'",
        "validateResponses must be 'throw' or 'report' or false",
        'onRequest must be a function',
        'onResponse must be a function',
        'onError must be a function',
        'Response must be a class',
        BASE_PATH,
        'maxBodySize must be an integer >= 1',
      ].join('; ')}.`,
    ),
  )
  expect(() => createService(undefined as never)).toThrow(
    'createService: operations must be an object; authenticate must be a function; the options must be an object.',
  )
})

it('createService with strict names the operations that lack a function', () => {
  const all = Object.fromEntries(Object.keys(operations).map((id) => [id, options.operations.getRun]))
  create({ operations: all, strict: true })()
  const { getRun: _, ...some } = options.operations
  const missing = (Object.keys(operations) as OperationId[]).filter((id) => !(id in some))
  expect(create({ operations: some, strict: true })).toThrow(
    `createService: operations lacks a function for ${missing.join(', ')}.`,
  )
})

it('createService names the functions that are no operation, and takes whatever else the handlers have', () => {
  const extra = { fly: () => ({}), swim: () => ({}), runs: new Map() }
  expect(create({ operations: { ...options.operations, ...extra } })).toThrow(
    `createService: operations has fly, swim, which the contract does not have; it has ${Object.keys(operations).join(', ')}.`,
  )
  create({ operations: { ...options.operations, runs: new Map() } })()
})

it('the handlers may be an instance of a class, which has fields and functions of its own', async () => {
  class Handlers {
    private readonly runs = new Set([RUN])
    private readonly log = () => {}
    getRun({ path }: { path: { id: string } }) {
      this.log()
      return { status: this.runs.has(`/runs/${path.id}`) ? (404 as const) : (403 as const) }
    }
  }
  const ask = open({ operations: new Handlers() })
  expect([(await ask(RUN)).status, (await ask('/runs/lost')).status]).toEqual([404, 403])
})

it.each(['', '/', '/api', `/api${VERSION}/`, '/api//'])('createService accepts the basePath %j', (basePath) => {
  expect(create({ basePath })).not.toThrow()
})

it.each(['a/b', '//', '//a', '/a?b', '/a b', '/a/../b', ['/a']])(
  'createService refuses the basePath %j',
  (basePath) => {
    expect(create({ basePath })).toThrow(`createService: ${BASE_PATH}.`)
  },
)

it('createService warns of operations without a handler, unless otherwise says what happens to them', () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  const { getRun } = options.operations
  create({ operations: { getRun } })()
  expect(warn).not.toHaveBeenCalled()
  create({ operations: { getRun }, otherwise: undefined })()
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/^createService: operations lacks a function for getCurrentWorkspace, .* get a 501/)],
  ])
  warn.mockRestore()
})
