import { instead, reply, type When } from '../changes.js'
import type { Ask, Driver } from '../driver.js'
import { type Broken, bodies, sends, shaped, staged, swaps } from '../faults.js'
import type { Change, Context, Json, Operation } from '../types.js'

const MISSING = 'A request for an id that does not exist fails with 404.'
const WRONG = 'A request whose body is wrong fails with 400.'
const PIN = 'A request may be pinned to a release, which protects it from changes: it works as it did without.'

/** Ids that nothing has, by what is special about them. */
const IDS: Record<string, (d: Driver, run: string) => string> = {
  unknown: () => 'run_zzzzzzz',
  'with quotes': () => `o'neil";--`,
  'with an emoji': () => 'run_🙂',
  'of 1,000 characters': () => 'r'.repeat(1000),
  'with a space': () => 'run 1',
  'with %': (_, run) => `${run.slice(0, 3)}%`,
  'with a slash': () => 'run/1',
  'that is a number': () => '0',
  'that is cut': (_, run) => run.slice(0, -2),
  'with more text': (_, run) => `${run}x`,
  'of another resource': ({ service }, run) => (run.startsWith('run_') ? service.playbooks.fails : 'run_17wdrqp'),
  'without its prefix': (_, run) => run.replace(/^[a-z]+_/, ''),
}
const SPECIAL: Record<string, (id: string) => boolean> = {
  unknown: (id) => /^run_[a-z\d]{7}$/.test(id),
  'with quotes': (id) => /['"]/.test(id),
  'with an emoji': (id) => /[^\x20-\x7e]/.test(id),
  'of 1,000 characters': (id) => id.length > 500,
  'with a space': (id) => id.includes(' '),
  'with %': (id) => id.includes('%'),
  'with a slash': (id) => id.includes('/'),
  'that is a number': (id) => /^\d+$/.test(id),
  'of another resource': (id) => /^(pb|run)_\w/.test(id),
}
const nothing = (operation: Operation, kind: string, status: number, body: unknown): Change =>
  reply(
    (c) => c.operation === operation && SPECIAL[kind]!(c.id),
    (was) => (was.status === 404 ? { status, body } : was),
  )
const asks = (operation: Operation, kind: string) => async (d: Driver) => {
  const id = operation === 'getRun' ? await d.trigger() : d.service.playbooks.succeeds
  return d.send(operation, { id: IDS[kind]!(d, id) })
}
const found =
  (operation: Operation, matches: (own: string, id: string) => boolean): Change =>
  (base) =>
    operation === 'getRun'
      ? { findRun: (c) => base.findRun(c) ?? c.principal.workspace.runs.find(({ id }) => matches(id, c.id)) }
      : {
          findPlaybook: (c) =>
            base.findPlaybook(c) ?? c.principal.workspace.playbooks.find(({ id }) => matches(id, c.id)),
        }
const LOOKUPS: [kind: string, matches: (own: string, id: string) => boolean][] = [
  ['that is cut', (own, id) => id.length > 2 && own.startsWith(id)],
  ['with more text', (own, id) => id.startsWith(own)],
  ['with %', (own, id) => id.endsWith('%') && own.slice(0, 2) === id.slice(0, 2)],
  ['without its prefix', (own, id) => own.endsWith(`_${id}`)],
]
// biome-ignore format: a row is a line
const FAILURES: [kind: string, status: number, body?: unknown][] = [
  ['unknown', 410],
  ['unknown', 403],
  ['unknown', 200, {}],
  ['unknown', 200, null],
  ['unknown', 204, undefined],
  ['with quotes', 500],
  ['with an emoji', 500],
  ['of 1,000 characters', 500],
  ['with a space', 500],
  ['with a slash', 500],
  ['of another resource', 500],
]
// biome-ignore format: a row is a line
export const ids: Broken[] = staged('ids', MISSING, [
  ...(['getRun', 'triggerRun'] as const).flatMap((operation) => [
    ...LOOKUPS.map(([kind, matches]): Parameters<typeof staged>[2][number] => [
      `${operation}: an id ${kind} is found`,
      found(operation, matches),
      asks(operation, kind),
    ]),
    ...FAILURES.map(([kind, status, body = { error: 'no', message: 'No.' }]): Parameters<typeof staged>[2][number] => [
      `${operation}: an id ${kind} gets ${status}${body === null ? ' with null' : ''}`,
      nothing(operation, kind, status, status === 204 ? undefined : body),
      asks(operation, kind),
    ]),
  ]),
  // An id of the form of a run is unlike every playbook's, for which 400 is as good.
  ['getRun: an id unknown gets 400', nothing('getRun', 'unknown', 400, { error: 'no', message: 'No.' }), asks('getRun', 'unknown')],
])

/** Wrong bodies of a trigger, by what is wrong. */
// biome-ignore format: a row is a line
const BODIES: Record<string, Partial<Ask>> = {
  'no body': { body: undefined },
  'an empty object': { body: '{}' },
  'a number': { body: '42' },
  'a list': { body: '[{"inputs":{}}]' },
  'a text': { body: '"inputs"' },
  null: { body: 'null' },
  true: { body: 'true' },
  'bytes after the JSON': { body: '{"inputs":{}}}' },
  'bytes that are not UTF-8': {
    body: new Uint8Array([...new TextEncoder().encode('{"inputs":{"a":"'), 0xff, 0x22, 0x7d, 0x7d]),
  },
  'cut JSON': { body: '{"inputs":{"order":' },
  'inputs of null': { body: '{"inputs":null}' },
  'inputs of a list': { body: '{"inputs":["order"]}' },
  'inputs of a text': { body: '{"inputs":"order"}' },
  'inputs of a number': { body: '{"inputs":42}' },
  'inputs of true': { body: '{"inputs":true}' },
  'inputs in another case': { body: '{"Inputs":{}}' },
  'a form': { body: 'inputs[order]=42', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  XML: { body: '<inputs/>', headers: { 'content-type': 'application/xml' } },
  'nested values': { body: `{"inputs":{"a":${'['.repeat(500)}${']'.repeat(500)}}}` },
  'values of 100 kB': { body: `{"inputs":{"a":"${'x'.repeat(100_000)}"}}` },
  'an empty name': { body: '{"inputs":{"":"x"}}' },
  'a number as a value': { body: '{"inputs":{"order":42}}' },
  'null as a value': { body: '{"inputs":{"order":null}}' },
}
const bytes = (body: unknown) => (typeof body === 'string' ? body : body instanceof Uint8Array ? String(body) : '')
/** Whether a request has the same mistake. */
const like = (kind: string) => (c: Context) => {
  const text = new TextDecoder().decode(c.body)
  const { body, headers } = BODIES[kind]!
  if (headers) return c.request.headers.get('content-type') === headers['content-type']
  if (kind === 'nested values') return text.includes('[[[[')
  if (kind === 'values of 100 kB') return text.length > 60_000
  if (kind === 'bytes after the JSON')
    return /\}\s*\S+$/.test(text) && kindOf(text) === 'invalid' && text.includes('}}')
  if (kind === 'cut JSON') return kindOf(text) === 'invalid' && !text.includes('}')
  if (kind === 'bytes that are not UTF-8') return text.includes('\ufffd')
  return kindOf(text) === kindOf(bytes(body))
}
/** The types of a body, of its inputs and of their values, in short. */
function kindOf(text: string): string {
  if (text === '') return 'none'
  try {
    const body = JSON.parse(text) as Json
    if (type(body) !== 'object') return type(body)
    const inputs = body.inputs as Json
    const name = type(inputs) === 'object' ? Object.keys(inputs)[0] : undefined
    return `${Object.keys(body)} ${type(inputs)} ${name === '' ? 'unnamed' : ''} ${type(name === undefined ? '' : inputs[name])}`
  } catch {
    return 'invalid'
  }
}
function type(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
}
/** Accepts wrong bodies as if they had no inputs, or fails with another status than 400. */
const takes =
  (kind: string, status: number) =>
  (when: When): Change => {
    const wrong = (c: Context) => when(c) && like(kind)(c)
    if (status === 201) return instead('wrongBody', wrong, () => () => undefined)
    return reply(wrong, (was) => (was.status < 429 ? { status, body: { error: 'no', message: 'No.' } } : was))
  }
// biome-ignore format: a row is a line
const TAKEN: [kind: string, shapes: string, status: number][] = [
  ['no body', 'trigger | trigger pinned', 201],
  ['no body', 'trigger', 500],
  ['an empty object', 'trigger | trigger query', 201],
  ['an empty object', 'trigger', 422],
  ['a number', 'trigger', 500],
  ['a number', 'trigger busy', 201],
  ['a list', 'trigger', 201],
  ['a list', 'trigger pinned', 500],
  ['a text', 'trigger', 422],
  ['null', 'trigger', 500],
  ['null', 'trigger busy', 201],
  ['true', 'trigger', 201],
  ['bytes after the JSON', 'trigger | trigger pinned', 201],
  ['bytes after the JSON', 'trigger', 422],
  ['bytes that are not UTF-8', 'trigger', 500],
  ['cut JSON', 'trigger', 500],
  ['cut JSON', 'trigger', 422],
  ['cut JSON', 'trigger', 404],
  ['inputs of null', 'trigger | trigger pinned', 201],
  ['inputs of null', 'trigger', 500],
  ['inputs of a list', 'trigger | trigger query', 201],
  ['inputs of a text', 'trigger', 201],
  ['inputs of a text', 'trigger', 500],
  ['inputs of a number', 'trigger', 201],
  ['inputs of a number', 'trigger', 422],
  ['inputs of true', 'trigger', 201],
  ['inputs in another case', 'trigger', 201],
  ['a form', 'trigger', 201],
  ['a form', 'trigger', 500],
  ['XML', 'trigger', 500],
  ['XML', 'trigger', 201],
  ['nested values', 'trigger', 500],
  ['values of 100 kB', 'trigger', 500],
  ['an empty name', 'trigger', 500],
  ['a number as a value', 'trigger | trigger pinned', 500],
  ['a number as a value', 'trigger', 422],
  ['null as a value', 'trigger', 500],
]
// biome-ignore format: a row is a line
export const wrongBodies: Broken[] = TAKEN.flatMap(([kind, shapes, status]) =>
  shaped('bodies', WRONG, {
    [`${kind} gets ${status} @ ${shapes}`]: [takes(kind, status), (_, ask) => ({ ...ask, ...BODIES[kind] })],
  }),
)

// biome-ignore format: a row is a line
export const pins: Broken[] = shaped('pins', PIN, {
  'a known release gets 404 @ me pinned | playbooks pinned | run pinned | trigger pinned': sends(404),
  'a known release gets 400 @ providers pinned | run pinned ended | playbooks page2 pinned': sends(400),
  'a known release gets 406 @ trigger pinned none | me pinned reader': sends(406),
  'a known release gets 500 @ providers pinned query | run pinned running': sends(500),
  'a known release gets 401 @ me pinned other | playbooks pinned other': sends(401),
  'a pinned run has no steps @ run pinned': bodies(({ steps: _, ...run }) => run),
  'a pinned run has no started_at @ run pinned': bodies(({ started_at: _, ...run }) => run),
  'the steps of a pinned run are an object by id @ run pinned': bodies((run) => ({ ...run, steps: { step_1: {} } })),
  'a pinned workspace is a list @ me pinned': bodies((workspace) => [workspace]),
  'a pinned trigger creates a run that nobody can read @ run pinned': swaps('findRun', () => () => undefined),
})
