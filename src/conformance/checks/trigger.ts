import type { PlaybookList, TriggeredRun } from '../../../generated/types.js'
import { STATUS } from '../../internal/status.js'
import { isSuccess } from '../contract.js'
import type { Exchange } from '../exchange.js'
import type { Ledger } from '../ledger.js'
import { type ConformanceSettings, notFound } from '../options.js'
import { quote, seconds, text } from '../result.js'
import { followRun, isFollowable, isTerminal } from '../runs.js'
import { triggeredRunId } from '../semantics.js'
import { type Check, expectStatus, expectSuccess, type Session, send, startOf } from '../session.js'
import { unlessLeftOut } from '../transport.js'
import type { Checked } from '../validate.js'

/** Triggers a run of the given playbook and a second one for comparison, and follows the first. */
export const triggerCheck = ({ maxWait }: ConformanceSettings, playbook: string): Check => ({
  name: `triggerRun of ${playbook}, and the run to its end`,
  requests: 5,
  maxRequests: 2 + maxPolls(maxWait),
  runs: 2,
  async run(session) {
    const run = await trigger(session, playbook)
    if (!run) return
    await unlessLeftOut(triggerAgain(session, playbook, run.id))
    await watchRun(session, playbook, run)
  },
})

async function trigger(session: Session, playbook: string): Promise<Triggered | undefined> {
  const { ledger, facts } = session
  const exchange = await send(session, 'triggerRun', startOf(playbook))
  const { status } = exchange
  facts.triggerStatus = status
  const listed = (facts.bodies.listPlaybooks as PlaybookList | undefined)?.data
  if (status === STATUS.notFound && !listed?.some(({ id }) => id === playbook)) throw notFound('playbook', 'trigger')
  const [refusals, refusal] = REFUSALS.find(([statuses]) => statuses.includes(status)) ?? []
  if (refusals) {
    ledger.skipped(['S18', 'D02', 'A13', 'A14', 'A31', 'A34'], `The trigger got ${status}: ${refusal}`)
    const what = 'a trigger with inputs that the playbook does not take'
    if (refusals === WRONG_INPUTS) expectStatus(session, exchange, { status: STATUS.badRequest, basis: 'A22', what })
    else ledger.skipped('A23', `A trigger was refused with ${status}. Whether the run quota is used up is not known.`)
    return undefined
  }
  expectSuccess(session, exchange, text`triggerRun of ${quote(playbook)}`)
  return isSuccess(status) ? checkTriggered(ledger, exchange, playbook) : undefined
}

/** The run that a trigger started; undefined when the response has no id. Basis: D02, A14. */
export function checkTriggered(ledger: Ledger, exchange: Exchange, playbook: string): Triggered | undefined {
  const found = triggeredRunId(exchange)
  if (!found) return undefined
  ledger.passes('D02', text`the id of the run is in the response to its trigger: ${quote(found.id)}`, exchange)
  const { playbook_id: named, status } = Object(exchange.body) as Partial<TriggeredRun>
  if (named !== undefined && named !== playbook) {
    const message = text`the response to a trigger of ${quote(playbook)} names the playbook ${quote(named)}`
    ledger.fails('A14', message, exchange, { pointer: '/playbook_id' })
  }
  return { id: found.id, status: typeof status === 'string' ? status : undefined }
}

const WRONG_INPUTS: readonly number[] = [STATUS.badRequest, 422]

/** Why a refusal that a service may give shows nothing of the trigger. RFC 9110, sections 15.5.3, 15.5.21 and 15.6.4. */
const REFUSALS: readonly (readonly [statuses: readonly number[], reason: string])[] = [
  [WRONG_INPUTS, 'the playbook refused the inputs. Give others.'],
  [[STATUS.forbidden, STATUS.rateLimited, 402], 'the key may lack the permission, or the run quota may be used up.'],
  [[502, 503, 504], 'sending it again is not known to be safe.'],
]

/** Basis: A34. */
async function triggerAgain(session: Session, playbook: string, first: string): Promise<void> {
  const { ledger } = session
  const exchange = await send(session, 'triggerRun', startOf(playbook))
  const second = isSuccess(exchange.status) ? triggeredRunId(exchange)?.id : undefined
  if (second === undefined)
    ledger.skipped('A34', `The second trigger got ${exchange.status}, so two runs could not be distinguished.`)
  else checkNewRun(ledger, exchange, second, new Set([first]))
}

/** Records that a trigger started another run than earlier triggers. Basis: A34. */
export function checkNewRun(ledger: Ledger, exchange: Exchange, id: string, earlier: ReadonlySet<string>): void {
  if (earlier.size === 0) return
  const isNew = !earlier.has(id)
  const message = text`two triggers started ${isNew ? 'two runs' : 'one run'}, the last of them ${quote(id)}`
  ledger.records('A34', isNew, message, exchange, { keyword: 'unique-id' })
}

/** Polls a run until it finishes or the time is over, and records how it changes. Basis: S21, A07, A08, A11. */
async function watchRun(session: Session, playbook: string, { id, status }: Triggered): Promise<void> {
  const { settings, transport, ledger, facts } = session
  const followed = followRun(ledger, facts, id, playbook, status)
  const end = settings.clock.now() + settings.maxWait
  let pause = FIRST_PAUSE
  let hasEnded = false
  for (let polls = 0; ; polls++) {
    const exchange = await send(session, 'getRun', { path: { id } })
    if (!isPolled(session, exchange, polls)) break
    facts.runId = id
    if (isFollowable(exchange.body)) followed.poll(exchange.body, exchange)
    if (hasEnded) break
    hasEnded = isTerminal(followed.last()?.status)
    const left = end - settings.clock.now()
    if (left <= 0) {
      const reason = text`After ${seconds(settings.maxWait)} the run was ${quote(followed.last()?.status ?? 'unknown')}. Wait longer.`
      ledger.skipped(['A05', 'A07'], reason)
      break
    }
    await transport.sleep(Math.min(pause, left), hasEnded ? 'to see that the run changes no more' : 'to poll the run')
    pause = Math.min(pause * GROWTH, LONGEST_PAUSE)
  }
  followed.end()
}

export interface Triggered {
  id: string
  status: string | undefined
}

/** Whether a poll returned the run. Once it did, every later one must. Basis: S19, S21. */
function isPolled(session: Session, exchange: Checked, before: number): boolean {
  const { status } = exchange
  if (before === 0) expectSuccess(session, exchange, 'getRun of the triggered run')
  else if (!isSuccess(status)) {
    const message = `poll ${before + 1} of the run got ${status || 'no response'}`
    session.ledger.fails('S21', message, exchange, { keyword: 'status' })
  }
  return isSuccess(status)
}

function maxPolls(maxWait: number): number {
  let polls = 2
  for (let pause = FIRST_PAUSE, at = 0; at < maxWait; pause = Math.min(pause * GROWTH, LONGEST_PAUSE)) {
    at += pause
    polls++
  }
  return polls
}

/** Between polls, in ms. */
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 5_000
const GROWTH = 1.5
