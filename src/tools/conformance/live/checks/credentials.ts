import { rules } from '../../../../../generated/conformance/nodes.js'
import type { BasisId, OperationId } from '../../../../../generated/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import {
  hasId,
  isPaged,
  isSafe,
  isSuccess,
  listOf,
  operationIds,
  probedOperations,
  readingOperations,
  readsByIdFirst,
} from '../../judge/contract.js'
import { failed, quote, text } from '../../judge/result.js'
import { bearer, type ConformanceSettings } from '../../options.js'
import { type Probe, probeSteps, refuseTogether, USUAL } from '../cases/index.js'
import { wrongBodies } from '../cases/wrong-bodies.js'
import { asTrusted, elsewhere, MOST_USUAL, USUAL_KEYS, WRONG_KEY, wrongKeys } from '../cases/wrong-keys.js'
import { type Change, withoutInputs } from '../request.js'
import { send } from '../send.js'
import { fullChange, fullShape, type Shape, shapesOf, titleOf } from '../shapes.js'
import { type Relation, type Session, type Step, step } from '../step.js'
import { malformedParameters } from './parameters.js'

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
            weight: 2 * USUAL,
            also: LOOKED_AT_FIRST,
            change: () => ({ ...change, authorization: WRONG_KEY }),
          })),
      ],
      settings,
    ),
    ...(isSafe(operation) && !hasId(operation) ? SUFFIXES.map((suffix) => elsewhereStep(operation, suffix)) : []),
    together(operation, 'at once', 0, 2, plainAtOnce),
    together(operation, 'several at once', 4, 5, severalAtOnce),
  ])
}

const RELATION: Relation = 'credentials'

/** What may follow a path and lead around what looks at the key; the plainest comes first. */
const SUFFIXES = [
  ['a slash', '/', 1],
  ['.json', '.json', 4],
  ['a semicolon', ';', 4],
] as const

/** Whether another address exists is not stated: only what is known of the workspace in its response is a fault. */
const elsewhereStep = (operation: OperationId, [what, suffix, priority]: (typeof SUFFIXES)[number]): Step =>
  step(RELATION, `${operation} with ${what} after the path`, priority, async (session) => {
    const plain = shapesOf(operation, session.settings)[0]?.change(session)
    if (!plain || !session.facts.seen.has(operation)) return
    const exchange = await send(session, operation, { ...plain, suffix, authorization: null, relation: RELATION })
    const known = isSuccess(exchange.status) ? knownIdIn(session, operation, exchange.body) : undefined
    const title = `${operation} without a key and with ${what} after the path`
    const message = text`${title}: expected 401, got a success that shows ${quote(known)}`
    if (known !== undefined) session.add(failed(rules.invalidKey, message, { exchange, keyword: 'status' }))
  })

/** An id in a body that is known to be one of the workspace. */
function knownIdIn({ facts }: Session, operation: OperationId, body: unknown): string | undefined {
  const json = JSON.stringify(body) ?? ''
  const own: unknown = Object(facts.bodies[operation]).id
  const known = isPaged(operation)
    ? [...(facts.ids.get(listOf(operation)) ?? [])]
    : typeof own === 'string'
      ? [own]
      : []
  return known.find((id) => json.includes(`"id":${JSON.stringify(id)}`))
}

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
      // A trigger with a right key may start a run.
      change: () => ({ authorization, ...(basis === rules.keyPlace && ofUnknown(operation)) }),
      // The most usual ones are tried on every operation before the others on one.
      weight: index < MOST_USUAL ? USUAL * operationIds.length : index < USUAL_KEYS ? 2 : 1,
    }),
  )
  const withMore = otherMistakes(operation, settings).map(
    ([what, change, also = [], basis], index): Probe => ({
      ...common,
      ...probeOf(operation, what, isFull ? 2 : 4),
      basis,
      also: mayBeWrong ? LOOKED_AT_FIRST : also,
      change: () => change,
      // A key that is read elsewhere is tried on every operation.
      weight: index === 0 ? 2 * operationIds.length : operationIds.length + 1,
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
  const noKey = { ...withoutInputs(operation, settings), authorization: null }
  const mistakes: OtherMistake[] = [
    ['without a key and with a wrong one elsewhere', { ...asTrusted(), ...noKey }, LOOKED_AT_FIRST],
    [
      'without a key and with the right one elsewhere',
      { ...elsewhere(settings.apiKey), ...noKey, ...ofUnknown(operation) },
      LOOKED_AT_FIRST,
      rules.keyPlace,
    ],
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

type OtherMistake = [what: string, change: Change, also?: readonly number[], basis?: BasisId]

/** A trigger of what does not exist, which starts nothing. */
const ofUnknown = (operation: OperationId): Change => (isSafe(operation) ? {} : { path: undefined, startsRun: false })

/** An id that others may know is no key. */
function idAsKey({ facts }: Session, source: OperationId): Change | undefined {
  const { id } = Object(facts.bodies[source]) as { id?: unknown }
  const key = isPaged(source) ? [...(facts.ids.get(listOf(source)) ?? [])].at(-1) : id
  return typeof key === 'string' && /^[\x21-\x7e]+$/.test(key) ? { authorization: bearer(key) } : undefined
}

/** Wrong keys are refused among simultaneous requests with the right one, which a trigger has none of. */
const together = (
  operation: OperationId,
  what: string,
  priority: number,
  requests: number,
  changes: (session: Session, operation: OperationId) => Change[],
): Step => {
  const expected = {
    relation: RELATION,
    basis: rules.invalidKey,
    status: STATUS.unauthorized,
    what: 'with a wrong key',
  }
  const run = (session: Session) => refuseTogether(session, operation, changes(session, operation), expected)
  return step(RELATION, `${operation} ${what}`, priority, run, { requests })
}

function plainAtOnce(session: Session, operation: OperationId): Change[] {
  const right = shapesOf(operation, session.settings)[0]?.change(session)
  const wrong = { ...right, authorization: null }
  return isSafe(operation) ? [{ ...right }, wrong] : [{ ...wrong, ...withoutInputs(operation, session.settings) }]
}

function severalAtOnce(session: Session, operation: OperationId): Change[] {
  const right = fullChange(session, operation)
  const wrong = [null, WRONG_KEY, null, WRONG_KEY].map((authorization) => ({ ...right, authorization }))
  return isSafe(operation) ? [{ ...right }, ...wrong] : wrong.slice(2)
}
