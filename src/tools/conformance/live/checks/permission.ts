import type { OperationId } from '../../../../../generated/contract.js'
import { operationNodes, rules } from '../../../../../generated/contract.js'
import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { hasId, isChosen, isSafe, isServerError, isSuccess, probedOperations, TRIGGER } from '../../judge/contract.js'
import { failed, failedIf, type Result, skipped } from '../../judge/result.js'
import { statusResults } from '../../judge/status.js'
import { bearer, type ConformanceSettings, type Depth } from '../../options.js'
import { refusals, refusedTogether, type TestCase } from '../cases/index.js'
import { wrongBodies } from '../cases/wrong-bodies.js'
import { type Check, isWithin } from '../check.js'
import { bodyWith, type Change, mayExist, type TestRequest, UNPINNED, type Variant, variantsOf } from '../request.js'
import type { Session } from '../session.js'
import { fullRequest } from '../variants.js'
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
      .filter((each) => {
        const isPlainRun = hasId(each.operation) && depthOf(each) === 'quick'
        return isOfRuns ? isPlainRun : !isPlainRun || isWithin('normal', settings)
      })
  return {
    name: 'permission',
    needs: (settings) => settings.readOnlyKey !== undefined && variantsFor(settings).length > 0,
    cost: (settings) => ({ requests: variantsFor(settings).length, most: 4 * variantsFor(settings).length }),
    async *run(session) {
      const again = { relation: 'permission', variation: WITH_KEY, mayGet: isForbidden }
      for (const variant of variantsFor(session.settings)) {
        // A run is read a second time, without a pin: nothing of it may depend on one.
        const isSecond = !isOfRuns && hasId(variant.operation) && depthOf(variant) === 'quick'
        const unpinned = isSecond ? { headers: UNPINNED } : {}
        yield* readAgain(session, variant, { authorization: keyOf(session.settings), ...unpinned }, again)
      }
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
    of('with two inputs', 'normal', { body: bodyWith({ conformance: 'check', order: '1' }) }),
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
  cost: () => ({ requests: AT_ONCE, triggers: AT_ONCE, spareRuns: AT_ONCE }),
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
  needs: (settings) => settings.hobbyKey !== undefined && permittedLists(settings).length > 0,
  cost(settings) {
    const triggers = triggersWithoutAccess(settings)
    return { requests: permittedLists(settings).length * (isWithin('normal', settings) ? 2 : 1) + triggers, triggers }
  },
  async *run(session) {
    const { settings } = session
    for (const operation of permittedLists(settings)) {
      yield withoutAccess(session, { operation })
      if (isWithin('normal', settings)) yield withoutAccess(session, fullRequest(operation, session))
    }
    if (triggersWithoutAccess(settings) > 0) yield triggeredWithoutAccess(session)
  },
}

const permittedLists = (settings: ConformanceSettings): OperationId[] =>
  probedOperations(settings).filter((operation) => isSafe(operation) && !hasId(operation) && !isTrigger(operation))

const triggersWithoutAccess = (settings: ConformanceSettings): number =>
  isWithin('normal', settings) && settings.triggers.length > 0 && isChosen(settings, TRIGGER) ? 1 : 0

/** A trigger of what its workspace need not have: only a run that it starts shows something. */
async function triggeredWithoutAccess(session: Session): Promise<Result[]> {
  const { hobbyKey = '', trigger } = session.settings
  const exchange = await session.sendNow({ operation: TRIGGER, id: trigger, authorization: bearer(hobbyKey) })
  const what = `${TRIGGER} with the key of a plan without API access`
  const { status } = exchange
  if (isSuccess(status))
    return [failed(rules.planLimits, `${what}: expected a refusal, got ${status}`, { exchange, keyword: 'status' })]
  return isForbidden(status)
    ? statusResults(exchange, { status: STATUS.forbidden, basis: rules.planWithoutAccess, what })
    : skipped(rules.planWithoutAccess, `${what} got ${status}, which may have another reason.`)
}

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
