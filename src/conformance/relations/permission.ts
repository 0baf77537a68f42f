import { rules } from '../../../generated/conformance.js'
import type { OperationId } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { isSafe, isSuccess, operationIds, startsRuns } from '../contract.js'
import type { RequestSpec } from '../exchange.js'
import type { Checked } from '../judge/exchange.js'
import { failed, passed, type Result, skipped } from '../judge/result.js'
import { statusResults } from '../judge/status.js'
import { compareWorkspaces, sameItems } from '../judge/workspaces.js'
import { bearer, type ConformanceSettings } from '../options.js'
import { downReason, isDown } from '../outage.js'
import { type Results, type Session, type Step, send, startOf } from '../session.js'
import { wrongBodies } from './bodies.js'
import { stepOf } from './related.js'
import { keyOf, shapesOf, titleOf } from './shapes.js'

/** A key that may only read reads the same workspace, and gets 403 for whatever triggers. Basis: S24, S25. */
export function permissionSteps(settings: ConformanceSettings): Step[] {
  const { readOnlyKey } = settings
  if (readOnlyKey === undefined) return []
  const authorization = bearer(readOnlyKey)
  const reading = shapesOf(settings).filter(({ operation, isSuccess: is }) => isSafe(operation) && is)
  const triggers = operationIds.filter(startsRuns)
  return [
    ...reading.map(
      (shape): Step => ({
        relation: 'permission',
        tier: shape.name === '' || shape.name.startsWith('of an id') ? 1 : 3,
        requests: 1,
        run: (session) => readWith(session, authorization, shape),
      }),
    ),
    ...triggers.flatMap((operation) => forbiddenSteps(operation, authorization, settings)),
  ]
}

function forbiddenSteps(operation: OperationId, authorization: string, settings: ConformanceSettings): Step[] {
  const { trigger } = settings
  const forbidden = (
    what: string,
    change: Partial<RequestSpec>,
    tier: number,
    status: number = STATUS.forbidden,
    orElse: number[] = [],
  ) =>
    stepOf(
      {
        relation: 'permission',
        operation,
        what,
        change: () => ({ ...change, authorization }),
        status,
        orElse,
        basis: rules.permission,
      },
      tier,
      settings,
    )
  const existing = trigger === undefined ? undefined : { path: startOf(operation, trigger).path }
  const inputs = JSON.stringify({ inputs: { conformance: 'check' } })
  const [wrong] = wrongBodies(operation, settings)
  return [
    ...forbidden('with a key that may only read', {}, 1),
    ...(existing
      ? [
          ...forbidden('with a key that may only read, of a playbook that exists,', existing, 1),
          ...forbidden('with a key that may only read, with inputs,', { ...existing, body: inputs }, 2),
          ...forbidden('with a key that may only read, without inputs,', { ...existing, body: '{"inputs":{}}' }, 2),
          // Whether the permission or the body is checked first is not shown.
          ...forbidden(
            'with a key that may only read, with a wrong body,',
            { ...existing, body: wrong?.body },
            2,
            STATUS.forbidden,
            [STATUS.badRequest],
          ),
          ...whileRunning(operation, authorization, trigger ?? ''),
        ]
      : []),
  ]
}

async function* readWith(session: Session, authorization: string, shape: ReturnType<typeof shapesOf>[number]): Results {
  const before = session.facts.seen.get(keyOf(shape))
  const change = shape.change(session)
  if (!before || !change) return
  const exchange = await send(session, shape.operation, { ...change, authorization, relation: 'permission' })
  yield secondKeyResults(exchange, titleOf(shape))
  if (!exchange.isValid) return
  if (shape.operation === 'getCurrentWorkspace') yield compareWorkspaces(before.body, exchange, true)
  else yield sameItems(before.body, exchange)
}

/** A second key of the workspace is accepted; what it must not do is a 403, never a 401. */
function secondKeyResults(exchange: Checked, what: string): Result[] {
  const { status } = exchange
  const details = { exchange, relation: 'permission', variation: 'with the key that may only read' }
  if (status === STATUS.unauthorized)
    return [
      failed(
        rules.invalidKey,
        `${what} with the key that may only read must not get 401, because the key is valid, and got it`,
        details,
      ),
    ]
  return isSuccess(status) ? [passed(rules.bearer, 'a second key of the workspace is accepted', { exchange })] : []
}

/** The permission is the same while a run of the playbook is running. */
const whileRunning = (operation: OperationId, authorization: string, playbook: string): Step[] => [
  {
    relation: 'permission',
    tier: 4,
    requests: 2,
    runs: 1,
    async *run(session) {
      const started = await send(session, operation, startOf(operation, playbook))
      if (!isSuccess(started.status)) return
      const { path } = startOf(operation, playbook)
      const exchange = await send(session, operation, { path, authorization, relation: 'permission' })
      if (await isDown(session, exchange, { path, authorization }))
        return void (yield skipped(rules.permission, downReason(operation)))
      const what = `${operation} with a key that may only read, while a run is running,`
      yield statusResults(exchange, {
        status: STATUS.forbidden,
        basis: rules.permission,
        what,
        relation: 'permission',
        variation: 'while a run is running',
      })
    },
  },
]
