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
import { EXISTING, keyOf, type Shape, shapesOf } from './shapes.js'

/** Any wrong key must get 401 on each kind of request, whatever else is wrong with it. Basis: S23, S24. */
export function credentialSteps(settings: ConformanceSettings, random: () => number): Step[] {
  const variations = variationsOf(settings)
  const shapes = [...shapesOf(settings), ...wrongShapes(settings)]
  const offset = Math.floor(random() * shapes.length)
  return shapes.flatMap((shape, position) => {
    const main = mainShapes(shapes, shape.operation).indexOf(shape)
    return variations.flatMap((variation, index) => {
      const isTurn = (index + offset) % shapes.length === position
      const probe: Probe = {
        relation: 'credentials',
        operation: shape.operation,
        what: variation.what,
        shape: shape.name,
        change: (session) => changeOf(session, shape, variation),
        status: STATUS.unauthorized,
        basis: variation.basis,
      }
      const [step] = stepOf(probe, tierOf(variation, index, main, isTurn), settings)
      const isWhileRunning = shape.operation === READ && shape.name === EXISTING && variation.on !== undefined
      return step ? [{ ...step, isWhileRunning, run: (session: Session) => unlessThrottled(session, probe, step) }] : []
    })
  })
}

const READ = 'getRun'

/** The two kinds of requests of an operation that have most of what a fault may depend on: a plain one, and one with all of it. */
function mainShapes(shapes: readonly Shape[], operation: string): (Shape | undefined)[] {
  const own = shapes.filter((each) => each.operation === operation)
  const known = own.filter(({ isSuccess }) => isSuccess)
  return [known[0] ?? own[0], known.length > 1 ? known.at(-1) : undefined]
}

/** `main` is 0 for a plain request, 1 for one with all of it, and -1 for any other. */
function tierOf({ on }: Variation, index: number, main: number, isTurn: boolean): number {
  if (main === 0 && on !== undefined) return index < 3 ? 1 : 2
  if (main === 1 && on === 'both') return 3
  if (main === -1 && index < 2) return 3
  return isTurn ? 4 : 5
}

/** After several wrong keys a service may refuse any more of them for a while. */
async function* unlessThrottled(session: Session, probe: Probe, step: Step): ReturnType<Step['run']> {
  const { facts } = session
  const basis = probe.basis ?? rules.invalidKey
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
    const shape = (name: string, change: Partial<RequestSpec>) => ({
      name,
      operation,
      isSuccess: false,
      change: () => change,
    })
    return [
      ...(body ? [shape('with a wrong body', { body: body.body })] : []),
      ...(parameter ? [shape('with a malformed parameter', parameter.change)] : []),
    ]
  })

interface Variation {
  what: string
  credentials: Pick<RequestSpec, 'authorization' | 'query' | 'headers'>
  basis?: BasisId | undefined
  /** The main kinds of requests of each operation that it is tried on. */
  on?: 'plain' | 'both' | undefined
}

/** Those that show most come first. What is, by chance, a right key is left out. */
function variationsOf(settings: ConformanceSettings): Variation[] {
  const { apiKey: key } = settings
  const right = new Set(KEYS.flatMap((name) => (settings[name] === undefined ? [] : bearer(settings[name]))))
  const rows = [...mainRows(key), ...furtherRows(key)].map(
    ([what, authorization, on, basis]): Variation => ({ what, credentials: { authorization }, on, basis }),
  )
  return [...rows, ...elsewhere(key)].filter(
    ({ credentials: { authorization } }) =>
      authorization === null || (!right.has(authorization.trim()) && authorization !== bearer('')),
  )
}

type Row = [what: string, authorization: string | null, on?: Variation['on'], basis?: BasisId]

const halves = (key: string) => {
  const half = Math.floor(key.length / 2)
  return [key.slice(0, half), key.slice(half)] as const
}

function mainRows(key: string): Row[] {
  const other = rotated(key)
  const [first, last] = halves(key)
  const [otherFirst, otherLast] = halves(other)
  return [
    ['without a key', null, 'plain'],
    ['with a wrong key', bearer('conformance-check-wrong-key'), 'plain'],
    ['with the key and more after it', bearer(`${key}0`), 'plain'],
    ['with a malformed key', 'Bearer', 'plain'],
    ['with the key without its end', bearer(shortened(key)), 'both'],
    ['with the key in another case', bearer(swapCase(key)), 'both'],
    ['with the key in another scheme', `Token ${key}`, 'both', rules.bearer],
    ['with the key and no scheme', key, 'plain', rules.bearer],
    // Each of these is wrong in several ways, so that any one of them shows.
    ['with a key of the same form that nobody has', bearer(other), 'both'],
    ['with a list and text after the key', bearer(`${key} ,conformance check`), 'both'],
    ['with a list and text before the key', bearer(`conformance check, ${key}`), 'both'],
    ['with text before the scheme', `conformance Bearer ${key}`, 'both', rules.bearer],
    ['with the scheme twice', `Bearer Bearer ${key}`, 'both'],
    ['with a key of the same beginning', bearer(first + otherLast), 'both'],
    ['with a key of the same end', bearer(otherFirst + last), 'both'],
    ['with the wildcard %', bearer('%'), 'both'],
    ['with the wildcard *', bearer('*'), 'both'],
    ['with the key in percent-encoding', bearer(percent(key)), 'both'],
    ['with a key of 2,000 characters and spaces', bearer('conformance '.repeat(170).trim()), 'both'],
    ['with Basic and the key as the password', `Basic ${btoa(`conformance:${key}`)}`, 'both'],
  ]
}

function furtherRows(key: string): Row[] {
  const [first, last] = halves(key)
  return [
    ['with Basic and the key as the user', `Basic ${btoa(`${key}:`)}`],
    ['with a list that begins with the key', bearer(`${key},conformance-check`)],
    ['with a list that ends with the key', bearer(`conformance-check,${key}`)],
    ['with another key after the key', bearer(`${key} conformance-check`)],
    ['with the key after another key', bearer(`conformance-check ${key}`)],
    ['with text before the key', bearer(`x${key}`)],
    ['with the first half of the key', bearer(first)],
    ['with the second half of the key', bearer(last)],
    ['with the key without its beginning', bearer(key.slice(1))],
    ['with a key that differs in its last character', bearer(shortened(key) + rotated(key).slice(-1))],
    ['with the key twice', bearer(key + key)],
    ['with a wildcard for the end of the key', bearer(`${first}%`)],
    ['with a star for the end of the key', bearer(`${first}*`)],
    ['with a wildcard for each character', bearer('_'.repeat(key.length))],
    ['with a pattern', bearer('.*')],
    ['with the first character in percent-encoding', bearer(percent(key.slice(0, 1)) + key.slice(1))],
    ['with the key in quotes', bearer(`"${key}"`)],
    ['with the key in base64', bearer(btoa(key))],
    ['with a key that is SQL', bearer("' OR '1'='1")],
    ['with the key null', bearer('null')],
    ['with the key undefined', bearer('undefined')],
    ['with a key of 2,000 characters', bearer('a'.repeat(2_000))],
    ['with the key and 2,000 characters after it', bearer(key + 'a'.repeat(2_000))],
    ['with a key with spaces', bearer('conformance check wrong key')],
    ['with a single character as the key', bearer('x')],
    ['with the key behind another scheme and Bearer', `Token Bearer ${key}`, undefined, rules.bearer],
    ['with the scheme and text after it', `Bearer-Token ${key}`, undefined, rules.bearer],
    ['with Basic and the key', `Basic ${key}`, undefined, rules.bearer],
    ['with a list of schemes', `Basic eDp5, Bearer ${key}`, undefined, rules.bearer],
    ['with an equals sign after the scheme', `Bearer=${key}`, undefined, rules.bearer],
    ['with the scheme and the key without a space', `Bearer${key}`, undefined, rules.bearer],
    ['with the key before the scheme', `${key} Bearer`, undefined, rules.bearer],
    ['with the scheme ApiKey', `ApiKey ${key}`, undefined, rules.bearer],
  ]
}

/** The key in places that nothing is said of, together and one by one. */
function elsewhere(key: string): Variation[] {
  const everywhere = Object.fromEntries(
    ['api_key', 'access_token', 'key', 'apikey', 'token'].map((name) => [name, key]),
  )
  const headers = Object.fromEntries(
    ['x-api-key', 'x-authorization', 'api-key', 'x-auth-token'].map((name) => [name, key]),
  )
  return [
    {
      what: 'with the key anywhere but in the header',
      credentials: {
        authorization: null,
        query: everywhere,
        headers: { ...headers, cookie: `token=${key}; api_key=${key}` },
      },
      on: 'both',
    },
    ...Object.keys(everywhere).map((name) => ({
      what: `with the key as ${name} in the query`,
      credentials: { authorization: null, query: { [name]: key } },
    })),
    ...Object.keys(headers).map((name) => ({
      what: `with the key in the header ${name}`,
      credentials: { authorization: null, headers: { [name]: key } },
    })),
  ]
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

/** A plan without API access may have no limit that a wait would help with, so a 429 is not waited out. Basis: A18. */
export const hobbySteps = ({ hobbyKey }: ConformanceSettings): Step[] =>
  hobbyKey === undefined
    ? []
    : [
        {
          relation: 'a plan without API access',
          tier: 0,
          requests: 1,
          run: (session) => withoutAccess(session, hobbyKey),
        },
      ]

async function* withoutAccess(session: Session, key: string): ReturnType<Step['run']> {
  const exchange = await sendNow(session, 'getCurrentWorkspace', { authorization: bearer(key) })
  const what = 'getCurrentWorkspace with the key of a plan without API access'
  const basis = rules.planWithoutAccess
  if (isServerError(exchange.status)) yield skipped(basis, `${what} got ${exchange.status}.`)
  else yield statusResults(exchange, { status: STATUS.forbidden, basis, what })
}
