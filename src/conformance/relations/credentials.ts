import { rules } from '../../../generated/conformance.js'
import type { BasisId } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { hasId, isServerError, probedOperations } from '../contract.js'
import type { RequestSpec } from '../exchange.js'
import { skipped } from '../judge/result.js'
import { statusResults } from '../judge/status.js'
import { bearer, type ConformanceSettings, KEYS } from '../options.js'
import { type Session, type Step, sendNow } from '../session.js'
import { wrongBodies } from './bodies.js'
import { malformedParameters } from './parameters.js'
import { type Probe, stepOf } from './related.js'
import { keyOf, type Shape, shapesOf } from './shapes.js'

/** Any wrong key must get 401 on each kind of request, whatever else is wrong with it. Basis: S23, S24. */
export function credentialSteps(settings: ConformanceSettings, random: () => number): Step[] {
  const variations = variationsOf(settings)
  const shapes = [...shapesOf(settings), ...wrongShapes(settings)]
  const offset = Math.floor(random() * shapes.length)
  return shapes.flatMap((shape, position) => {
    const isPlain = shapes.findIndex(({ operation }) => operation === shape.operation) === position
    const isExisting = shape.isSuccess && hasId(shape.operation)
    return variations.flatMap((variation, index) => {
      const isTurn = (index + offset) % shapes.length === position
      const tier =
        variation.isBasic && (isPlain || isExisting) ? (index < 3 ? 1 : 2) : index < 3 ? 2 : isTurn ? 3 : 4
      const probe: Probe = {
        relation: 'credentials',
        operation: shape.operation,
        what: variation.what,
        shape: shape.name,
        change: (session) => changeOf(session, shape, variation),
        status: STATUS.unauthorized,
        basis: variation.basis,
      }
      const [step] = stepOf(probe, tier, settings)
      return step ? [{ ...step, run: (session: Session) => unlessThrottled(session, probe, step) }] : []
    })
  })
}

/** After several wrong keys a service may refuse any more of them for a while. */
async function* unlessThrottled(session: Session, probe: Probe, step: Step): ReturnType<Step['run']> {
  const { facts } = session
  const basis = probe.basis ?? rules.invalidKey
  if (facts.throttled >= MOST_THROTTLED) return void (yield skipped(basis, 'Wrong keys got 429 again and again.'))
  for await (const results of step.run(session)) {
    const isThrottled = results.some(({ exchange, outcome }) => outcome === 'failed' && exchange?.status === STATUS.rateLimited)
    if (isThrottled) facts.throttled++
    yield isThrottled ? skipped(basis, 'Wrong keys got 429.') : results
  }
}

const MOST_THROTTLED = 3

function changeOf(session: Session, shape: Shape, { credentials }: Variation): Partial<RequestSpec> | undefined {
  if (shape.isSuccess && !hasId(shape.operation) && !session.facts.seen.has(keyOf(shape))) return undefined
  const own = shape.change(session)
  const { authorization, query, headers } = credentials
  return own && { ...own, authorization, query: { ...own.query, ...query }, headers: { ...own.headers, ...headers } }
}

/** Requests that are wrong in another way as well: the key is checked before it. */
const wrongShapes = (settings: ConformanceSettings): Shape[] =>
  probedOperations(settings).flatMap((operation) => {
    const [body] = wrongBodies(operation, settings)
    const [parameter] = malformedParameters(operation)
    const shape = (name: string, change: Partial<RequestSpec>) => ({ name, operation, isSuccess: false, change: () => change })
    return [
      ...(body ? [shape('with a wrong body', { body: body.body })] : []),
      ...(parameter ? [shape('with a malformed parameter', parameter.change)] : []),
    ]
  })

interface Variation {
  what: string
  credentials: Pick<RequestSpec, 'authorization' | 'query' | 'headers'>
  basis?: BasisId
  /** Whether it belongs to the few that are tried on each operation. */
  isBasic?: boolean
}

/** The first three show most. What is, by chance, a right key is left out. */
function variationsOf(settings: ConformanceSettings): Variation[] {
  const { apiKey: key } = settings
  const basic: [what: string, authorization: string | null, basis?: BasisId][] = [
    ['without a key', null],
    ['with a wrong key', bearer('conformance-check-wrong-key')],
    ['with the key and more after it', bearer(`${key}0`)],
    ['with a malformed key', 'Bearer'],
    ['with the key without its end', bearer(shortened(key))],
    ['with the key in another case', bearer(swapCase(key))],
    ['with the key in another scheme', `Token ${key}`, rules.bearer],
    ['with the key and no scheme', key, rules.bearer],
  ]
  const half = Math.floor(key.length / 2)
  const other = rotated(key)
  const more: [what: string, token: string][] = [
    ['with a key of the same form that nobody has', other],
    ['with another key after the key', `${key} conformance-check`],
    ['with a list that begins with the key', `${key},conformance-check`],
    ['with a list that ends with the key', `conformance-check,${key}`],
    ['with the key after another key', `conformance-check ${key}`],
    ['with text before the key', `x${key}`],
    ['with the first half of the key', key.slice(0, half)],
    ['with the second half of the key', key.slice(half)],
    ['with the key without its beginning', key.slice(1)],
    ['with a key of the same beginning', key.slice(0, half) + other.slice(half)],
    ['with a key of the same end', other.slice(0, half) + key.slice(half)],
    ['with a key that differs in its last character', shortened(key) + other.slice(-1)],
    ['with the key twice', key + key],
    ['with the wildcard %', '%'],
    ['with the wildcard *', '*'],
    ['with a wildcard for the end of the key', `${key.slice(0, half)}%`],
    ['with a star for the end of the key', `${key.slice(0, half)}*`],
    ['with a wildcard for each character', '_'.repeat(key.length)],
    ['with a pattern', '.*'],
    ['with the key in percent-encoding', [...key].map((each) => `%${each.charCodeAt(0).toString(16)}`).join('')],
    ['with the first character in percent-encoding', `%${key.charCodeAt(0).toString(16)}${key.slice(1)}`],
    ['with the key in quotes', `"${key}"`],
    ['with the key in base64', btoa(key)],
    ['with the key backwards', [...key].reverse().join('')],
    ['with a key that is SQL', "' OR '1'='1"],
    ['with the key null', 'null'],
    ['with the key undefined', 'undefined'],
    ['with a key of 2,000 characters', 'a'.repeat(2_000)],
    ['with the key and 2,000 characters after it', key + 'a'.repeat(2_000)],
    ['with a key with spaces', 'conformance check wrong key'],
    ['with a single character as the key', 'x'],
    ['with the scheme twice', `Bearer ${key}`],
  ]
  const schemes: [what: string, authorization: string][] = [
    ['with the key behind another scheme and Bearer', `Token Bearer ${key}`],
    ['with text before the scheme', `x-Bearer ${key}`],
    ['with the scheme and text after it', `Bearer-Token ${key}`],
    ['with Basic and the key as the user', `Basic ${btoa(`${key}:`)}`],
    ['with Basic and the key as the password', `Basic ${btoa(`:${key}`)}`],
    ['with Basic and the key', `Basic ${key}`],
    ['with a list of schemes', `Basic eDp5, Bearer ${key}`],
    ['with an equals sign after the scheme', `Bearer=${key}`],
    ['with the scheme and the key without a space', `Bearer${key}`],
    ['with the key before the scheme', `${key} Bearer`],
    ['with the scheme ApiKey', `ApiKey ${key}`],
  ]
  const elsewhere: [what: string, credentials: Omit<Variation['credentials'], 'authorization'>][] = [
    ...['api_key', 'access_token', 'key', 'apikey', 'token'].map(
      (name) => [`with the key as ${name} in the query`, { query: { [name]: key } }] as const,
    ),
    ...['x-api-key', 'x-authorization', 'api-key', 'x-auth-token'].map(
      (name) => [`with the key in the header ${name}`, { headers: { [name]: key } }] as const,
    ),
    ['with the key in a cookie', { headers: { cookie: `token=${key}; api_key=${key}` } }],
  ].map(([what, credentials]) => [what, credentials] as [string, Omit<Variation['credentials'], 'authorization'>])
  const right = new Set(KEYS.flatMap((name) => (settings[name] === undefined ? [] : bearer(settings[name]))))
  return [
    ...basic.map(([what, authorization, basis]) => ({ what, credentials: { authorization }, isBasic: true, ...(basis && { basis }) })),
    ...more.map(([what, token]) => ({ what, credentials: { authorization: bearer(token) } })),
    ...schemes.map(([what, authorization]) => ({ what, credentials: { authorization }, basis: rules.bearer })),
    ...elsewhere.map(([what, rest]) => ({ what, credentials: { authorization: null, ...rest } })),
  ].filter(({ credentials: { authorization } }) => authorization === null || !right.has(authorization.trim()) && authorization !== bearer(''))
}

/** The key without its last character, which a service accepts that compares only as much as is sent. */
export const shortened = (key: string): string => key.slice(0, -1)

export const swapCase = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))

/** Another key of the same form: each letter and digit is the next one; a prefix such as `key_` stays. */
function rotated(key: string): string {
  const prefix = /^[A-Za-z]+[_-]/.exec(key)?.[0] ?? ''
  const next = (character: string) =>
    /[zZ9]/.test(character) ? ({ z: 'a', Z: 'A', 9: '0' }[character] ?? '') : String.fromCharCode(character.charCodeAt(0) + 1)
  return prefix + key.slice(prefix.length).replaceAll(/[A-Za-z0-9]/g, next)
}

/** A plan without API access may have no limit that a wait would help with, so a 429 is not waited out. Basis: A18. */
export const hobbySteps = ({ hobbyKey }: ConformanceSettings): Step[] =>
  hobbyKey === undefined
    ? []
    : [{ relation: 'a plan without API access', tier: 0, requests: 1, run: (session) => withoutAccess(session, hobbyKey) }]

async function* withoutAccess(session: Session, key: string): ReturnType<Step['run']> {
  const exchange = await sendNow(session, 'getCurrentWorkspace', { authorization: bearer(key) })
  const what = 'getCurrentWorkspace with the key of a plan without API access'
  const basis = rules.planWithoutAccess
  if (isServerError(exchange.status)) yield skipped(basis, `${what} got ${exchange.status}.`)
  else yield statusResults(exchange, { status: STATUS.forbidden, basis, what })
}
