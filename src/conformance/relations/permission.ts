import { rules } from '../../../generated/conformance.js'
import type { OperationId } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { hasId, isSafe, isSuccess, operationIds, probedOperations, startsRuns } from '../contract.js'
import { failed, passed } from '../judge/result.js'
import { successResults } from '../judge/status.js'
import { bearer, type ConformanceSettings } from '../options.js'
import { type Results, type Session, type Step, send, sendTogether, startOf } from '../session.js'
import { wrongBodies } from './bodies.js'
import { type Probe, stepOf, USUAL } from './probe.js'
import { consistent, mayBeMissing } from './reading.js'
import { type Change, fullChange, fullShape, type Shape, shapesOf, titleOf } from './shapes.js'

/** A key that may only read reads the same workspace, and gets 403 for whatever triggers. Basis: S03, S25. */
export function permissionSteps(settings: ConformanceSettings): Step[] {
  const { readOnlyKey } = settings
  if (readOnlyKey === undefined) return []
  const authorization = bearer(readOnlyKey)
  const reading = probedOperations(settings).filter(isSafe)
  return [
    ...reading.flatMap((operation) => readSteps(operation, authorization, settings, false)),
    ...reading.filter(hasId).flatMap((operation) => readSteps(operation, authorization, settings, true)),
    ...operationIds.filter(startsRuns).flatMap((operation) => forbiddenSteps(operation, authorization, settings)),
  ]
}

/** The plain request and that with most in it; the others at `thorough`. */
const readSteps = (
  operation: OperationId,
  authorization: string,
  settings: ConformanceSettings,
  isWhileRunning: boolean,
): Step[] =>
  shapesOf(operation, settings).map((shape, index, all) => ({
    relation: 'permission',
    tier: index === all.length - 1 ? 1 : 4,
    requests: 1,
    maxRequests: 3,
    phase: isWhileRunning ? 'while running' : undefined,
    run: (session) => readWith(session, authorization, shape),
  }))

async function* readWith(session: Session, authorization: string, shape: Shape): Results {
  const { operation } = shape
  if (!hasId(operation) && !session.facts.seen.has(titleOf(shape))) return
  const change = shape.change(session)
  if (!change) return
  const exchange = await send(session, operation, { ...change, authorization, relation: 'permission' })
  const { status } = exchange
  const what = `${titleOf(shape)} with the key that may only read`
  // What it may read is not shown.
  if (exchange.isOutage || status === STATUS.forbidden || (hasId(operation) && mayBeMissing(session, status))) return
  if (status === STATUS.unauthorized) {
    const message = `${what} must not get 401, because the key is valid, and got it`
    return void (yield [failed(rules.invalidKey, message, { exchange, relation: 'permission', variation: what })])
  }
  if (!(hasId(operation) && !session.facts.seen.has(titleOf(shape)))) yield successResults(exchange, what)
  if (!exchange.isValid) return
  yield [passed(rules.bearer, 'a second key of the workspace is accepted', { exchange })]
  yield* consistent(session, exchange, change.query !== undefined)
}

function forbiddenSteps(operation: OperationId, authorization: string, settings: ConformanceSettings): Step[] {
  const plain = { name: '', operation, change: () => ({}) }
  const inputs = (own: object) => JSON.stringify({ inputs: own })
  const [wrong] = wrongBodies(operation, settings)
  const step = (what: string, tier: number, change: Change, base: Probe['base'] = fullShape, orElse: number[] = []) =>
    stepOf(
      {
        relation: 'permission',
        operation,
        what: ['with a key that may only read', what].filter(Boolean).join(', '),
        change: () => ({ ...change, authorization }),
        base,
        status: STATUS.forbidden,
        basis: rules.permission,
        orElse,
        weight: USUAL,
      },
      tier,
      settings,
    ).map((each) => ({ ...each, phase: 'while running' as const }))
  const [main, ...others] = settings.triggers
  // Whether the permission or the body is checked first is not shown.
  const orElse = [STATUS.badRequest]
  return [
    ...step('of an id that does not exist', 1, {}, () => plain),
    ...(main === undefined
      ? []
      : [
          ...step('', 1, {}),
          ...step('as from another client', 2, {
            headers: {
              'idempotency-key': 'conformance-check',
              origin: 'https://conformance.example',
              'x-requested-with': 'XMLHttpRequest',
            },
          }),
          ...step('without a pin', 2, {}, () => ({
            ...plain,
            change: () => ({ path: startOf(operation, main).path }),
          })),
          ...step('with no inputs', 2, { body: inputs({}) }, undefined, orElse),
          ...step('with two inputs', 3, { body: inputs({ conformance: 'check', order: '1' }) }, undefined, orElse),
          ...step('with a wrong body', 2, { body: wrong?.body }, undefined, orElse),
          ...others.flatMap((playbook) => step(`of ${playbook}`, 2, { path: startOf(operation, playbook).path })),
          {
            relation: 'permission',
            tier: 4,
            requests: 4,
            run: (session: Session) => atOnce(session, operation, authorization),
          },
        ]),
  ]
}

/** Several at once are refused as one is. */
async function* atOnce(session: Session, operation: OperationId, authorization: string): Results {
  const change = { ...fullChange(session, operation), authorization, relation: 'permission' }
  const exchanges = await sendTogether(session, operation, [change, change, change, change])
  const accepted = exchanges.find(({ status }) => isSuccess(status))
  const message = `${operation} with a key that may only read, four at once, must get 403, and got ${accepted?.status}`
  if (accepted) yield [failed(rules.permission, message, { exchange: accepted, relation: 'permission' })]
}
