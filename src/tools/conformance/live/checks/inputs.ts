import { rules } from '../../../../../generated/conformance/nodes.js'
import type { OperationId } from '../../../../../generated/operations.js'
import type { RunInputs } from '../../../../../generated/types.js'
import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { isChosen, isServerError, isSuccess, OTHER_STATUS, probedOperations } from '../../judge/contract.js'
import type { Checked } from '../../judge/judge.js'
import { failed } from '../../judge/result.js'
import { FollowedRun, maxPolls } from '../../judge/runs.js'
import { MISSING, successResults } from '../../judge/status.js'
import { outcomeOf, refusalOf, startedRun } from '../../judge/triggers.js'
import type { ConformanceSettings } from '../../options.js'
import { pathOf, startOf } from '../request.js'
import { send } from '../send.js'
import { type Session, type Step, step } from '../step.js'
import { firstPollResults } from './follow.js'

/**
 * Values that a playbook may refuse with 400 and must not fail at, sent to one that exists: each may start a run. Whether they
 * are strings decides nothing, because how inputs are checked is not shown. Basis: S13, S26.
 */
export function inputSteps(settings: ConformanceSettings): Step[] {
  const [playbook] = settings.triggers
  const [operation] = probedOperations(settings).filter(isTrigger)
  if (playbook === undefined || operation === undefined) return []
  return inputsLike(settings.inputs).map(([what, inputs], index) =>
    step('inputs', what, index && 1, (session) => triggerWith(session, operation, playbook, what, inputs), {
      ...{ requests: 2, unbounded: 1, maxRequests: 8 + maxPolls(settings.maxWait), triggers: 1, runs: 1 },
    }),
  )
}

async function triggerWith(
  session: Session,
  operation: OperationId,
  playbook: string,
  what: string,
  inputs: object,
): Promise<void> {
  if (!session.facts.hasStarted) return
  const change = { ...startOf(operation, playbook), body: JSON.stringify({ inputs }), relation: 'inputs' }
  const exchange = await send(session, operation, change)
  const { status, failure, isOutage } = exchange
  const title = `${operation} of ${playbook} with inputs that have ${what}`
  if (failure || isOutage || isRefused(status)) return
  if (isSuccess(status) || outcomeOf(exchange) === 'started') {
    session.add(successResults(exchange, title))
    return readStarted(session, playbook, exchange)
  }
  const details = { exchange, keyword: 'status', expected: '2xx or 400', actual: `${status}` }
  if (isServerError(status) || MISSING.has(status))
    session.add(failed(rules.triggers, `${title}: expected a 2xx or 400, got ${status}`, details))
  else session.add(failed(rules.inputValidation, `${title}: assumed a 2xx or 400, got ${status}`, details))
}

/** A run that was started can be read, sooner or later. Basis: S19, A43. */
async function readStarted(session: Session, playbook: string, exchange: Checked): Promise<void> {
  const { settings, transport } = session
  const started = startedRun(exchange)
  if (!started || !isChosen(settings, 'getRun')) return
  const run = new FollowedRun(started, playbook, settings.clock.now())
  for (;;) {
    const read = await send(session, 'getRun', { path: pathOf('getRun', run.id) })
    const age = settings.clock.now() - run.triggeredAt
    const isLate = read.status === STATUS.notFound && age < settings.maxWait
    if (!isLate) return read.isOutage ? undefined : session.add(firstPollResults(session, run, read))
    await transport.sleep(run.nextPause(), 'to read the run')
  }
}

/** With a status of the contract, as by a quota, a permission or another run, or by a gateway. */
const isRefused = (status: number): boolean => status !== OTHER_STATUS.unprocessable && refusalOf(status) !== undefined

const TEXT = 'Größe 漢字 👩‍💻'

/** The plainest first; a playbook may require the inputs that were given. */
const inputsLike = (given: RunInputs = {}): readonly (readonly [what: string, inputs: object])[] => [
  ['no value', {}],
  ['two texts, one of them not ASCII', { conformance: 'check', ...given, [Object.keys(given)[0] ?? 'order']: TEXT }],
  [
    'no, long, many and other than ASCII texts',
    {
      empty: '',
      '': 'check',
      long: 'x'.repeat(1_000),
      'größe 👩‍💻': '\u0001 漢字 👩‍💻 "quoted" \\ \n',
      ...Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`conformance_${index}`, 'check'])),
    },
  ],
  ['a number', { conformance: 42 }],
  ['null, an object and a list', { conformance: null, check: {}, checks: [] }],
]
