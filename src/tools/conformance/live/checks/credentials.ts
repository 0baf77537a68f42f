import type { BasisId, OperationId } from '../../../../../generated/contract.js'
import { rules } from '../../../../../generated/contract.js'
import { STATUS } from '../../../../internal/contract/status.js'
import {
  hasId,
  isPaged,
  isSafe,
  isSuccess,
  listOf,
  probedOperations,
  readingOperations,
  readsByIdFirst,
} from '../../judge/contract.js'
import { failedIf, quote, text } from '../../judge/result.js'
import { bearer, type ConformanceSettings, type Depth } from '../../options.js'
import { refusals, refusedTogether, spread, type TestCase } from '../cases/index.js'
import { wrongBodies } from '../cases/wrong-bodies.js'
import { asTrusted, elsewhere, WRONG_KEY, wrongKeys } from '../cases/wrong-keys.js'
import { type Check, isWithin } from '../check.js'
import { type Change, type TestRequest, type Variant, variantsOf, withoutInputs } from '../request.js'
import type { Session } from '../session.js'
import { fullRequest, requestOf } from '../variants.js'
import { malformedParameters } from './parameters.js'

const operationsOf = (settings: ConformanceSettings): OperationId[] => readsByIdFirst(probedOperations(settings))

/** While runs are running: the plainest mistakes, and all on triggers, because later the quota of runs may be used up. Basis: S23, S24. */
export const credentialsFirst = refusals('credentials', (settings) => casesOf(settings).filter(comesFirst))
/** Any wrong key must get 401 on each kind of request, and be refused whatever else is wrong. Basis: S23, S24. */
export const credentials = refusals('credentials', (settings) => casesOf(settings).filter((each) => !comesFirst(each)))

const comesFirst = ({ operation, of, depth }: TestCase): boolean =>
  depth === 'quick' || (!isSafe(operation) && (of === undefined || depth !== 'thorough'))

function casesOf(settings: ConformanceSettings): TestCase[] {
  const operations = operationsOf(settings)
  return operations.flatMap((operation) => [
    ...variantsOf(operation, settings).flatMap((variant, index) => wrongKeysOf(variant, index, operations, settings)),
    ...readingOperations(settings).flatMap((source, row) => {
      const isUsual = spread(operations, row, 1).includes(operation)
      const what = `with an id that ${source} gets as the key`
      return keyCase(operation, what, isUsual ? 'normal' : 'thorough', (session) => idAsKey(session, source))
    }),
    ...malformedParameters(operation)
      .slice(0, 1)
      .map(({ change }) => ({
        ...keyCase(
          operation,
          'with a wrong key and a malformed parameter',
          isPaged(operation) ? 'normal' : 'thorough',
          {
            ...change,
            authorization: WRONG_KEY,
          },
        ),
        also: LOOKED_AT_FIRST,
      })),
  ])
}

/** What something else that is wrong gets. */
const LOOKED_AT_FIRST = [STATUS.badRequest]

const keyCase = (operation: OperationId, what: string, depth: Depth, change: TestCase['change']): TestCase => ({
  ...{ operation, what, depth, change, status: STATUS.unauthorized },
})

/** Each wrong key on one kind of request, and what a service may look at before the key. */
function wrongKeysOf(
  variant: Variant,
  position: number,
  operations: readonly OperationId[],
  settings: ConformanceSettings,
): TestCase[] {
  const { operation, isFull = false } = variant
  const common = { of: isFull ? undefined : variant, isToExisting: true }
  // Whether anything but the plainest trigger is right is not known, since none is sent with the right key.
  const mayBeWrong = !isSafe(operation) && !isFull && position > 0
  const keys = wrongKeys(settings).map(({ what, authorization, basis, operations: most }, row): TestCase => {
    const isUsual = spread(operations, row, most).includes(operation)
    // The plainest request with the plainest mistakes always; the others on the request with most in it.
    const depth = position === 0 && row < 2 ? 'quick' : isFull && row !== 1 && isUsual ? 'normal' : 'thorough'
    // A trigger with a right key may start a run.
    const change = { authorization, ...(basis === rules.keyPlace && ofUnknown(operation)) }
    return {
      ...{ ...keyCase(operation, what, depth, change), ...common, basis },
      also: mayBeWrong ? LOOKED_AT_FIRST : [],
    }
  })
  const withMore = otherMistakes(operation, settings).map(
    ([what, change, also = [], basis]): TestCase => ({
      ...{ ...keyCase(operation, what, isFull ? 'normal' : 'thorough', change), ...common, basis },
      also: mayBeWrong ? LOOKED_AT_FIRST : also,
    }),
  )
  return [...keys, ...withMore]
}

/** What a service may look at before the key. */
function otherMistakes(operation: OperationId, settings: ConformanceSettings): OtherMistake[] {
  const [wrong] = wrongBodies(operation, settings)
  const noKey = { ...withoutInputs(operation), authorization: null }
  const rightElsewhere = { ...elsewhere(settings.apiKey), ...noKey, ...ofUnknown(operation) }
  const wrongBody = { body: wrong?.body, authorization: WRONG_KEY }
  const wrongId = { id: undefined, startsRun: false, authorization: WRONG_KEY }
  return [
    ['without a key and with a wrong one elsewhere', { ...asTrusted(), ...noKey }, LOOKED_AT_FIRST],
    ['without a key and with the right one elsewhere', rightElsewhere, LOOKED_AT_FIRST, rules.keyPlace],
    ...(wrong ? [['with a wrong key and a wrong body', wrongBody, LOOKED_AT_FIRST] as const] : []),
    ...(hasId(operation) ? [['with a wrong key and an id that does not exist', wrongId] as const] : []),
  ]
}

type OtherMistake = readonly [what: string, change: Change, also?: readonly number[], basis?: BasisId]

/** A trigger of what does not exist, which starts nothing. */
const ofUnknown = (operation: OperationId): Change =>
  isSafe(operation) ? {} : { id: undefined, startsRun: false, mayBeAccepted: true }

/** An id that others may know is no key. */
function idAsKey({ known }: Session, source: OperationId): Change | undefined {
  const { id } = Object(known.bodies[source]) as { id?: unknown }
  const key = isPaged(source) ? [...(known.ids.get(listOf(source)) ?? [])].at(-1) : id
  return typeof key === 'string' && /^[\x21-\x7e]{1,1000}$/.test(key) ? { authorization: bearer(key) } : undefined
}

/** What may follow a path and lead around what looks at the key; the plainest comes first. */
const SUFFIXES: readonly [what: string, suffix: string, depth: Depth][] = [
  ['a slash', '/', 'normal'],
  ['.json', '.json', 'thorough'],
  ['a semicolon', ';', 'thorough'],
]

const suffixedOf = (settings: ConformanceSettings) =>
  operationsOf(settings)
    .filter((operation) => isSafe(operation) && !hasId(operation))
    .flatMap((operation) =>
      SUFFIXES.filter(([, , depth]) => isWithin(depth, settings)).map(([what, suffix]) => ({
        ...{
          operation,
          suffix,
          authorization: null,
          title: `${operation} without a key and with ${what} after the path`,
        },
      })),
    )

/** Whether another address exists is not stated: only what is known of the workspace in its response is a fault. */
export const otherAddresses: Check = {
  name: 'credentials',
  depth: 'normal',
  cost: (settings) => ({ requests: suffixedOf(settings).length }),
  async *run(session) {
    for (const { title, ...request } of suffixedOf(session.settings)) {
      if (!session.known.seen.has(request.operation)) continue
      const exchange = await session.send(request)
      const known = isSuccess(exchange.status) ? knownIdIn(session, request.operation, exchange.body) : undefined
      const message = text`${title}: expected 401, got a success that shows ${quote(known)}`
      yield failedIf(known !== undefined, rules.invalidKey, message, { exchange, keyword: 'status' })
    }
  },
}

/** An id in a body that is known to be one of the workspace. */
function knownIdIn({ known }: Session, operation: OperationId, body: unknown): string | undefined {
  const json = JSON.stringify(body) ?? ''
  const own: unknown = Object(known.bodies[operation]).id
  const all = isPaged(operation) ? [...(known.ids.get(listOf(operation)) ?? [])] : typeof own === 'string' ? [own] : []
  return all.find((id) => json.includes(`"id":${JSON.stringify(id)}`))
}

/** Wrong keys are refused among simultaneous requests with the right one, which a trigger has none of. */
const together = (
  depth: Depth,
  requestsOf: (operation: OperationId, session: Session) => TestRequest[],
  count: (operation: OperationId) => number,
): Check => ({
  name: 'credentials',
  depth,
  cost(settings) {
    const of = (operations: OperationId[]) => operations.reduce((sum, each) => sum + count(each), 0)
    const operations = probedOperations(settings)
    const triggers = operations.filter((each) => !isSafe(each))
    return { requests: of(operations), triggers: of(triggers), spareRuns: Math.max(...triggers.map(count), 1) }
  },
  async *run(session) {
    for (const operation of operationsOf(session.settings))
      yield refusedTogether(session, requestsOf(operation, session), {
        ...{ relation: 'credentials', basis: rules.invalidKey, status: STATUS.unauthorized, what: 'with a wrong key' },
      })
  },
})

export const credentialsAtOnce = together('quick', plainAtOnce, (operation) => (isSafe(operation) ? 2 : 1))
export const severalAtOnce = together('thorough', severalOf, (operation) => (isSafe(operation) ? 5 : 2))

function plainAtOnce(operation: OperationId, session: Session): TestRequest[] {
  const [plain] = variantsOf(operation, session.settings)
  const right = requestOf(plain, session) ?? { operation }
  const wrong = { ...right, ...withoutInputs(operation), authorization: null }
  return isSafe(operation) ? [right, wrong] : [wrong]
}

function severalOf(operation: OperationId, session: Session): TestRequest[] {
  const right = fullRequest(operation, session)
  const wrong = [null, WRONG_KEY, null, WRONG_KEY].map((authorization) => ({ ...right, authorization }))
  return isSafe(operation) ? [right, ...wrong] : wrong.slice(2)
}
