import { operationNodes, rules } from '../../../../../generated/conformance/nodes.js'
import type { OperationId } from '../../../../../generated/operations.js'
import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { hasId, isChosen, isSafe, isServerError, isSuccess, probedOperations, TRIGGER } from '../../judge/contract.js'
import { failedIf, type Result, skipped } from '../../judge/result.js'
import { statusResults } from '../../judge/status.js'
import { bearer, type ConformanceSettings, type Depth } from '../../options.js'
import { refusals, refusedTogether, type TestCase } from '../cases/index.js'
import { wrongBodies } from '../cases/wrong-bodies.js'
import { type Check, isWithin } from '../check.js'
import { bodyWith, type Change, fullRequest, mayExist, type TestRequest, type Variant, variantsOf } from '../request.js'
import type { Session } from '../session.js'
import { readAgain } from './reading.js'

const keyOf = ({ readOnlyKey = '' }: ConformanceSettings): string => bearer(readOnlyKey)
const WITH_KEY = 'with the key that may only read'

/** A key that may only read reads the same workspace. What it may read is not stated: a 403 shows nothing. Basis: S03. */
const allowed = (isOfRuns: boolean): Check => {
  const variantsFor = (settings: ConformanceSettings): Variant[] =>
    probedOperations(settings)
      .filter((operation) => isSafe(operation) && mayExist(operation, settings))
      .flatMap((operation) => variantsOf(operation, settings))
      .filter((each) => isWithin(depthOf(each), settings))
      .filter((each) => isOfRuns === (hasId(each.operation) && depthOf(each) === 'quick'))
  return {
    name: 'permission',
    needs: (settings) => settings.readOnlyKey !== undefined && variantsFor(settings).length > 0,
    cost: (settings) => ({ requests: variantsFor(settings).length, most: 4 * variantsFor(settings).length }),
    async *run(session) {
      const again = { relation: 'permission', variation: WITH_KEY, mayGet: isForbidden }
      for (const variant of variantsFor(session.settings))
        yield* readAgain(session, variant, { authorization: keyOf(session.settings) }, again)
    },
  }
}

const isForbidden = (status: number): boolean => status === STATUS.forbidden
const depthOf = ({ name, isFull }: Variant): Depth => (name === '' ? 'quick' : isFull ? 'normal' : 'thorough')

/** A run that is running. */
export const readerOfRuns = allowed(true)
export const reader = allowed(false)

/** A key that may only read gets 403 for whatever triggers. Basis: S25. */
export const forbidden = refusals('permission', (settings) =>
  settings.readOnlyKey === undefined || !isChosen(settings, TRIGGER) ? [] : forbiddenCases(settings),
)

function forbiddenCases(settings: ConformanceSettings): TestCase[] {
  const authorization = keyOf(settings)
  const [main, ...others] = settings.triggers
  const [wrong] = wrongBodies(TRIGGER, settings)
  const of = (what: string, depth: Depth, change: Change = {}): TestCase => ({
    ...{ operation: TRIGGER, isToExisting: true, depth, status: STATUS.forbidden, basis: rules.permission },
    what: ['with a key that may only read', what].filter(Boolean).join(', '),
    change: { ...change, authorization },
    also: change.body === undefined ? [] : [STATUS.badRequest],
  })
  const ofUnknown: TestCase = { ...of('of an id that does not exist', 'normal'), of: 'plain', isToExisting: false }
  if (main === undefined) return [ofUnknown]
  return [
    { ...of('', 'quick'), of: 'plain' },
    ofUnknown,
    of('', 'normal'),
    of('as from another client', 'normal', { headers: unstated(OTHER_CLIENT, TRIGGER) }),
    of('with no inputs', 'normal', { body: bodyWith() }),
    of('with two inputs', 'thorough', { body: bodyWith({ conformance: 'check', order: '1' }) }),
    of('with a wrong body', 'normal', { body: wrong?.body }),
    ...others.map((playbook) => of(`of ${playbook}`, 'normal', { id: playbook })),
  ]
}

const OTHER_CLIENT = {
  'idempotency-key': 'conformance-check',
  origin: 'https://conformance.example',
  'x-requested-with': 'XMLHttpRequest',
}

/** Headers that the contract does not state for an operation: one that it does would mean something. */
const unstated = (headers: Record<string, string>, operation: OperationId): Record<string, string> => {
  const stated = operationNodes[operation].parameters.map(({ name }) => name.toLowerCase())
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !stated.includes(name)))
}

const AT_ONCE = 4

export const forbiddenAtOnce: Check = {
  name: 'permission',
  depth: 'thorough',
  needs: (settings) =>
    settings.readOnlyKey !== undefined && settings.triggers.length > 0 && isChosen(settings, TRIGGER),
  cost: () => ({ requests: AT_ONCE, triggers: AT_ONCE }),
  async *run(session) {
    const request = { ...fullRequest(TRIGGER, session), authorization: keyOf(session.settings) }
    yield refusedTogether(session, Array<TestRequest>(AT_ONCE).fill(request), {
      ...{ relation: 'permission', basis: rules.permission, status: STATUS.forbidden },
      what: 'with a key that may only read',
    })
  },
}

/** A plan without API access may have no limit that a wait would help with, so a 429 is not waited out. Basis: S34, A18. */
export const noAccess: Check = {
  name: 'a plan without API access',
  needs: (settings) => settings.hobbyKey !== undefined && listsOf(settings).length > 0,
  cost: (settings) => ({ requests: listsOf(settings).length * (isWithin('normal', settings) ? 2 : 1) }),
  async *run(session) {
    const { settings } = session
    for (const operation of listsOf(settings)) {
      yield withoutAccess(session, { operation })
      if (isWithin('normal', settings)) yield withoutAccess(session, fullRequest(operation, session))
    }
  },
}

const listsOf = (settings: ConformanceSettings): OperationId[] =>
  probedOperations(settings).filter((operation) => isSafe(operation) && !hasId(operation) && !isTrigger(operation))

async function withoutAccess(session: Session, request: TestRequest): Promise<Result[]> {
  const { hobbyKey = '' } = session.settings
  const exchange = await session.sendNow({ ...request, authorization: bearer(hobbyKey) })
  const what = `${request.operation} with the key of a plan without API access`
  const { status } = exchange
  const basis = rules.planWithoutAccess
  if (isServerError(status)) return skipped(basis, `${what} got ${status}.`)
  const message = `${what}: expected a refusal, got ${status}`
  return [
    ...statusResults(exchange, { status: STATUS.forbidden, basis, what }),
    ...failedIf(isSuccess(status), rules.planLimits, message, { exchange, keyword: 'status' }),
  ]
}
