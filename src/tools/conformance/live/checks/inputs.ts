import { rules } from '../../../../../generated/contract.js'
import type { RunInputs } from '../../../../../generated/types.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { isChosen, isServerError, isSuccess, OTHER_STATUS, READ_RUN, TRIGGER } from '../../judge/contract.js'
import type { JudgedExchange } from '../../judge/judge.js'
import { failed, passed, type Result, skipped } from '../../judge/result.js'
import { FollowedRun, maxPolls } from '../../judge/runs.js'
import { MISSING, successResults } from '../../judge/status.js'
import { outcomeOf, refusalOf, startedRun } from '../../judge/triggers.js'
import { type Check, isWithin } from '../check.js'
import { bodyWith, startOf } from '../request.js'
import type { Session } from '../session.js'
import { firstPollResults, isTriggered } from './follow.js'

/**
 * Values that a playbook may refuse with 400 and must not fail at, sent to one that exists: each may start a run. Whether they
 * are strings decides nothing, because how inputs are checked is not shown. Basis: S13, S26.
 */
export const inputs: Check = {
  name: 'inputs',
  needs: isTriggered,
  cost(settings) {
    const { length } = chosen(settings)
    return { requests: 2 * length, most: length * (8 + maxPolls(settings.maxWait)), triggers: length, runs: length }
  },
  async *run(session) {
    for (const [what, values, headers] of chosen(session.settings))
      yield await triggerWith(session, what, values, headers)
  },
}

/** The plainest first, which belongs to every check. */
const chosen = (settings: Parameters<Check['cost']>[0]) =>
  inputsLike(settings.inputs).slice(0, isWithin('normal', settings) ? undefined : 1)

async function triggerWith(
  session: Session,
  what: string,
  values: object,
  headers?: Record<string, string>,
): Promise<Result[]> {
  const [playbook = ''] = session.settings.triggers
  if (!session.known.hasStarted) return []
  const exchange = await session.send({ ...startOf(playbook), body: bodyWith(values), ...(headers && { headers }) })
  const { status, failure, isOutage } = exchange
  const title = `${TRIGGER} of ${playbook} with inputs that have ${what}`
  if (failure || isOutage || (isRefused(status) && status !== STATUS.badRequest))
    return skipped(
      rules.inputValidation,
      `${title} got ${failure ? 'no response' : status}, which shows nothing of them.`,
    )
  if (status === STATUS.badRequest) return [passed(rules.inputValidation, `${title} gets ${status}`, { exchange })]
  if (!Object.values(values).every((value) => typeof value === 'string') && isSuccess(status))
    session.remark(
      `${TRIGGER} accepts inputs that are no strings (S13). Whether it has to refuse them is not stated (A22).`,
    )
  if (isSuccess(status) || outcomeOf(exchange) === 'started')
    return [...successResults(exchange, title), ...(await readStarted(session, playbook, exchange))]
  const details = { exchange, keyword: 'status', expected: '2xx or 400', actual: `${status}` }
  return isServerError(status) || MISSING.has(status)
    ? [failed(rules.triggers, `${title}: expected a 2xx or 400, got ${status}`, details)]
    : [failed(rules.inputValidation, `${title}: assumed a 2xx or 400, got ${status}`, details)]
}

/** A run that was started can be read, sooner or later. Basis: S19, A43. */
async function readStarted(session: Session, playbook: string, exchange: JudgedExchange): Promise<readonly Result[]> {
  const { settings } = session
  const started = startedRun(exchange)
  if (!started || !isChosen(settings, READ_RUN)) return []
  const run = new FollowedRun(started, playbook, settings.clock.now())
  for (;;) {
    const read = await session.send({ operation: READ_RUN, id: run.id })
    const age = settings.clock.now() - run.triggeredAt
    const isLate = read.status === STATUS.notFound && age < settings.maxWait
    if (!isLate) return read.isOutage ? [] : firstPollResults(session, run, read)
    await session.sleep(run.nextPause(), 'to read the run')
  }
}

/** With a status of the contract, as by a quota, a permission or another run, or by a gateway. */
const isRefused = (status: number): boolean => status !== OTHER_STATUS.unprocessable && refusalOf(status) !== undefined

const UNICODE_TEXT = 'Größe 漢字 👩‍💻'

/** A playbook may require the inputs that were given. */
const inputsLike = (
  given: RunInputs = {},
): readonly (readonly [what: string, inputs: object, headers?: Record<string, string>])[] => [
  ['no value', {}],
  [
    'two texts, one of them not ASCII',
    { conformance: 'check', ...given, [Object.keys(given)[0] ?? 'order']: UNICODE_TEXT },
    // What .NET and many clients in Java send.
    { 'content-type': 'application/json; charset=utf-8' },
  ],
  [
    'no, long, many and other than ASCII texts',
    {
      empty: '',
      '': 'check',
      long: 'x'.repeat(1_000),
      'größe 👩‍💻': '\u0001 漢字 👩‍💻 "quoted" \\ \n',
      // What breaks services most often: SQL, format strings, templates, and names that are paths or belong to objects.
      apostrophe: "it's",
      format: '100 % %s %d',
      template: `{{conformance}} \${conformance} <%= conformance %>`,
      'conformance.check': 'check',
      $conformance: 'check',
      ...JSON.parse('{"__proto__":"check","constructor":"check"}'),
      ...Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`conformance_${index}`, 'check'])),
    },
  ],
  ['a number', { conformance: 42 }],
  ['null, an object and a list', { conformance: null, check: {}, checks: [] }],
]
