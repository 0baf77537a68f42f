import { rules } from '../../../generated/conformance/nodes.js'
import type { BasisId, OperationId } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import {
  hasId,
  isPaged,
  isSafe,
  listOf,
  operationIds,
  probedOperations,
  readingOperations,
  readsByIdFirst,
} from '../contract.js'
import { bearer, type ConformanceSettings, KEYS } from '../options.js'
import { type Probe, probeSteps, refuseTogether, USUAL } from '../requests/probe.js'
import { fullChange, fullShape, type Shape, shapesOf, titleOf } from '../requests/shapes.js'
import { swapCase } from '../requests/similar-ids.js'
import { type Change, withoutInputs } from '../requests/valid-request.js'
import type { Relation, Session, Step } from '../step.js'
import { wrongBodies } from './bodies.js'
import { malformedParameters } from './parameters.js'
import { WRONG_KEY } from './strangers.js'

/** Any wrong key must get 401 on each kind of request, and be refused whatever else is wrong. Basis: S23, S24. */
export function credentialSteps(settings: ConformanceSettings): Step[] {
  return readsByIdFirst(probedOperations(settings)).flatMap((operation) => [
    ...probeSteps(
      [
        ...shapesOf(operation, settings).flatMap((shape, position) => wrongKeysOf(shape, position, settings)),
        ...readingOperations(settings).map((source) => ({
          ...probeOf(operation, `with an id that ${source} gets as the key`, 2),
          change: (session: Session) => idAsKey(session, source),
        })),
        ...malformedParameters(operation)
          .slice(0, 1)
          .map(({ change }) => ({
            ...probeOf(operation, 'with a wrong key and a malformed parameter', 2),
            weight: USUAL,
            also: LOOKED_AT_FIRST,
            change: () => ({ ...change, authorization: WRONG_KEY }),
          })),
      ],
      settings,
    ),
    ...[1, 2].map((times) => ({
      relation: RELATION,
      subject: `${operation} at once, ${times}`,
      priority: times === 1 ? 0 : 4,
      requests: times === 1 ? 2 : 5,
      run: (session: Session) => atOnce(session, operation, times),
    })),
  ])
}

const RELATION: Relation = 'credentials'

/** What something else that is wrong gets. */
const LOOKED_AT_FIRST = [STATUS.badRequest]

const probeOf = (operation: OperationId, what: string, priority: number) => ({
  relation: RELATION,
  operation,
  what,
  priority,
  status: STATUS.unauthorized,
  // Later the quota of runs may be used up, which a service may look at before the key.
  phase: priority < (isSafe(operation) ? 2 : 3) ? ('while running' as const) : undefined,
})

/** Each wrong key on one kind of request, and what a service may look at before the key. */
function wrongKeysOf(shape: Shape, position: number, settings: ConformanceSettings): Probe[] {
  const { operation, isFull = false } = shape
  const base: Probe['base'] = isFull ? fullShape : (session) => knownShape(session, shape)
  const common = { base, subject: titleOf(shape) }
  // Whether anything but the plainest trigger is right is not known, since none is sent with the right key.
  const mayBeWrong = !isSafe(operation) && !isFull && position > 0
  const probes = wrongKeys(settings).map(
    ([wrongKey, authorization, basis], index): Probe => ({
      ...common,
      ...probeOf(operation, wrongKey, priorityOf(index, position, isFull)),
      basis,
      also: mayBeWrong ? LOOKED_AT_FIRST : [],
      change: () => ({ authorization }),
      // The most usual ones are tried on every operation before the others on one.
      weight: index < MOST_USUAL ? USUAL * operationIds.length : index < USUAL_KEYS ? 2 : 1,
    }),
  )
  const withMore = otherMistakes(operation, settings).map(
    ([what, change, also = []]): Probe => ({
      ...common,
      ...probeOf(operation, what, isFull ? 2 : 4),
      also,
      change: () => change,
      weight: operationIds.length + 1,
    }),
  )
  return [...probes, ...withMore]
}

/** The plainest request with the plainest mistakes always comes first; then those that show most, on the request with most in it. */
function priorityOf(index: number, position: number, isFull: boolean): number {
  if (position === 0) return index < 2 ? 0 : index < USUAL_KEYS ? 3 : 4
  // Another wrong key shows there what a wrong one shows.
  if (isFull && index !== 1) return index < 3 ? 1 : 2
  return index < USUAL_KEYS ? 4 : 5
}

/** A reading request that did not succeed shows nothing with a wrong key; a trigger is refused in any case. */
const knownShape = (session: Session, shape: Shape): Shape | undefined =>
  isSafe(shape.operation) && shape.change(session) && !session.facts.seen.has(titleOf(shape)) ? undefined : shape

/** What a service may look at before the key. */
function otherMistakes(operation: OperationId, settings: ConformanceSettings): OtherMistake[] {
  const [wrong] = wrongBodies(operation, settings)
  const everywhere = elsewhere(settings.apiKey)
  const mistakes: OtherMistake[] = [
    ['without a key and with the right one elsewhere', { ...everywhere, authorization: null }, LOOKED_AT_FIRST],
  ]
  if (wrong)
    mistakes.push([
      'with a wrong key and a wrong body',
      { body: wrong.body, authorization: WRONG_KEY },
      LOOKED_AT_FIRST,
    ])
  if (hasId(operation))
    mistakes.push([
      'with a wrong key and an id that does not exist',
      { path: undefined, startsRun: false, authorization: WRONG_KEY },
    ])
  return mistakes
}

type OtherMistake = [what: string, change: Change, also?: readonly number[]]

/** An id that others may know is no key. */
function idAsKey({ facts }: Session, source: OperationId): Change | undefined {
  const { id } = Object(facts.bodies[source]) as { id?: unknown }
  const key = isPaged(source) ? [...(facts.ids.get(listOf(source)) ?? [])].at(-1) : id
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key) ? { authorization: bearer(key) } : undefined
}

/** Wrong keys are refused among simultaneous requests with the right one, which a trigger has none of. */
function atOnce(session: Session, operation: OperationId, times: number): Promise<void> {
  const right =
    (times === 1 ? shapesOf(operation, session.settings)[0]?.change(session) : fullChange(session, operation)) ?? {}
  const wrong = [null, WRONG_KEY, null, WRONG_KEY].map((authorization) => ({ ...right, authorization }))
  const all =
    times === 1
      ? isSafe(operation)
        ? [right, ...wrong.slice(0, 1)]
        : [{ ...wrong[0], ...withoutInputs(operation, session.settings) }]
      : isSafe(operation)
        ? [right, ...wrong]
        : wrong.slice(2)
  const expected = { relation: RELATION, basis: rules.invalidKey, status: STATUS.unauthorized }
  return refuseTogether(session, operation, all, { ...expected, what: 'with a wrong key' })
}

type WrongKey = [what: string, authorization: string | null, basis?: BasisId]

/** Those that show most come first. What is, by chance, a right key is left out. */
function wrongKeys(settings: ConformanceSettings): WrongKey[] {
  const { apiKey: key } = settings
  const right = KEYS.flatMap((name) => (settings[name] === undefined ? [] : bearer(settings[name])))
  return [...usualKeys(key), ...furtherKeys(key)].filter(
    ([, authorization]) =>
      authorization === null || (!right.includes(authorization.trim()) && authorization !== bearer('')),
  )
}

/** How many of the mistakes are the most usual ones, and how many the usual ones. */
const MOST_USUAL = 8
const USUAL_KEYS = 20

/** Mistakes that services are known to make, the most usual ones first. */
function usualKeys(key: string): WrongKey[] {
  const similar = similarKeys(key)
  return [
    ['without a key', null],
    ['with a wrong key', WRONG_KEY],
    ['with a key of the same form that nobody has', bearer(similar.sameForm)],
    ['with one more character after the key', bearer(`${key}0`)],
    ['with the key without its last character', bearer(similar.withoutEnd)],
    ['with the key in another case', bearer(similar.otherCase)],
    ['with the key in another scheme', `Token ${key}`, rules.bearer],
    ['with the key and no scheme', key, rules.bearer],
    ['with the scheme and no key', 'Bearer'],
    ['with text after the key', bearer(`${key} conformance`)],
    ['with a list that begins with the key', bearer(`${key},conformance-check`)],
    ['with a key of the same beginning', bearer(similar.sameBeginning)],
    ['with a key of the same end', bearer(similar.sameEnd)],
    ['with the wildcard *', bearer('*')],
    ['with the wildcard % after the beginning of the key', bearer(similar.wildcard)],
    ['with the key in percent-encoding', bearer(percent(key.slice(0, 4)) + key.slice(4))],
    ['with a key of 2,000 characters and spaces', bearer('conformance '.repeat(170).trim())],
    ['with the scheme twice', `Bearer Bearer ${key}`],
    ['with another scheme before the right one', `Digest conformance, Bearer ${key}`, rules.bearer],
    ['with Basic and the key as the password', `Basic ${btoa(`conformance:${key}`)}`],
  ]
}

function furtherKeys(key: string): WrongKey[] {
  const similar = similarKeys(key)
  return [
    ['with Basic and the key as the user', `Basic ${btoa(`${key}:`)}`],
    ['with a list that ends with the key', bearer(`conformance-check,${key}`)],
    ['with the key after another key', bearer(`conformance-check ${key}`)],
    ['with text before the key', bearer(`x${key}`)],
    ['with the key without its beginning', bearer(similar.withoutBeginning)],
    ['with a key that differs in its last character', bearer(similar.otherEnd)],
    ['with the wildcard %', bearer('%')],
    ['with a star for the end of the key', bearer(similar.star)],
    ['with a wildcard for each character', bearer('_'.repeat(key.length))],
    ['with a pattern', bearer('.*')],
    ['with the key in quotes', bearer(`"${key}"`)],
    ['with the key in base64', bearer(btoa(key))],
    ['with a key that is SQL', bearer("' OR '1'='1")],
    ['with the key null', bearer('null')],
    ['with the key undefined', bearer('undefined')],
    ['with the scheme and text after it', `Bearer-Token ${key}`, rules.bearer],
    ['with an equals sign after the scheme', `Bearer=${key}`, rules.bearer],
    ['with the scheme and the key without a space', `Bearer${key}`, rules.bearer],
    ['with a wrong key and the key in one header', `${WRONG_KEY}, ${bearer(key)}`],
    [
      'with an unsigned token',
      bearer(`${btoa('{"alg":"none"}')}.${btoa('{"sub":"conformance"}')}.`.replaceAll('=', '')),
    ],
    ['with the key test', bearer('test')],
    ['with the scheme ApiKey', `ApiKey ${key}`, rules.bearer],
  ]
}

/** The key in places that nothing is said of, as from a page, a proxy or a probe. */
const elsewhere = (key: string): Change => ({
  query: Object.fromEntries(['api_key', 'access_token', 'key', 'apikey', 'token'].map((name) => [name, key])),
  headers: {
    ...TRUSTED,
    ...Object.fromEntries(['x-api-key', 'x-authorization', 'api-key', 'x-auth-token'].map((name) => [name, key])),
    cookie: `token=${key}; api_key=${key}`,
  },
})

/** What a service may take for a request of its own. */
const TRUSTED = {
  origin: 'https://conformance.example',
  referer: 'https://conformance.example/',
  'user-agent': 'kube-probe/1.30',
  'x-forwarded-for': '127.0.0.1',
  'x-real-ip': '127.0.0.1',
  'x-forwarded-user': 'conformance',
  'x-requested-with': 'XMLHttpRequest',
  'x-internal': 'true',
}

const percent = (text: string): string => [...text].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('')

/** Wrong keys that are made of the right one. Each tells so much of it that no report may show one. */
export function similarKeys(key: string) {
  const other = rotated(key)
  const half = Math.floor(key.length / 2)
  return {
    sameForm: other,
    sameBeginning: key.slice(0, half) + other.slice(half),
    sameEnd: other.slice(0, half) + key.slice(half),
    otherCase: swapCase(key),
    otherEnd: key.slice(0, -1) + other.slice(-1),
    // A service accepts it that compares only as much as is sent.
    withoutEnd: key.slice(0, -1),
    withoutBeginning: key.slice(1),
    star: `${key.slice(0, half)}*`,
    wildcard: `${key.slice(0, half)}%`,
  }
}

/** Another key of the same form: each letter and digit is the next one, and hexadecimal ones stay so; a prefix such as `key_` stays. */
function rotated(key: string): string {
  const prefix = /^[A-Za-z]+[_-]/.exec(key)?.[0] ?? ''
  const rest = key.slice(prefix.length)
  const last = /[g-z]/i.test(rest) ? 'z' : 'f'
  const next = (character: string) => {
    if (character === '9') return '0'
    if (character.toLowerCase() === last) return character === last ? 'a' : 'A'
    return String.fromCharCode(character.charCodeAt(0) + 1)
  }
  return prefix + rest.replaceAll(/[A-Za-z0-9]/g, next)
}
