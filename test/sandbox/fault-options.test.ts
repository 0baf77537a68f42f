import { expect, it } from 'vitest'
import { operations } from '../../generated/contract.js'
import { createSandbox, type Fault } from '../../src/tools/sandbox/index.js'
import { messageOf } from './calls.js'

const FAULT_OPTIONS = ['status', 'retryAfter', 'body', 'headers', 'delay', 'drop', 'malformed', 'cutOff', 'after']
const CHOICES = ['operation', 'key', 'run', 'playbook', 'skip', 'probability', 'times', 'untilCleared', 'sequence']
const DELAY = '0 to 2147483647 ms, or [min, max] of these'
const NEEDS = 'it needs status, body, headers, delay, drop, malformed, cutOff or sequence'
const HEADERS = 'headers must be an object of headers, whose names and values are valid in HTTP'

it.each<[fault: object, problem: string]>([
  [{}, NEEDS],
  [{ after: 'effect', retryAfter: 3 }, NEEDS],
  [{ drop: false }, NEEDS],
  [{ status: 199 }, 'status must be an integer from 200 to 599'],
  [{ status: 600 }, 'status must be an integer from 200 to 599'],
  [{ status: 500, retryAfter: -1 }, 'retryAfter must be an integer >= 0, or false for none'],
  [{ delay: 10, retryAfter: 5 }, 'retryAfter needs a status'],
  [{ drop: true, retryAfter: false }, 'retryAfter needs a status'],
  [{ sequence: [{ status: 429, retryAfter: 5 }, { retryAfter: 5 }] }, 'sequence/1/retryAfter needs a status'],
  [{ sequence: [null] }, 'the options must be an object'],
  [{ body: 10n }, 'body must be a string or a JSON value'],
  [{ body: () => 1 }, 'body must be a string or a JSON value'],
  [{ headers: ['a'] }, HEADERS],
  [{ headers: { 'a b': '1' } }, HEADERS],
  [{ headers: { a: 1 } }, HEADERS],
  [{ headers: { a: 'b\nc' } }, HEADERS],
  [{ delay: -1 }, `delay must be ${DELAY}`],
  [{ delay: 2 ** 31 }, `delay must be ${DELAY}`],
  [{ delay: [2, 1] }, `delay must be ${DELAY}`],
  [{ delay: [1] }, `delay must be ${DELAY}`],
  [{ delay: [1, '2'] }, `delay must be ${DELAY}`],
  [{ delay: [1, 2, 3] }, `delay must be ${DELAY}`],
  [{ drop: 1 }, 'drop must be true or false'],
  [{ malformed: 1 }, 'malformed must be true or false'],
  [{ cutOff: 1 }, 'cutOff must be true or false'],
  [{ status: 500, after: 'cause' }, "after must be 'effect'"],
  [{ status: 500, operation: 'fly' }, `operation must be '${Object.keys(operations).join("' or '")}'`],
  [{ status: 500, time: 3 }, `unknown option "time"; expected one of: ${[...FAULT_OPTIONS, ...CHOICES].join(', ')}`],
  [{ status: 500, operation: 5 }, `operation must be '${Object.keys(operations).join("' or '")}'`],
  [{ status: 500, key: 5 }, 'key must be a string'],
  [{ status: 500, key: 'lost' }, `the world has no key "lost", only ${Object.keys(createSandbox().keys).join(', ')}`],
  [{ status: 500, run: 5 }, 'run must be a string'],
  [{ status: 500, playbook: 5 }, 'playbook must be a string'],
  [{ status: 500, skip: -1 }, 'skip must be an integer >= 0'],
  [{ status: 500, probability: 2 }, 'probability must be a number from 0 to 1'],
  [{ status: 500, probability: -1 }, 'probability must be a number from 0 to 1'],
  [{ status: 500, probability: '0.5' }, 'probability must be a number from 0 to 1'],
  [{ status: 500, times: 0 }, 'times must be an integer >= 1'],
  [{ status: 500, untilCleared: 1 }, 'untilCleared must be true or false'],
  [{ status: 500, untilCleared: true, times: 2 }, 'times and untilCleared cannot be combined'],
  [{ sequence: [] }, 'sequence must be a non-empty list of effects'],
  [{ sequence: { status: 500 } }, 'sequence must be a non-empty list of effects'],
  [{ sequence: [{}], status: 500 }, 'with a sequence, effects go inside it'],
  [
    { sequence: [{ status: 500 }, { status: 7, times: 3 }] },
    `sequence/1/status must be an integer from 200 to 599; unknown option "sequence/1/times"; expected one of: ${FAULT_OPTIONS.join(', ')}`,
  ],
])('the fault %o is refused', (fault, problem) => {
  const sandbox = createSandbox()
  expect(messageOf(() => sandbox.inject(fault as Fault))).toBe(`TypeError: This fault cannot be injected: ${problem}.`)
  expect(sandbox.faults).toEqual([])
})

it.each<object>([
  { status: 200 },
  { status: 599, retryAfter: 0 },
  { body: null },
  { body: '' },
  { headers: {} },
  { delay: 0 },
  { delay: 2 ** 31 - 1 },
  { delay: [0, 0] },
  { cutOff: true, times: Infinity },
  { sequence: [{}], probability: 0 },
  { drop: true, probability: 1, skip: 0, times: 1, untilCleared: false },
])('the fault %o waits', (fault) => {
  const sandbox = createSandbox()
  sandbox.inject(fault)
  expect(sandbox.faults).toHaveLength(1)
})

it('as many faults wait as there is space for, and one that does not wait cannot be removed', () => {
  const sandbox = createSandbox()
  for (let count = 0; count < 1_000; count++) sandbox.inject({ drop: true })
  const refused = 'Error: The faults are too many or too large: clear some of the 1000.'
  expect(messageOf(() => sandbox.inject({ drop: true }))).toBe(refused)
  sandbox.clearFaults()
  expect(messageOf(() => sandbox.inject({ body: 'x'.repeat(2 ** 22) }))).toBe(refused.replace('1000', '0'))
})
