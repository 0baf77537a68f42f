import { rules } from '../../../generated/conformance.js'
import type { BasisId, OperationId } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import {
  hasId,
  isPaged,
  isSafe,
  isServerError,
  isSuccess,
  operationIds,
  probedOperations,
  readingOperations,
  startsRuns,
} from '../contract.js'
import { failed, skipped } from '../judge/result.js'
import { statusResults } from '../judge/status.js'
import { bearer, type ConformanceSettings, KEYS } from '../options.js'
import { type Session, type Step, sendNow, sendTogether } from '../session.js'
import { wrongBodies } from './bodies.js'
import { malformedParameters } from './parameters.js'
import { type Probe, stepOf, USUAL } from './probe.js'
import { type Change, fullChange, fullShape, type Shape, shapesOf, titleOf } from './shapes.js'

/** Any wrong key must get 401 on each kind of request, whatever else is wrong with it. Basis: S23, S24. */
export function credentialSteps(settings: ConformanceSettings): Step[] {
  const variations = variationsOf(settings)
  // What reads a run comes first, because the run is soon over.
  const readsRuns = (operation: OperationId) => Number(isSafe(operation) && hasId(operation))
  const operationsInOrder = probedOperations(settings).sort((one, other) => readsRuns(other) - readsRuns(one))
  return operationsInOrder.flatMap((operation) => [
    ...shapesOf(operation, settings).flatMap((shape, position, shapes) =>
      variations.flatMap((variation, index) => {
        const isLast = position === shapes.length - 1
        const base = isLast ? fullShape : (session: Session) => knownShape(session, shape)
        // A service may look at the inputs first.
        const hasInputs = !startsRuns(operation) || (index + shapes.length - 1 - position) % 2 === 0
        const change = hasInputs ? variation.change : { ...variation.change, body: NO_INPUTS }
        const probe = { ...variation, operation, change, base, weight: weightOf(variation, index) }
        return keyStep(probe, tierOf(variation, index, position, isLast), settings)
      }),
    ),
    { relation: 'credentials', tier: 4, requests: 5, run: (session: Session) => atOnce(session, operation) },
    ...otherMistakes(operation, settings).flatMap(([what, mistake]) =>
      keyStep(
        {
          operation,
          what: `with a wrong key and ${what}`,
          change: { ...mistake, authorization: WRONG },
          weight: USUAL,
        },
        2,
        settings,
      ),
    ),
    ...readingOperations.flatMap((source) =>
      keyStep(
        { operation, what: `with an id that ${source} gets as the key`, change: (session) => idAsKey(session, source) },
        2,
        settings,
      ),
    ),
  ])
}

/** An id that others may know is no key. */
function idAsKey({ facts }: Session, source: OperationId): Change | undefined {
  const { id } = Object(facts.bodies[source]) as { id?: unknown }
  const key = isPaged(source) ? facts.idFor(source) : id
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key) ? { authorization: bearer(key) } : undefined
}

/** Wrong keys are refused among simultaneous requests with the right one, which a trigger has none of. */
async function* atOnce(session: Session, operation: OperationId): ReturnType<Step['run']> {
  const right = { ...fullChange(session, operation), relation: 'credentials' }
  const wrong = [null, WRONG].map((authorization) => ({ ...right, authorization }))
  const all = isSafe(operation) ? [right, ...wrong, ...wrong] : wrong
  for (const exchange of await sendTogether(session, operation, all)) {
    const isRight = exchange.request.headers.get('authorization') === bearer(session.settings.apiKey)
    if (isRight || !isSuccess(exchange.status)) continue
    const message = `${operation} with a wrong key, among simultaneous requests, must get 401, and got ${exchange.status}`
    yield [failed(rules.invalidKey, message, { exchange, keyword: 'status', relation: 'credentials' })]
  }
}

const NO_INPUTS = JSON.stringify({ inputs: {} })

/** The most usual mistakes are tried on every operation before the others on one. */
const weightOf = ({ isMain }: Variation, index: number): number =>
  index < MOST_USUAL ? operationIds.length + 1 : isMain ? 2 : 1

/** Each variation belongs to a request with most in it, those that show most to a plain one as well. */
function tierOf({ isMain, isPart }: Variation, index: number, position: number, isLast: boolean): number {
  if (isLast) return index < 3 ? 1 : isPart ? 3 : 2
  if (position === 0) return index < 2 ? 1 : isMain ? 3 : 4
  return isMain ? 4 : 5
}

/** A reading request that did not succeed shows nothing with a wrong key; a trigger is refused in any case. */
const knownShape = (session: Session, shape: Shape): Shape | undefined =>
  isSafe(shape.operation) && !hasId(shape.operation) && !session.facts.seen.has(titleOf(shape)) ? undefined : shape

/** What else may be wrong with a request: the key is checked before it. */
const otherMistakes = (operation: OperationId, settings: ConformanceSettings): [what: string, change: Change][] => {
  const [body] = wrongBodies(operation, settings)
  const [parameter] = malformedParameters(operation)
  return [
    ...(body ? [['a wrong body', { body: body.body }] as [string, Change]] : []),
    ...(parameter ? [['a malformed parameter', parameter.change] as [string, Change]] : []),
    ...(hasId(operation) ? [['an id that does not exist', {}] as [string, Change]] : []),
  ]
}

type KeyProbe = Pick<Probe, 'what' | 'basis' | 'operation' | 'base' | 'weight'> & { change: Change | Probe['change'] }

function keyStep({ change, ...rest }: KeyProbe, tier: number, settings: ConformanceSettings): Step[] {
  const probe: Probe = {
    relation: 'credentials',
    status: STATUS.unauthorized,
    change: typeof change === 'function' ? change : () => change,
    ...rest,
  }
  return stepOf(probe, tier, settings).map((step) => ({
    ...step,
    phase: tier < 3 ? ('while running' as const) : undefined,
    run: (session: Session) => unlessThrottled(session, probe.basis ?? rules.invalidKey, step),
  }))
}

/** After several wrong keys a service may refuse any more of them for a while. */
async function* unlessThrottled(session: Session, basis: BasisId, step: Step): ReturnType<Step['run']> {
  const { facts } = session
  if (facts.throttled >= MOST_THROTTLED) return void (yield skipped(basis, 'Wrong keys got 429 again and again.'))
  for await (const results of step.run(session)) {
    const isThrottled = results.some(
      ({ exchange, outcome }) => outcome === 'failed' && exchange?.status === STATUS.rateLimited,
    )
    if (isThrottled) facts.throttled++
    yield isThrottled ? skipped(basis, 'Wrong keys got 429.') : results
  }
}

const MOST_THROTTLED = 3

interface Variation {
  what: string
  change: Change
  basis?: BasisId | undefined
  /** Whether many services are known to accept it. */
  isMain: boolean
  /** Whether another variation contains it. */
  isPart?: boolean
}

/** Those that show most come first. What is, by chance, a right key is left out. */
function variationsOf(settings: ConformanceSettings): Variation[] {
  const { apiKey: key } = settings
  const right = new Set(KEYS.flatMap((name) => (settings[name] === undefined ? [] : bearer(settings[name]))))
  const variationOf =
    (isMain: boolean) =>
    ([what, authorization, basis]: Row): Variation => ({ what, change: { authorization }, basis, isMain })
  return [
    ...mainRows(key).map(variationOf(true)),
    ...keyElsewhere(key),
    ...furtherRows(key).map(variationOf(false)),
  ].filter(
    ({ change: { authorization } }) =>
      authorization == null || (!right.has(authorization.trim()) && authorization !== bearer('')),
  )
}

/** How many of the mistakes that is. */
const MOST_USUAL = 8

type Row = [what: string, authorization: string | null, basis?: BasisId]

const halves = (key: string) => {
  const half = Math.floor(key.length / 2)
  return [key.slice(0, half), key.slice(half)] as const
}

const WRONG = bearer('conformance-check-wrong-key')

/** Mistakes that services are known to make, the most usual ones first. */
function mainRows(key: string): Row[] {
  const other = rotated(key)
  const [first, last] = halves(key)
  const [otherFirst, otherLast] = halves(other)
  return [
    ['without a key', null],
    ['with a wrong key', WRONG],
    ['with a key of the same form that nobody has', bearer(other)],
    ['with one more character after the key', bearer(`${key}0`)],
    ['with the key without its last character', bearer(shortened(key))],
    ['with the key in another case', bearer(swapCase(key))],
    ['with the key in another scheme', `Token ${key}`, rules.bearer],
    ['with the key and no scheme', key, rules.bearer],
    ['with the scheme and no key', 'Bearer'],
    ['with text after the key', bearer(`${key} conformance`)],
    ['with a list that begins with the key', bearer(`${key},conformance-check`)],
    ['with a key of the same beginning', bearer(first + otherLast)],
    ['with a key of the same end', bearer(otherFirst + last)],
    ['with the wildcard *', bearer('*')],
    ['with the wildcard % after the beginning of the key', bearer(`${key.slice(0, 4)}%`)],
    ['with the key in percent-encoding', bearer(percent(key.slice(0, 4)) + key.slice(4))],
    ['with a key of 2,000 characters and spaces', bearer('conformance '.repeat(170).trim())],
    ['with the scheme twice', `Bearer Bearer ${key}`],
    ['with another scheme before the right one', `Digest conformance, Bearer ${key}`, rules.bearer],
    ['with Basic and the key as the password', `Basic ${btoa(`conformance:${key}`)}`],
  ]
}

function furtherRows(key: string): Row[] {
  const [first] = halves(key)
  return [
    ['with Basic and the key as the user', `Basic ${btoa(`${key}:`)}`],
    ['with a list that ends with the key', bearer(`conformance-check,${key}`)],
    ['with the key after another key', bearer(`conformance-check ${key}`)],
    ['with text before the key', bearer(`x${key}`)],
    ['with the key without its beginning', bearer(key.slice(1))],
    ['with a key that differs in its last character', bearer(shortened(key) + rotated(key).slice(-1))],
    ['with the wildcard %', bearer('%')],
    ['with a star for the end of the key', bearer(`${first}*`)],
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
    ['with a wrong key and the key in one header', `${WRONG}, ${bearer(key)}`],
    [
      'with an unsigned token',
      bearer(`${btoa('{"alg":"none"}')}.${btoa('{"sub":"conformance"}')}.`.replaceAll('=', '')),
    ],
    ['with the key test', bearer('test')],
    ['with the scheme ApiKey', `ApiKey ${key}`, rules.bearer],
  ]
}

/** The key in places that nothing is said of, together and one by one. */
function keyElsewhere(key: string): Variation[] {
  const everywhere = Object.fromEntries(
    ['api_key', 'access_token', 'key', 'apikey', 'token'].map((name) => [name, key]),
  )
  const headers = Object.fromEntries(
    ['x-api-key', 'x-authorization', 'api-key', 'x-auth-token'].map((name) => [name, key]),
  )
  const placed = (what: string, change: Change, isMain = false): Variation => ({
    what,
    change: { authorization: null, ...change },
    isMain,
    isPart: !isMain,
  })
  return [
    placed(
      'with the key anywhere but in the header, as from a page, a proxy or a probe',
      { query: everywhere, headers: { ...TRUSTED, ...headers, cookie: `token=${key}; api_key=${key}` } },
      true,
    ),
    ...Object.keys(everywhere).map((name) =>
      placed(`with the key as ${name} in the query`, { query: { [name]: key } }),
    ),
    ...Object.keys(headers).map((name) => placed(`with the key in the header ${name}`, { headers: { [name]: key } })),
  ]
}

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

/** The key without its last character, which a service accepts that compares only as much as is sent. */
export const shortened = (key: string): string => key.slice(0, -1)

export const swapCase = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))

/** Another key of the same form: each letter and digit is the next one; a prefix such as `key_` stays. */
function rotated(key: string): string {
  const prefix = /^[A-Za-z]+[_-]/.exec(key)?.[0] ?? ''
  const next = (character: string) =>
    /[zZ9]/.test(character)
      ? ({ z: 'a', Z: 'A', 9: '0' }[character] ?? '')
      : String.fromCharCode(character.charCodeAt(0) + 1)
  return prefix + key.slice(prefix.length).replaceAll(/[A-Za-z0-9]/g, next)
}

/** A plan without API access may have no limit that a wait would help with, so a 429 is not waited out. Basis: S34, A18. */
export const hobbySteps = ({ hobbyKey, ...settings }: ConformanceSettings): Step[] =>
  hobbyKey === undefined
    ? []
    : probedOperations(settings)
        .filter((operation) => isSafe(operation) && !hasId(operation))
        .flatMap((operation, index) =>
          ['plain', 'full'].map((kind) => ({
            relation: 'a plan without API access',
            tier: index === 0 && kind === 'plain' ? 0 : kind === 'full' ? 2 : 3,
            requests: 1,
            run: (session) => withoutAccess(session, operation, kind === 'full', hobbyKey),
          })),
        )

async function* withoutAccess(
  session: Session,
  operation: OperationId,
  isFull: boolean,
  key: string,
): ReturnType<Step['run']> {
  const change = isFull ? fullChange(session, operation) : {}
  const exchange = await sendNow(session, operation, { ...change, authorization: bearer(key) })
  const what = `${operation} with the key of a plan without API access`
  const { status } = exchange
  const basis = rules.planWithoutAccess
  if (isServerError(status)) yield skipped(basis, `${what} got ${status}.`)
  else yield statusResults(exchange, { status: STATUS.forbidden, basis, what })
  if (isSuccess(status))
    yield [failed(rules.planLimits, `${what} must be refused, and got ${status}`, { exchange, keyword: 'status' })]
}
