import { expect, it } from 'vitest'
import { planIds, plans, rules } from '../../../generated/contract.js'
import { errorRateLimited } from '../../../generated/examples.js'
import { acrossResults } from '../../../src/tools/conformance/judge/across.js'
import type { Exchange } from '../../../src/tools/conformance/judge/exchange.js'
import { judge } from '../../../src/tools/conformance/judge/judge.js'
import {
  firstPageResults,
  isListed,
  isShort,
  itemIds,
  listedResults,
  pageResults,
  traversalResults,
} from '../../../src/tools/conformance/judge/lists.js'
import { counted, type Message, type Result, secondsText } from '../../../src/tools/conformance/judge/result.js'
import {
  FollowedRun,
  isFollowable,
  isTerminal,
  RunHistory,
  startedNow,
} from '../../../src/tools/conformance/judge/runs.js'
import { decodedSegment, statedRate } from '../../../src/tools/conformance/judge/semantics.js'
import { repetitionResults, statusResults, successResults } from '../../../src/tools/conformance/judge/status.js'
import {
  idFormResults,
  newRunResults,
  refusalOf,
  startedRun,
  triggeredResults,
} from '../../../src/tools/conformance/judge/triggers.js'
import { commonItems, compareWorkspaces } from '../../../src/tools/conformance/judge/workspaces.js'
import { errorOf, listOf, UNKNOWN_STATUS } from '../../support/fixtures.js'
import { run } from '../traffic/recording.js'
import { exchange, type Known, printed } from './exchange.js'

const checked = (...args: Parameters<typeof exchange>) => judge(exchange(...args))
const resultsOf = (...args: Parameters<typeof exchange>) => checked(...args).results
const lost = (message: string): Exchange => ({ ...exchange('getRun', 0, ''), failure: { kind: 'connection', message } })

const list = (data: unknown[], meta: object = {}) => listOf(data, meta)
const limited = (changes: object = {}) => ({
  ...errorRateLimited,
  error: 'rate_limit_exceeded',
  message: 'more than 60 requests per minute',
  retry_after: 3,
  ...changes,
})
const page = (number: number, size: number, body: unknown, status = 200) => ({
  number,
  size,
  exchange: checked('listPlaybooks', status, body),
})
/** Two pages of two items each. */
const pages = (one: unknown[], two: unknown[], total = 3) =>
  [one, two].map((data, index) => page(index + 1, 2, list(data, { total, page: index + 1, per_page: 2 })))
const [A, B, C] = [{ id: 'a' }, { id: 'b' }, { id: 'c' }]
const WHOLE = list([A, B, C])
const WITH_KEY = { authorization: 'Bearer key' }
const NOW = Date.parse('2026-11-21T09:00:00Z')
const UNKNOWN = { status: 404, basis: rules.unknownId, what: 'an unknown id' }

/** What the polls of one run show, and what they show in the end. */
function follow(...runs: object[]): Result[] {
  const history = new RunHistory('run_1', 'pb_1', 'running')
  return [...runs.flatMap((each) => history.poll(run(each), exchange('getRun', 200, {}))), ...history.end()]
}
const step = (id: string, status: string, capability?: string) => ({ id, status, ...(capability && { capability }) })

const LARGEST = plans[planIds.largest].requestsPerMinute
const ruleNames = new Map<string, string>(Object.entries(rules).map(([name, id]) => [id, name]))

/** A field of an error that only a later contract may have. */
const isOfLaterContract = (field: string | undefined) =>
  field !== undefined && !['error', 'message', 'retry_after'].includes(field)

/**
 * A result as a line; those that say of a property or a header whether it is there are left out, because the contract may get
 * more, and so are those about a field of an error that a test does not name.
 */
function lineOf({ basis, outcome, message, exchange: _, location, discovery, ...details }: Result): string[] {
  const sentence = printed(message)
  if (typeof message === 'string' && / is as the contract says$| is (there|missing)$/.test(sentence)) return []
  if (/^\w+ \d+ has [\w-]+: null$/.test(sentence)) return []
  const [, ofError] = /^(?:ErrorBody|RateLimitBody)\.(\w+) is not empty$/.exec(sentence) ?? []
  if (isOfLaterContract(ofError)) return []
  const parts = Object.entries(details).filter(([, value]) => value !== undefined)
  return [
    [
      `${outcome} ${ruleNames.get(basis) ?? 'another entry'}: ${sentence}`,
      ...parts.map(([name, value]) => `${name} ${printed(value as Message)}`),
      ...(discovery ? [`discovery ${Object.values(discovery).join(' ')}`] : []),
    ].join(' | '),
  ]
}

type Cases = Record<string, () => readonly Result[]>

const casesOf = (names: readonly string[], results: (name: string) => readonly Result[]): Cases =>
  Object.fromEntries(names.map((name) => [JSON.stringify(name), () => results(name)]))

const MEDIA_TYPES = [
  'application/json',
  'Application/JSON ; charset=UTF-8',
  'application/json;charset="utf8"',
  'application/json; charset=latin1',
  'application/json; a=b; charset=utf-16',
  'application/json;  charset=latin1',
  'application/json; charset="utf-8" ; a=b',
  'text/application/json',
  'application/jsonp',
  '',
]
const UUID = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'
const IDS = [
  'run_1',
  'r1',
  '1run',
  'run_',
  'run',
  '',
  '_1',
  UUID,
  `a${UUID}`,
  `${UUID}a`,
  'a-1-',
  '42',
  'run_nanoid-',
  'run_nanoid_',
]

const me = (body: unknown, known?: Known) => resultsOf('getCurrentWorkspace', 200, body, known)
const providers = (body: unknown) => resultsOf('listProviders', 200, body)
const runWith = (changes: object) => resultsOf('getRun', 200, run(changes))
const triggered = (body: unknown) => resultsOf('triggerRun', 201, body)
const TRIGGERED = exchange('triggerRun', 201, {})
const GOT = exchange('getRun', 200, {})
const compared = (before: object, after: object, isSame: boolean) =>
  compareWorkspaces(before, exchange('getCurrentWorkspace', 200, after), isSame)
const itemsOf = (ids: string[], name: string) => {
  const response = exchange('listPlaybooks', 200, list(ids.map((id) => ({ id, name }))))
  return new Map(
    ids.map((id) => [`listPlaybooks ${id}`, { id, item: JSON.stringify({ id, name }), exchange: response }]),
  )
}
const common = (before: string[], after: string[], name = 'A') =>
  commonItems(itemsOf(before, 'A'), itemsOf(after, name))
const across = (bodies: Parameters<typeof acrossResults>[0]['bodies'], ...capabilities: string[]) =>
  acrossResults({ bodies, capabilities: new Set(capabilities) })

const GROUPS: Record<string, Cases> = {
  'one response': {
    'fields and headers that the contract does not name': () =>
      me(
        { id: 'ws_1', name: 'A', none: null, all: [], own: {}, part: 1.5, whole: 2, is: true },
        { headers: { 'x-team': 'a', 'x-token': 'abc', 'x-amz-id': '1', 'a-sec-b': '2', date: 'now' } },
      ),
    'a release in the request': () => me('', { sent: { 'service-version': '2026-11-21' } }),
    'a release that is none': () =>
      resultsOf('getCurrentWorkspace', 404, errorOf({ error: 'a', message: 'b' }), {
        sent: { 'service-version': 'latest' },
      }),
    'a refused release': () =>
      resultsOf('getCurrentWorkspace', 400, errorOf({ error: 'a', message: 'b' }), {
        sent: { 'service-version': '2026-11-21' },
      }),
    'no JSON': () => me('no'),
    'JSON that is cut short': () => me('{"id":"ws_1","name":"Z\u00fcrich }\\" "'),
    'JSON whose last bracket is missing': () => me('{"a":{"b":"{"}'),
    'JSON with a bracket too many': () => me('{"a":"{["}}'),
    'no body': () => me(''),
    'a byte order mark': () => me('\ufeff{"id":"a"}'),
    'a name twice': () => me('{"id":"a","id":"b"}'),
    'no UTF-8': () => me('{"id":"a"}', { isUtf8: false }),
    'a body that is too long': () => me('{', { truncated: true }),
    'a body and headers that were not recorded': () => me(undefined, { hasHeaders: false }),
    'a list of workspaces': () => me(list([])),
    'a workspace with the parts of a list': () => me({ ...list([]), id: 'ws_1', name: 'A' }),
    'a workspace with the parts of a run': () => me(run({ started_at: '2026-02-30T09:00:00Z' })),
    'a list instead of an object': () => me([]),
    'a status that no operation has': () => resultsOf('getRun', 418, {}),
    'another success without a body': () => resultsOf('getRun', 204, ''),
    'a refusal with the status of a success': () => resultsOf('getRun', 200, limited()),
    'an error with the body of a success': () =>
      resultsOf('listPlaybooks', 500, errorOf({ ...list([]), error: undefined, message: undefined })),
    'items that are no playbooks': () =>
      resultsOf(
        'listPlaybooks',
        200,
        list([{ name: 'a' }, { key: 'x' }, { name: 'a', ref: { id: 7 } }, { id: 5 }, { id: '' }]),
      ),
    'items that are no providers': () => providers(list([{}, { id: 5 }])),
    'two items with one id': () => providers(list([{ id: 'a' }, { id: 'a' }])),
    'more items than its meta says': () => providers(list([{ id: 'a' }, { id: 'b' }], { total: 1, per_page: 1 })),
    'no item on the first page': () => providers(list([], { total: 3 })),
    'no item on the second page': () => providers(list([], { total: 3, page: 2 })),
    'a list without meta': () => providers({ data: [] }),
    'a run with odd values': () =>
      runWith({
        id: 'X',
        status: UNKNOWN_STATUS,
        started_at: '2026-02-30T09:00:00Z',
        steps: [
          { id: 's', status: 'odd', capability: 'Send' },
          { id: 's', status: 'running', capability: 'crm.find' },
          5,
        ],
      }),
    'a run of a day that does not exist, with an id twice': () =>
      runWith({ id: 'X', started_at: '2026-02-30T09:00:00Z', steps: [step('s', 'running'), step('s', 'running')] }),
    'a list that is full': () => providers(list([{ id: 'a' }, { id: 'b' }], { per_page: 2 })),
    'two items with a number as their id': () => providers(list([{ id: 5 }, { id: 5 }])),
    'a run with values of other types': () => runWith({ id: 5, steps: [{ id: null, status: {} }] }),
    'a run that waits': () =>
      runWith({
        steps: [
          { id: 's', status: 'running', capability: 'crm.find' },
          { id: 't', status: 'waiting_approval' },
        ],
      }),
    'a trigger without an id': () => triggered({}),
    'a trigger with an id of another type': () => triggered({ id: 5 }),
    'a trigger with an empty id': () => triggered({ id: '' }),
    'a trigger with an id elsewhere': () => triggered({ run_id: 'r' }),
    'a trigger with a status that is none': () => triggered({ id: 'run_1', status: 5 }),
    'a trigger with only an id': () => triggered('"run_1"'),
    'a trigger with a list': () => triggered([]),
    'a trigger over its quota': () => resultsOf('triggerRun', 429, limited()),
    'a 429 as the contract has it': () => resultsOf('getRun', 429, limited(), { headers: { 'retry-after': '3' } }),
    'a 429 with two waits and without a limit': () =>
      resultsOf('getRun', 429, limited({ message: 'wait 3', error: 5 }), { headers: { 'retry-after': '4' } }),
    'a 429 without a wait': () => resultsOf('getRun', 429, limited({ error: 'x', message: 5, retry_after: undefined })),
    'a 429 whose header names no time': () =>
      resultsOf('getRun', 429, limited(), { headers: { 'retry-after': 'soon' } }),
    'a 429 whose headers were not recorded': () => resultsOf('getRun', 429, limited(), { hasHeaders: false }),
    'a 429 that is a list': () => resultsOf('getRun', 429, []),
    'a refusal in a body that was cut off': () => resultsOf('getRun', 200, limited(), { truncated: true }),
    'no response': () => judge(lost('late')).results,
    'an error that nobody named before': () => resultsOf('getRun', 404, errorOf({ error: 'gone', message: '' })),
    ...casesOf(MEDIA_TYPES, (type) => resultsOf('listPlaybooks', 200, list([]), { headers: { 'content-type': type } })),
    'an error of another media type': () =>
      resultsOf('getRun', 404, errorOf({ error: 'not_found', message: 'a' }), {
        headers: { 'content-type': 'text/plain' },
      }),
  },
  'the status of a response': {
    'as it must be': () => statusResults(exchange('getRun', 404, {}), UNKNOWN),
    'as good': () =>
      statusResults(exchange('getRun', 410, {}), { ...UNKNOWN, orElse: [410], relation: 'unknown-id', variation: 'v' }),
    'another than it must be': () => statusResults(GOT, UNKNOWN),
    'one that the contract does not have': () =>
      statusResults(exchange('getRun', 418, {}), { ...UNKNOWN, status: 418 }),
    'another than is assumed': () =>
      statusResults(exchange('triggerRun', 200, {}), {
        status: 400,
        basis: rules.inputValidation,
        what: 'a wrong body',
      }),
    'no response where there must be one': () => statusResults(lost('socket hang up'), UNKNOWN),
    'no response where one is assumed': () =>
      statusResults(lost('socket hang up'), { ...UNKNOWN, basis: rules.inputValidation }),
    'a response that cannot be read': () => statusResults(lost('Parse Error: a'), UNKNOWN),
  },
  'a success': {
    'with the key': () => successResults(checked('getRun', 200, run(), { sent: WITH_KEY }), 'getRun'),
    'without a recorded key': () => successResults(checked('getRun', 200, run()), 'getRun'),
    'with a key of another kind': () =>
      successResults(checked('getRun', 200, run(), { sent: { authorization: 'Basic key' } }), 'getRun'),
    'that is not valid': () => successResults(checked('getRun', 200, {}, { sent: WITH_KEY }), 'getRun'),
    'of a trigger': () => successResults(checked('triggerRun', 201, { id: 'run_1' }), 'a trigger'),
    'that refers to a run': () => successResults(checked('triggerRun', 303, ''), 'a trigger'),
    'that is refused': () => successResults(checked('getRun', 403, {}), 'getRun'),
    'that is no success yet': () => successResults(checked('getRun', 103, {}), 'getRun'),
    'that is not understood': () => successResults(checked('getRun', 400, {}), 'getRun'),
    'that is missing': () => successResults(checked('listPlaybooks', 404, {}), 'listPlaybooks'),
    'whose run is missing': () => successResults(checked('getRun', 404, {}), 'getRun'),
    'that is redirected': () =>
      successResults(checked('listPlaybooks', 302, '', { headers: { location: '/elsewhere' } }), 'listPlaybooks'),
    'that is redirected nowhere': () => successResults(checked('listPlaybooks', 300, ''), 'listPlaybooks'),
    'with the status of an error': () => successResults(checked('listPlaybooks', 400, list([])), 'listPlaybooks'),
    'without a response': () => successResults(judge(lost('late')), 'getRun'),
  },
  'a repeated request': {
    'after a 429': () => repetitionResults(exchange('getRun', 429, {}), exchange('getRun', 404, {})),
    'after a 500': () => repetitionResults(exchange('getRun', 500, {}), GOT),
    'after a 503': () => repetitionResults(exchange('getRun', 503, {}), GOT),
    'that is refused again': () => repetitionResults(exchange('getRun', 429, {}), exchange('getRun', 429, {})),
    'that fails': () => repetitionResults(exchange('getRun', 429, {}), exchange('getRun', 500, {})),
    'that gets nothing': () => repetitionResults(exchange('getRun', 429, {}), lost('late')),
  },
  'the first page': {
    'as it is assumed': () => firstPageResults(checked('listPlaybooks', 200, list([{ id: 'a' }]))),
    'of another size': () =>
      firstPageResults(checked('listPlaybooks', 200, list([], { total: 3, page: 2, per_page: 50 }))),
    'of an empty list': () => firstPageResults(checked('listPlaybooks', 200, list([]))),
    'of no list': () => firstPageResults(checked('getRun', 200, list([]))),
    'that is none': () => firstPageResults(checked('listPlaybooks', 200, {})),
  },
  'a page': {
    'as asked for': () => pageResults(page(2, 2, list([{ id: 'c' }], { total: 3, page: 2, per_page: 2 }))),
    'beyond the last': () => pageResults(page(4, 2, list([], { total: 3, page: 4, per_page: 2 }))),
    'with another number': () => pageResults(page(2, 2, list([{ id: 'c' }], { total: 3, page: 1, per_page: 2 }))),
    'of another size': () => pageResults(page(2, 2, list([{ id: 'c' }], { total: 3, page: 2, per_page: 3 }))),
    'with too few items': () => pageResults(page(1, 2, list([{ id: 'c' }], { total: 3, page: 1, per_page: 2 }))),
    'that is refused': () => pageResults(page(1, 2, {}, 400)),
    'that is none': () => pageResults(page(1, 2, {})),
  },
  'all pages': {
    'are the list': () => traversalResults(WHOLE, pages([A, B], [C]), WHOLE),
    'are a list of two items': () => traversalResults(list([A, B]), pages([A], [B], 2), list([A, B])),
    'have an item twice': () => traversalResults(WHOLE, pages([A, B], [B]), WHOLE),
    'have an item twice, of a list that was read once': () => traversalResults(WHOLE, pages([A, B], [B]), undefined),
    'have an item twice, of a list that nobody saw': () => traversalResults(undefined, pages([A], [A]), undefined),
    'lack an item': () => traversalResults(WHOLE, pages([A, B], []), WHOLE),
    'lack an item, with room for no other': () => {
      const whole = list([A, B, C, { id: 'd' }])
      return traversalResults(whole, pages([A, B], [C], 4), whole)
    },
    'lack an item, with room for no other, of a list that nobody saw': () =>
      traversalResults(undefined, pages([A, B], [C], 4), undefined),
    'lack an item of a list that nobody saw': () => traversalResults(undefined, pages([A], [B]), undefined),
    'have items without ids': () => traversalResults(list([{}, {}, {}]), pages([{}], [{}]), list([{}, {}, {}])),
    'are one page of items without ids, again': () => {
      const whole = list([{ name: 'a' }, { name: 'b' }, { name: 'c' }])
      return traversalResults(whole, pages([{ name: 'a' }], [{ name: 'a' }]), whole)
    },
    'have an item without an id': () => traversalResults(undefined, pages([A, {}], [C]), undefined),
    'have two items with one id': () => traversalResults(list([A, A, C]), pages([A, A], [C]), list([A, A, C])),
    'of a list that changed': () => traversalResults(WHOLE, pages([A, B], []), list([A, B, { id: 'd' }])),
    'of a list that grew': () => traversalResults(WHOLE, pages([A, B], [C], 4), WHOLE),
    'of a list that begins with its second page': () =>
      traversalResults(list([A, B, C], { page: 2 }), pages([A, B], [C]), WHOLE),
    'of one item': () => traversalResults(list([A]), [page(1, 2, list([A], { page: 1, per_page: 2 }))], list([A])),
    'are not those that were asked for': () =>
      traversalResults(
        WHOLE,
        [
          page(1, 2, list([A, B], { total: 3, page: 1, per_page: 2 })),
          page(2, 2, list([A], { total: 3, page: 1, per_page: 2 })),
        ],
        WHOLE,
      ),
    'are none': () => traversalResults(WHOLE, [], WHOLE),
    'are of another size': () => traversalResults(WHOLE, [page(1, 4, list([A, B], { total: 3, per_page: 2 }))], WHOLE),
    'are not all lists': () => traversalResults(WHOLE, [...pages([A, B], [C]).slice(0, 1), page(2, 2, {})], WHOLE),
    'are fewer than the list has': () => traversalResults(WHOLE, pages([A, B], [C]).slice(0, 1), WHOLE),
  },
  'a playbook that can be triggered': {
    'is listed': () => listedResults(TRIGGERED, list([{ id: 'pb_1' }]), 'pb_1'),
    'is not listed': () => listedResults(TRIGGERED, list([{ id: 'pb_2' }]), 'pb_1'),
    'is perhaps on another page': () => listedResults(TRIGGERED, list([{ id: 'pb_2' }], { total: 2 }), 'pb_1'),
    'is perhaps one without an id': () => listedResults(TRIGGERED, list([{}]), 'pb_1'),
  },
  'the polls of a run': {
    'that goes on': () =>
      follow({}, { steps: [step('a', 'running')] }, { status: 'succeeded', steps: [step('a', 'succeeded')] }),
    'that is seen once': () => follow({}),
    'that stays': () => follow({}, {}),
    'of another id': () => follow({ id: 'run_2' }),
    'of parts that are no texts': () =>
      follow(
        {
          id: 5,
          playbook_id: 7,
          started_at: 5,
          steps: [
            { id: 's', status: 5 },
            { id: 't', status: ['running'] },
            { id: 5, status: 'running' },
          ],
        },
        { steps: [step('s', 'running')] },
        { steps: [{ id: 's', status: 5 }] },
      ),
    'whose step waits without its capability': () =>
      follow(
        { steps: [step('a', 'running', 'crm.find'), step('b', 'waiting_approval', 'crm.find')] },
        { steps: [step('a', 'waiting_approval'), step('b', 'running', 'pay.out')] },
      ),
    'of another playbook': () => follow({ playbook_id: 'pb_2' }),
    'that begins anew': () => follow({}, { started_at: '2026-11-21T10:00:00Z' }),
    'that goes back': () => follow({ status: 'failed' }, { status: 'running' }),
    'whose step goes back': () => follow({ steps: [step('a', 'succeeded')] }, { steps: [step('a', 'running')] }),
    'whose planned step runs': () => follow({ steps: [step('a', 'planned')] }, { steps: [step('a', 'running')] }),
    'whose planned step succeeds': () => follow({ steps: [step('a', 'planned')] }, { steps: [step('a', 'succeeded')] }),
    'whose step waits': () =>
      follow(
        { steps: [step('a', 'running', 'crm.find'), step('b', 'waiting_approval')] },
        { steps: [step('a', 'succeeded', 'crm.find'), step('b', 'succeeded', 'crm.close')] },
      ),
    'whose step waits in a run that does not run': () =>
      follow({ status: 'queued', steps: [step('b', 'waiting_approval', 'crm.close')] }),
    'whose step gets another capability': () =>
      follow({ steps: [step('a', 'running', 'crm.find')] }, { steps: [step('a', 'succeeded', 'crm.close')] }),
    'whose step loses its capability': () =>
      follow({ steps: [step('a', 'running', 'crm.find')] }, { steps: [step('a', 'succeeded')] }),
    'whose step gets a capability': () =>
      follow({ steps: [step('a', 'running')] }, { steps: [step('a', 'succeeded', 'crm.find')] }),
    'whose steps change places': () =>
      follow(
        { steps: [step('a', 'succeeded'), step('b', 'running')] },
        { steps: [step('b', 'running'), step('a', 'succeeded')] },
      ),
    'whose step is gone': () =>
      follow(
        { steps: [step('a', 'succeeded'), step('b', 'running')] },
        { steps: [step('b', 'running')] },
        { steps: [step('b', 'running')] },
      ),
    'whose step has another id': () => follow({ steps: [step('a', 'succeeded')] }, { steps: [step('c', 'succeeded')] }),
    'whose steps have no ids of their own': () =>
      follow({ steps: [step('a', 'running'), step('a', 'running'), step('', 'running')] }, { steps: [] }),
    'whose planned step is gone': () => follow({ steps: [step('a', 'planned')] }, { steps: [] }),
    'whose new step stands between others': () =>
      follow(
        { steps: [step('a', 'succeeded'), step('b', 'running')] },
        { steps: [step('a', 'succeeded'), step('c', 'running'), step('b', 'running')] },
        { steps: [step('a', 'succeeded'), step('b', 'running'), step('c', 'running')] },
      ),
  },
  'a run that was just triggered': {
    'starts now': () => startedNow(run(), GOT, NOW + 60_000),
    'started an hour ago': () => startedNow(run(), GOT, NOW + 3_600_000),
    'started before, by no offset of a zone': () => startedNow(run(), GOT, NOW + 3_600_000 + 5 * 60_000),
    'started a day ago': () => startedNow(run(), GOT, NOW + 86_400_000),
    'started in 1970': () => startedNow(run({ started_at: '1970-01-01T00:00:00Z' }), GOT, NOW),
    'starts later': () => startedNow(run(), GOT, NOW - 20 * 60_000),
    'starts now by the clock of the service': () =>
      startedNow(
        run(),
        exchange('getRun', 200, {}, { headers: { date: 'Sat, 21 Nov 2026 09:00:00 GMT' } }),
        NOW + 3_600_000,
      ),
    'starts at no time': () => startedNow(run({ started_at: 'now' }), GOT, NOW),
    'started as long ago as clocks may differ': () => startedNow(run(), GOT, NOW + 14 * 60_000),
    'starts at no text': () => startedNow(run({ started_at: [run().started_at] }), GOT, NOW + 3_600_000),
    'starts at a time that nobody knows': () => startedNow(run(), GOT, undefined),
    'names it and its playbook': () =>
      triggeredResults(exchange('triggerRun', 201, { id: 'run_1', playbook_id: 'pb_1' }), 'pb_1'),
    'is named in run_id': () => triggeredResults(exchange('triggerRun', 202, { run_id: 'run_1' }), 'pb_1'),
    'is named in run_id, beside the id of a job': () =>
      triggeredResults(exchange('triggerRun', 202, { id: 'job_1', run_id: 'run_1' }), 'pb_1'),
    'names it alone': () => triggeredResults(exchange('triggerRun', 201, { id: 'run_1' }), 'pb_1'),
    'names another playbook': () =>
      triggeredResults(exchange('triggerRun', 201, { id: 'run_1', playbook_id: 'pb_2' }), 'pb_1'),
    'names nothing': () => triggeredResults(exchange('triggerRun', 201, { id: '' }), 'pb_1'),
    'names no text': () => triggeredResults(exchange('triggerRun', 201, { id: 5 }), 'pb_1'),
    'is the first': () => newRunResults(TRIGGERED, 'run_1', new Map()),
    'is another': () => newRunResults(TRIGGERED, 'run_2', new Map([['run_1', 'pb_1']])),
    'is the same': () => newRunResults(TRIGGERED, 'run_1', new Map([['run_1', 'pb_1']]), 'pb_1'),
    'is the same, of another playbook': () =>
      newRunResults(exchange('triggerRun', 201, run()), 'run_1', new Map([['run_1', 'pb_2']]), 'pb_1'),
    'is a job with one id for all': () => newRunResults(TRIGGERED, 'job', new Map([['job', 'pb_2']]), 'pb_1'),
  },
  'the id of a run': {
    ...casesOf(IDS, (id) => idFormResults(id)),
    'that is none': () => idFormResults(5),
  },
  'a workspace': {
    'that is the same': () => compared({ id: 'ws_1' }, { id: 'ws_1' }, true),
    'that is another': () => compared({ id: 'ws_1' }, { id: 'ws_2' }, false),
    'that must be the same': () => compared({ id: 'ws_1', name: 'A' }, { id: 'ws_2', name: 'B' }, true),
    'that must be another': () => compared({ id: 'ws_0001' }, { id: 'ws_0001' }, false),
    'that must be another, and has the id alone': () =>
      compared({ id: 'ws_0001', name: 'A' }, { id: 'ws_0001', name: 'B' }, false),
    'that must be another, and has the name': () => compared({ id: 'ws', name: 'A' }, { id: 'ws', name: 'A' }, false),
    'whose id is not its own': () => compared({ id: 'ws' }, { id: 'ws' }, false),
    'whose id changes': () => compared({ id: 'a', name: 'A' }, { id: 'b', name: 'A' }, true),
    'without an id': () => compared({ id: 'a' }, {}, true),
    'without an id before': () => compared({}, { id: 'a' }, true),
  },
  'items of two workspaces': {
    differ: () => common(['a'], ['b']),
    'are none': () => common(['a'], []),
    'are none here': () => common([], ['b']),
    'are shared': () => common(['refund'], ['refund']),
    'must not be shared': () => common(['pb_7hQ2vn'], ['pb_7hQ2vn']),
    'must not be shared, whatever else is': () => common(['a', 'pb_7hQ2vn'], ['a', 'pb_7hQ2vn']),
    'are others with the same id': () => common(['pb_000001'], ['pb_000001'], 'B'),
  },
  'responses together': {
    'offer all resources': () =>
      across(
        { getCurrentWorkspace: {}, listPlaybooks: {}, listProviders: list([{ id: 'crm' }], { total: 2 }), getRun: {} },
        'crm.find',
      ),
    'offer runs by a trigger': () =>
      across({ getCurrentWorkspace: {}, listPlaybooks: {}, listProviders: list([]), triggerRun: {} }, 'crm.find'),
    'lack runs': () => across({ getCurrentWorkspace: {}, listPlaybooks: {}, listProviders: list([]) }),
    'lack a workspace': () => across({ listPlaybooks: {}, listProviders: list([]), getRun: {} }),
    'lack playbooks': () => across({ getCurrentWorkspace: {}, listProviders: list([]), getRun: {} }),
    'lack providers': () => across({ getCurrentWorkspace: {}, listPlaybooks: {}, getRun: {} }, 'crm.find'),
    'name providers': () => across({ listProviders: list([{ id: 'crm' }, {}, { id: 'mail' }]) }, 'crm.find', 'pay.out'),
    'name providers without ids': () => across({ listProviders: list([{}]) }, 'crm.find'),
  },
}

it.each(Object.entries(GROUPS))('%s', async (name, cases) => {
  const lines = Object.entries(cases).flatMap(([what, results]) => [
    what,
    ...results().flatMap((result) => lineOf(result).map((line) => `    ${line}`)),
  ])
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(
    `../../fixtures/response-results/${name.replaceAll(' ', '-')}.txt`,
  )
})

/** Their results are about several responses, or get theirs later. */
const WITHOUT_A_RESPONSE = ['what contradicts a fact', 'the polls of a run', 'the id of a run', 'responses together']

it.each(Object.entries(GROUPS).filter(([name]) => !WITHOUT_A_RESPONSE.includes(name)))(
  'what is shown of %s comes with the response that shows it',
  (_, cases) => {
    const shown = Object.values(cases).flatMap((results) => results().filter(({ outcome }) => outcome !== 'skipped'))
    expect(shown.filter((result) => !result.exchange)).toEqual([])
  },
)

it.each<[message: unknown, limit: number | undefined, states?: boolean]>([
  ['more than 60 requests per minute', 60],
  ['Limit: 300/min. Wait 20 s.', 300],
  ['300 rpm', 300],
  ['At most 1,000 requests a minute', 1_000],
  [`75 of ${LARGEST} requests`, LARGEST],
  [`The limit per minute is ${plans.pro.requestsPerMinute}. Wait.`, plans.pro.requestsPerMinute],
  ['You sent 75 requests; 70 per minute are allowed.', 70],
  [`每分钟 ${plans.pro.requestsPerMinute} 次`, plans.pro.requestsPerMinute],
  ['60 次/分', 60],
  ['75 requests', undefined],
  ['too many: 5 in 10 seconds', undefined],
  ['10,000,000 requests a minute', 10_000_000],
  ['12,000 requests  per  minute', 12_000],
  ['sixty requests a minute', undefined],
  ['٦٠ طلبًا في الدقيقة', undefined],
  ['wait 3', undefined, false],
  ['wait 3 s, 20 sec, 4 ms, 2 hours, 1 day or 5 minutes', undefined, false],
  ['5 per second, 7 an hour, 8 a day, 9/h, 9 / sec', undefined, false],
  ['wait 9 second, 2 millisecond, 1 hour, 5 minute, 7  sec', undefined, false],
  ['5 per  second', undefined, false],
  ['3 requests a minute', 3],
  ['v1.5 of rfc9110', undefined, false],
  ['too many requests', undefined, false],
  [5, undefined],
  ['60 requests per minute exceeded. Wait a second and try again.', 60],
  ['60 requests a minute exceeded, see https://service.test/d/limits', 60],
  ['60 requests per minute, or 1,000 per hour', 60],
  ['90 API calls per hour', undefined, false],
  ['RPM limit: 90', 90],
])('the message %j of a 429 states the limit %s', (message, limit, states = true) => {
  const body = limited({ message })
  expect(statedRate(body)).toBe(limit)
  const messages = resultsOf('getRun', 429, body).map((each) => printed(each.message))
  if (typeof message === 'string')
    expect(messages.some((each) => each.includes('expected a number of requests per minute'))).toBe(!states)
})

it.each([
  ['Rate limit exceeded (requests per minute: 60)', 60, 60],
  ['RPM limit: 60', 60, 60],
  ['Retry after 12. RPM limit: 90', 12, 90],
  ['Limit per minute: 90. Retry after 12', 12, 90],
])('the message %j of a 429 with retry_after %i states the limit %i', (message, retry_after, limit) => {
  const body = limited({ message, retry_after })
  expect(statedRate(body)).toBe(limit)
  const messages = resultsOf('getRun', 429, body).map((each) => printed(each.message))
  expect(messages.filter((each) => each.includes('expected a number of requests per minute'))).toEqual([])
})

it.each([
  ['a%20b', 'a b'],
  ['100%', '100%'],
])('the path segment %s is %s', (segment, expected) => {
  expect(decodedSegment(segment)).toBe(expected)
})

it('a list has the ids of its items, is short where it lacks some, and has a playbook or not', () => {
  expect(itemIds(list([A, {}, 'b', { id: 5 }, C]))).toEqual(['a', 'c'])
  expect(itemIds({ data: [A] })).toEqual(['a'])
  expect(itemIds({ data: A })).toEqual([])
  expect(itemIds(null)).toEqual([])
  expect([list([A]), list([A], { total: 2 }), list([A], { total: 2, per_page: 1 }), {}].map(isShort)).toEqual([
    false,
    true,
    false,
    false,
  ])
  expect([WHOLE, list([A]), list([A], { total: 2 }), list([A, {}]), {}].map((each) => isListed(each, 'b'))).toEqual([
    true,
    false,
    undefined,
    undefined,
    undefined,
  ])
})

it('a run can be followed when it has a status and steps that are objects', () => {
  expect([run(), run({ steps: [{}] })].every(isFollowable)).toBe(true)
  expect(
    [run({ status: 5 }), run({ steps: {} }), run({ steps: [null] }), run({ steps: ['a'] }), null, {}].some(
      isFollowable,
    ),
  ).toBe(false)
  expect(['succeeded', 'failed', 'running', 'odd', undefined].map(isTerminal)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})

const FIRST_RUNNING =
  'passed firstStatus: the first status of a run was "running" | pointer /status | fact the first status of a run was "running"'

it('a run that was triggered here begins with the status in the response to its trigger', () => {
  const followed = (status: unknown) =>
    new FollowedRun(startedRun(exchange('triggerRun', 201, { id: 'run_1', status }))!, 'pb_1', 7)
  expect(followed('failed')).toMatchObject({
    id: 'run_1',
    playbook: 'pb_1',
    triggeredAt: 7,
    nextPoll: 7,
    isOver: false,
    hasEnded: false,
  })
  for (const [status, lines] of [
    ['failed', ['failed runTransitions: the run went from "failed" to "running"']],
    ['running', [FIRST_RUNNING]],
    [
      'queued',
      [
        'failed runTransitions: the run went from "queued" to "running"',
        'failed firstStatus: the first status of a run was "queued" | pointer /status | fact the first status of a run was "queued"',
      ],
    ],
    [5, [FIRST_RUNNING]],
    [undefined, [FIRST_RUNNING]],
  ] as const)
    expect(
      followed(status)
        .poll(run(), exchange('getRun', 200, {}))
        .flatMap(lineOf),
    ).toEqual(lines)
})

it('a poll that may be earlier than the one before shows no transition', () => {
  const history = new RunHistory('run_1')
  history.poll(run({ status: 'failed' }), exchange('getRun', 200, {}))
  const results = history.poll(run(), exchange('getRun', 200, {}), false)
  expect(results.map(({ basis }) => basis)).toEqual([rules.startedAtConstant])
  expect(history).toMatchObject({ polls: 1, last: { status: 'failed' } })
})

it.each([
  [400, 'the playbook refused the inputs. Give others.'],
  [422, 'the playbook refused the inputs. Give others.'],
  ...[402, 403, 409, 429].map((status) => [
    status,
    'the key may lack the permission, the run quota may be used up, or another run may be in the way.',
  ]),
  ...[502, 503, 504].map((status) => [status, 'sending it again is not known to be safe.']),
  ...[200, 404, 500].map((status) => [status, undefined]),
] as [number, string | undefined][])('the refusal %i of a trigger may be because %s', (status, reason) => {
  expect(refusalOf(status)).toBe(reason)
})

it.each<[what: string, exchange: Exchange, isValid: boolean, looksLikeSuccess: boolean]>([
  ['a success', exchange('getRun', 200, run()), true, false],
  ['a success with another type', exchange('getRun', 200, run({ id: 5 })), false, false],
  ['a success whose body was not recorded', exchange('getRun', 200, undefined), false, false],
  ['a status that the contract does not have', exchange('getRun', 418, {}), false, false],
  ['an error', exchange('getRun', 404, errorOf({ error: 'not_found', message: 'a' })), false, false],
  ['an error with the body of a success', exchange('getRun', 500, run()), false, true],
  ['no response', lost('late'), false, false],
])('%s is valid or looks like a success', (_, exchange, isValid, looksLikeSuccess) => {
  expect(judge(exchange)).toMatchObject({ isValid, looksLikeSuccess })
})

it('messages write counts and times in words', () => {
  expect([counted(1, 'run'), counted(2, 'run'), counted(0, 'entry', 'entries')]).toEqual([
    '1 run',
    '2 runs',
    '0 entries',
  ])
  expect([secondsText(1_249), secondsText(0)]).toEqual(['1.2 s', '0 s'])
})
