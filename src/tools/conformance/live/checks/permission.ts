import { operationNodes, rules } from '../../../../../generated/conformance/nodes.js'
import type { OperationId } from '../../../../../generated/operations.js'
import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { hasId, isSafe, isServerError, isSuccess, probedOperations, readsByIdFirst } from '../../judge/contract.js'
import { failed, skipped } from '../../judge/result.js'
import { statusResults } from '../../judge/status.js'
import { bearer, type ConformanceSettings } from '../../options.js'
import { type Probe, probeSteps, refuseTogether, USUAL } from '../cases/index.js'
import { wrongBodies } from '../cases/wrong-bodies.js'
import { type Change, startOf } from '../request.js'
import { sendNow } from '../send.js'
import { fullChange, fullShape, plainShape, shapesOf, titleOf } from '../shapes.js'
import { type Session, type Step, step } from '../step.js'
import { readAgain } from './reading.js'

/** A key that may only read gets 403 for whatever triggers, and reads the same workspace. Basis: S03, S25. */
export function permissionSteps(settings: ConformanceSettings): Step[] {
  if (settings.readOnlyKey === undefined) return []
  const key = bearer(settings.readOnlyKey)
  const operations = readsByIdFirst(probedOperations(settings))
  return [
    ...operations.filter(isSafe).flatMap((operation) => allowedSteps(operation, key, settings)),
    ...operations.filter(isTrigger).flatMap((operation) => forbiddenSteps(operation, key, settings)),
  ]
}

/** What the key may read is not stated: a 403 shows nothing. */
const allowedSteps = (operation: OperationId, authorization: string, settings: ConformanceSettings): Step[] =>
  shapesOf(operation, settings).map((shape) => {
    const variation = 'with the key that may only read'
    const again = { relation: RELATION, variation, mayGet: (status: number) => status === STATUS.forbidden }
    return step(
      RELATION,
      `${titleOf(shape)} ${variation}`,
      shape.name === '' ? 0 : shape.isFull ? 2 : 4,
      (session) => readAgain(session, shape, { authorization }, again),
      {
        ...(shape.isFull && { variation, weight: 2 }),
        phase: hasId(operation) && shape.name === '' ? 'while running' : undefined,
        maxRequests: 4,
      },
    )
  })

function forbiddenSteps(operation: OperationId, authorization: string, settings: ConformanceSettings): Step[] {
  const inputs = (own: object) => JSON.stringify({ inputs: own })
  const [wrong] = wrongBodies(operation, settings)
  const probe = (what: string, priority: number, change: Change, base: Probe['base'] = fullShape): Probe => ({
    subject: base === fullShape ? `${operation} with everything` : operation,
    relation: RELATION,
    phase: 'while running',
    operation,
    priority,
    base,
    weight: USUAL,
    what: ['with a key that may only read', what].filter(Boolean).join(', '),
    change: () => ({ ...change, authorization }),
    status: STATUS.forbidden,
    basis: rules.permission,
    also: change.body === undefined ? [] : [STATUS.badRequest],
  })
  const ofUnknown = probe('of an id that does not exist', 1, {}, () => plainShape(operation))
  const [main, ...others] = settings.triggers
  if (main === undefined) return probeSteps([ofUnknown], settings)
  const { path } = startOf(operation, main)
  const probes = [
    probe('', 0, {}, () => ({ ...plainShape(operation), change: () => ({ path }) })),
    ofUnknown,
    probe('', 1, {}),
    probe('as from another client', 2, { headers: unstated(OTHER_CLIENT, operation) }),
    probe('with no inputs', 2, { body: inputs({}) }),
    probe('with two inputs', 3, { body: inputs({ conformance: 'check', order: '1' }) }),
    probe('with a wrong body', 2, { body: wrong?.body }),
    ...others.map((playbook) => probe(`of ${playbook}`, 2, { path: startOf(operation, playbook).path })),
  ]
  const atOnce = (session: Session) => {
    const changes = Array<Change>(4).fill({ ...fullChange(session, operation), authorization })
    const expected = { relation: RELATION, basis: rules.permission, status: STATUS.forbidden }
    return refuseTogether(session, operation, changes, { ...expected, what: 'with a key that may only read' })
  }
  return [...probeSteps(probes, settings), step(RELATION, `${operation} at once`, 4, atOnce, { requests: 4 })]
}

const RELATION = 'permission'

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

/** A plan without API access may have no limit that a wait would help with, so a 429 is not waited out. Basis: S34, A18. */
export const noAccessSteps = ({ hobbyKey, ...settings }: ConformanceSettings): Step[] =>
  hobbyKey === undefined
    ? []
    : probedOperations(settings)
        .filter((operation) => isSafe(operation) && !hasId(operation))
        .flatMap((operation) =>
          [false, true].map((isFull) =>
            step(
              'a plan without API access',
              isFull ? `${operation} with everything` : operation,
              isFull ? 2 : 0,
              (session) => withoutAccess(session, operation, isFull, hobbyKey),
            ),
          ),
        )

async function withoutAccess(session: Session, operation: OperationId, isFull: boolean, key: string): Promise<void> {
  const change = isFull ? fullChange(session, operation) : {}
  const exchange = await sendNow(session, operation, { ...change, authorization: bearer(key) })
  const what = `${operation} with the key of a plan without API access`
  const { status } = exchange
  const basis = rules.planWithoutAccess
  if (isServerError(status)) return session.add(skipped(basis, `${what} got ${status}.`))
  session.add(statusResults(exchange, { status: STATUS.forbidden, basis, what }))
  if (isSuccess(status))
    session.add(failed(rules.planLimits, `${what}: expected a refusal, got ${status}`, { exchange, keyword: 'status' }))
}
