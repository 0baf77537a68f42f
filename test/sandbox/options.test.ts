import { expect, it } from 'vitest'
import { plans } from '../../generated/contract.js'
import { createSandbox, type SandboxOptions } from '../../src/tools/sandbox/index.js'
import { type ListenOptions, listen } from '../../src/tools/sandbox/port/index.js'
import { messageOf } from './calls.js'

it.each<[options: object, message: string]>([
  [{ port: 65_536 }, 'port must be an integer from 0 to 65535'],
  [{ host: '' }, 'host must be an address or a name'],
  [{ host: 5 }, 'host must be an address or a name'],
  [{ control: 1 }, 'control must be true or false'],
  [{ controlToken: ' a' }, 'controlToken must be visible ASCII text'],
  [{ controlToken: '' }, 'controlToken must be visible ASCII text'],
  [{ controlToken: 'a\n' }, 'controlToken must be visible ASCII text'],
  [{ controlToken: 5 }, 'controlToken must be visible ASCII text'],
  ...[
    'dev.box',
    ['http://dev.box'],
    ['dev.box:8080'],
    ['*.dev.box'],
    [''],
    ['a/b'],
    ['dev.box', 'a/b'],
    [['dev.box']],
  ].map((allowedHosts): [object, string] => [
    { allowedHosts },
    'allowedHosts must be a list of names or addresses, without scheme, port and wildcard, such as dev.example',
  ]),
  [{ requireWorld: 1 }, 'requireWorld must be true or false'],
  [{ maxWorlds: 0 }, 'maxWorlds must be an integer >= 1'],
  [{ onRequest: 1 }, 'onRequest must be a function'],
  [null as never, 'the options must be an object'],
])('listen refuses %j', async (options, message) => {
  await expect(listen(createSandbox(), options as ListenOptions)).rejects.toThrow(new TypeError(`listen: ${message}.`))
})

it('listen rejects an object that is not a sandbox', async () => {
  await expect(listen({} as never)).rejects.toThrow('This is not a sandbox. Create one with createSandbox.')
})

const PLANS = `plan must be ${Object.keys(plans).join(', ')}, false or { requestsPerMinute, burst }, the rate above 0 and the burst at least 0`
const SEEDS = 'seed must be an integer from -9007199254740991 to 9007199254740991'

it.each<[options: unknown, problem: string]>([
  [null, 'the options must be an object'],
  [{ clock: {} }, 'clock must be an object with now()'],
  [{ clock: null }, 'clock must be an object with now()'],
  [{ handlers: null }, 'handlers must be an object'],
  [{ handlers: { fly: () => ({}) } }, 'handlers.fly: the contract has no such operation'],
  [{ handlers: { getRun: {} } }, 'handlers.getRun must be a function'],
  [{ seed: 1.5 }, SEEDS],
  [{ seed: 1e300 }, SEEDS],
  [{ plan: 'gold' }, PLANS],
  [{ plan: { requestsPerMinute: 0, burst: 1 } }, PLANS],
  [{ plan: { requestsPerMinute: Infinity, burst: 1 } }, PLANS],
  [{ progress: 'magic' }, "progress must be 'poll' or 'clock'"],
  [{ speed: 0 }, 'speed must be above 0'],
  ...[2, -1, '1'].map((chaos): [object, string] => [{ chaos }, 'chaos must be a number from 0 to 1']),
  [{ startTime: 'soon' }, 'startTime must be a time from 1970 to 9999, such as 2030-01-01T00:00:00Z'],
  [{ maxRuns: 0 }, 'maxRuns must be an integer >= 1'],
  [{ maxRequests: 0 }, 'maxRequests must be an integer >= 1'],
])('createSandbox refuses %j with a sentence', (options, problem) => {
  expect(messageOf(() => createSandbox(options as SandboxOptions))).toBe(`TypeError: createSandbox: ${problem}.`)
})

it('createSandbox lists the known options when one is unknown', () => {
  expect(() => createSandbox({ sed: 1 } as never)).toThrow('unknown option "sed"; expected one of: seed, plan, ')
})
