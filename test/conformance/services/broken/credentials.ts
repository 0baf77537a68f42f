import type { Ask, Driver } from '../driver.js'
import { at, type Broken, broken, instead, reply } from '../situations.js'
import type { Context, Reply } from '../types.js'

const INVALID = 'A request whose key is missing or invalid fails with 401.'
const HEADER =
  'The key is sent in the header Authorization, as Bearer and the key, and a request without it fails with 401.'

const header = (c: Context) => c.request.headers.get('authorization') ?? ''
const bare = (c: Context) => /^Bearer (.*)$/.exec(header(c))?.[1] ?? ''
const sends =
  (text: (key: string) => string) =>
  ({ service }: Driver, ask: Partial<Ask>): Partial<Ask> => ({
    ...ask,
    ...{ key: undefined, headers: { ...ask.headers, authorization: text(ask.key ?? service.keys.valid) } },
  })
const without = (_: Driver, ask: Partial<Ask>): Partial<Ask> => ({ ...ask, key: undefined })
const known = (c: Context, matches: (key: string) => boolean) => c.world.principals.find(({ key }) => matches(key))?.key

/** A wrong way to find a key, and a header that it should not find one in. */
interface Lenient {
  name: string
  visible: string
  sentence?: string
  find: (c: Context) => string | undefined
  ask: (d: Driver, ask: Partial<Ask>) => Partial<Ask>
  where: string[]
}

const LENIENT: Lenient[] = [
  {
    ...{ name: 'ignores text after the key', visible: '"Bearer <key> x" gets a success' },
    ...{ find: (c) => bare(c).split(' ')[0], ask: sends((key) => `Bearer ${key} x`) },
    where: ['getCurrentWorkspace', 'listPlaybooks, page 2', 'listProviders, pinned', 'getRun, run ended'],
  },
  {
    ...{ name: 'takes the first of a list of keys', visible: '"Bearer <key>, nobody" gets a success' },
    ...{ find: (c) => bare(c).split(',')[0], ask: sends((key) => `Bearer ${key},nobody`) },
    where: ['listProviders', 'listPlaybooks, query', 'triggerRun, no inputs', 'getRun, pinned'],
  },
  {
    ...{ name: 'searches the header for the scheme', visible: '"Digest x, Bearer <key>" gets a success' },
    ...{ find: (c) => /Bearer (\S+)$/.exec(header(c))?.[1], ask: sends((key) => `Digest x, Bearer ${key}`) },
    where: ['listPlaybooks', 'listProviders, page 2', 'getRun, run in progress', 'getCurrentWorkspace, pinned'],
  },
  {
    ...{ name: 'accepts the scheme twice', visible: '"Bearer Bearer <key>" gets a success' },
    ...{ find: (c) => /^(?:Bearer )+(\S+)$/.exec(header(c))?.[1], ask: sends((key) => `Bearer Bearer ${key}`) },
    where: ['getCurrentWorkspace', 'triggerRun', 'listProviders, query', 'listPlaybooks, page 2, pinned'],
  },
  {
    ...{ name: 'compares the beginning of the key only', visible: 'a key with other text at its end gets a success' },
    find: (c) => known(c, (key) => bare(c).slice(0, 12) === key.slice(0, 12)),
    ask: sends((key) => `Bearer ${key.slice(0, 12)}00000000`),
    where: ['listPlaybooks', 'getRun', 'listProviders, page 2', 'triggerRun, pinned', 'any, seventh'],
  },
  {
    ...{ name: 'accepts a key that is cut', visible: 'the key without its last character gets a success' },
    find: (c) => known(c, (key) => bare(c).length > 8 && key.startsWith(bare(c))),
    ask: sends((key) => `Bearer ${key.slice(0, -1)}`),
    where: ['getCurrentWorkspace', 'listPlaybooks, page 2', 'getRun, pinned'],
  },
  {
    ...{ name: 'accepts a key with more text behind it', visible: 'the key and one more character gets a success' },
    ...{ find: (c) => known(c, (key) => bare(c).startsWith(key)), ask: sends((key) => `Bearer ${key}0`) },
    where: ['listProviders', 'triggerRun, two inputs', 'listPlaybooks, query'],
  },
  {
    ...{ name: 'compares the end of the key only', visible: 'a key with other text at its beginning gets a success' },
    find: (c) => known(c, (key) => bare(c).slice(-8) === key.slice(-8)),
    ask: sends((key) => `Bearer wfk_00000000${key.slice(-8)}`),
    where: ['getRun', 'listPlaybooks, page 2', 'listProviders, pinned', 'triggerRun'],
  },
  {
    ...{ name: 'reads % in a key as a wildcard', visible: '"Bearer wfk_%" gets a success' },
    find: (c) => known(c, (key) => /%$/.test(bare(c)) && key.startsWith(bare(c).slice(0, -1))),
    ask: sends(() => 'Bearer wfk_%'),
    where: ['getCurrentWorkspace', 'listProviders, query', 'getRun, run ended'],
  },
  {
    ...{ name: 'reads * as any key', visible: '"Bearer *" gets a success' },
    ...{ find: (c) => (bare(c) === '*' ? known(c, () => true) : undefined), ask: sends(() => 'Bearer *') },
    where: ['listPlaybooks', 'triggerRun, pinned', 'listProviders, page 2'],
  },
  {
    ...{ name: 'decodes a key that is percent-encoded', visible: 'the key with "_" written as %5F gets a success' },
    find: (c) => bare(c).replace(/%5f/gi, '_'),
    ask: sends((key) => `Bearer ${key.replace('_', '%5F')}`),
    where: ['listProviders', 'getRun', 'listPlaybooks, pinned'],
  },
  {
    ...{ name: 'compares keys without regard to case', visible: 'the key in capital letters gets a success' },
    find: (c) => known(c, (key) => key.toLowerCase() === bare(c).toLowerCase()),
    ask: sends((key) => `Bearer ${key.toUpperCase()}`),
    where: ['getCurrentWorkspace', 'triggerRun', 'listPlaybooks, page 2', 'getRun, a run in progress'],
  },
  {
    ...{ name: 'accepts every key of the right form', visible: 'a key that nobody has gets a success' },
    find: (c) => (/^wfk_[0-9a-f]{16}$/.test(bare(c)) ? known(c, () => true) : undefined),
    ask: sends((key) => `Bearer wfk_${[...key.slice(4)].reverse().join('')}`),
    where: ['listPlaybooks', 'getRun', 'listProviders, page 2', 'getCurrentWorkspace, pinned', 'any, after 60 s'],
  },
  {
    ...{ name: 'accepts the key by Basic', visible: 'Basic with the key as password gets a success', sentence: HEADER },
    find: (c) => (/^Basic (.+)$/.test(header(c)) ? atob(header(c).slice(6)).split(':')[1] : undefined),
    ask: sends((key) => `Basic ${btoa(`api:${key}`)}`),
    where: ['getCurrentWorkspace', 'listPlaybooks', 'getRun, run in progress', 'listProviders, pinned'],
  },
  {
    ...{ name: 'accepts the key without a scheme', visible: '"Authorization: <key>" gets a success', sentence: HEADER },
    ...{ find: header, ask: sends((key) => key) },
    where: ['listProviders', 'triggerRun', 'listPlaybooks, page 2'],
  },
  {
    ...{ name: 'accepts any scheme', visible: '"Token <key>" gets a success', sentence: HEADER },
    ...{ find: (c) => header(c).split(' ')[1], ask: sends((key) => `Token ${key}`) },
    where: ['getRun', 'listPlaybooks, query', 'getCurrentWorkspace, pinned'],
  },
  {
    ...{ name: 'accepts the key in the query', visible: '?api_key=<key> gets a success', sentence: HEADER },
    find: (c) => c.url.searchParams.get('api_key') ?? undefined,
    ask: (d, ask) => without(d, { ...ask, query: { ...ask.query, api_key: d.service.keys.valid } }),
    where: ['getCurrentWorkspace', 'listProviders', 'getRun', 'listPlaybooks, page 2', 'triggerRun'],
  },
  {
    ...{ name: 'accepts the key in X-Api-Key', visible: 'X-Api-Key with the key gets a success', sentence: HEADER },
    find: (c) => c.request.headers.get('x-api-key') ?? undefined,
    ask: (d, ask) => without(d, { ...ask, headers: { ...ask.headers, 'x-api-key': d.service.keys.valid } }),
    where: ['listPlaybooks', 'triggerRun, no inputs'],
  },
  {
    ...{ name: 'needs no key', visible: 'a request without a key gets a success', sentence: HEADER },
    ...{ find: (c) => (header(c) === '' ? known(c, () => true) : undefined), ask: without },
    where: [
      ...['getCurrentWorkspace', 'listPlaybooks', 'listProviders', 'getRun', 'triggerRun', 'listPlaybooks, page 2'],
      ...['listProviders, query', 'listPlaybooks, pinned', 'getRun, run ended', 'triggerRun, no inputs'],
      ...['getRun, run in progress', 'any, seventh', 'any, after 60 s', 'any, together', 'triggerRun, pinned'],
    ],
  },
  {
    ...{ name: 'needs no key after the scheme', visible: '"Bearer " alone gets a success', sentence: HEADER },
    find: (c) => (/^Bearer$/.test(header(c)) ? known(c, () => true) : undefined),
    ask: sends(() => 'Bearer '),
    where: ['listProviders', 'triggerRun', 'listPlaybooks, query'],
  },
]

/** A wrong reply to a request whose key is wrong. */
interface Wrong {
  name: string
  visible: string
  reply: Reply
  key: (d: Driver) => string | undefined
  /** Only for such keys; by default for every wrong one. */
  only?: (key: string) => boolean
  where: string[]
}

const nobody = () => 'wfk_0000000000000000'
const failed = { status: 500, body: { error: 'internal_error', message: 'The service failed.' } }
const error = (status: number, code: string): Reply => ({ status, body: { error: code, message: 'No.' } })
const WRONG: Wrong[] = [
  {
    ...{ name: 'fails on a key of 2,000 characters', visible: 'such a key gets 500 instead of 401', reply: failed },
    ...{ key: () => 'k'.repeat(2000), only: (key) => key.length > 1000 },
    where: ['getCurrentWorkspace', 'listPlaybooks, page 2', 'triggerRun', 'getRun'],
  },
  {
    ...{ name: 'fails on a key with spaces', visible: '"Bearer two words" gets 500 instead of 401', reply: failed },
    ...{ key: () => 'two words', only: (key) => key.includes(' ') },
    where: ['listProviders', 'getRun', 'listPlaybooks, pinned'],
  },
  {
    ...{ name: 'forbids a wrong key', visible: 'a wrong key gets 403 instead of 401', reply: error(403, 'forbidden') },
    key: nobody,
    where: ['listProviders', 'listPlaybooks, page 2', 'triggerRun', 'getRun, pinned', 'any, seventh'],
  },
  {
    ...{ name: 'hides what a wrong key asks for', visible: 'a wrong key gets 404', reply: error(404, 'not_found') },
    ...{ key: nobody, where: ['getRun', 'triggerRun', 'listPlaybooks, query'] },
  },
  {
    ...{ name: 'calls a missing key a bad request', visible: 'no key gets 400', reply: error(400, 'bad_request') },
    ...{ key: () => undefined, where: ['getCurrentWorkspace', 'listProviders, page 2', 'triggerRun'] },
  },
  {
    ...{ name: 'reports a wrong key with 200', visible: 'a wrong key gets 200 with the error in its body' },
    ...{ reply: error(200, 'unauthorized'), key: nobody },
    where: ['getCurrentWorkspace', 'getRun', 'listPlaybooks, page 2'],
  },
  {
    ...{ name: 'sends a client without a key to a login page', visible: 'no key gets 302' },
    ...{ reply: { status: 302, headers: { location: 'https://service.test/login' } }, key: () => undefined },
    where: ['listPlaybooks', 'getRun, pinned', 'getCurrentWorkspace'],
  },
]

/** A request that is wrong in two ways, of which the key has to be reported. */
const LATE: { name: string; visible: string; status: number; ask: Partial<Ask>; where: string[] }[] = [
  {
    ...{ name: 'checks the body before the key', visible: 'a wrong key with a wrong body gets 400', status: 400 },
    ...{ ask: { body: '{"inputs":1}' }, where: ['triggerRun', 'triggerRun, pinned'] },
  },
  {
    ...{ name: 'checks the parameters before the key', visible: 'a wrong key with page=0 gets 400', status: 400 },
    ...{ ask: { query: { page: '0' } }, where: ['listPlaybooks', 'listProviders', 'listProviders, pinned'] },
  },
  {
    ...{ name: 'looks for the id before the key', visible: 'a wrong key with an unknown id gets 404', status: 404 },
    ...{ ask: { id: 'run_nobody' }, where: ['getRun', 'triggerRun', 'getRun, pinned'] },
  },
]
const isWrong = (c: Context) => {
  if (c.operation === 'triggerRun' && c.does.wrongBody(c)) return true
  if (c.operation?.startsWith('list')) return c.does.wrongParameter(c) !== undefined
  return c.id === 'run_nobody'
}

const onlyAt = (name: string, where: string) => `${name} (${where})`

export const credentials: Broken[] = [
  ...LENIENT.flatMap(({ name, visible, sentence = INVALID, find, ask, where }) =>
    where.map((text) => {
      const { when, show, thorough } = at(text)
      const change = instead('credentials', when, (base) => (c) => {
        const key = base.credentials(c)
        return key !== undefined && known(c, (valid) => valid === key) ? key : find(c)
      })
      const fault = { name: onlyAt(name, text), sentence, visible, change, thorough, show: (d: Driver) => show(d, ask) }
      return broken('credentials', fault)
    }),
  ),
  ...WRONG.flatMap(({ name, visible, reply: wrong, key, only = () => true, where }) =>
    where.map((text) => {
      const { when, show, thorough } = at(text)
      const change = instead(
        'unauthorized',
        (c) => when(c) && only(bare(c)),
        () => () => wrong,
      )
      const asks = (d: Driver, ask: Partial<Ask>) => ({ ...ask, key: key(d) })
      const fault = { name: onlyAt(name, text), sentence: INVALID, visible, change, thorough }
      return broken('credentials', { ...fault, show: (d: Driver) => show(d, asks) })
    }),
  ),
  ...LATE.flatMap(({ name, visible, status, ask, where }) =>
    where.map((text) => {
      const { when, show } = at(text)
      const early = (c: Context) => when(c) && isWrong(c)
      const change = reply(early, (was) => (was.status === 401 ? error(status, 'bad_request') : was))
      const asks = (_: Driver, was: Partial<Ask>) => ({ ...was, ...ask, key: nobody() })
      const fault = { name: onlyAt(name, text), sentence: INVALID, visible, change }
      return broken('credentials', { ...fault, show: (d: Driver) => show(d, asks) })
    }),
  ),
]
