import type { PlaybookList, TriggeredRun } from '../../../generated/types.js'
import { STATUS } from '../../internal/status.js'
import { isSuccess } from '../contract.js'
import type { Exchange } from '../exchange.js'
import type { Ledger } from '../ledger.js'
import { quote, text } from '../message.js'
import { notFound, type Settings } from '../options.js'
import { triggeredRunId } from '../semantics.js'
import type { Checked } from '../sender.js'
import { type Check, expectSuccess, type Session, triggerFor } from '../session.js'
import { maxPolls, watchRun } from './watch.js'

/** Triggers a run of the named playbook, a second one to tell them apart, and follows the first. */
export const triggerCheck = ({ maxWait }: Settings, playbook: string): Check => ({
  name: `triggerRun of ${playbook}, and the run to its end`,
  requests: 5,
  maxRequests: 2 + maxPolls(maxWait),
  runs: 2,
  async run(session) {
    const run = await trigger(session, playbook)
    if (!run) return
    await triggerAgain(session, playbook, run.id)
    await watchRun(session, playbook, run)
  },
})

interface Triggered {
  id: string
  status: string | undefined
}

async function trigger(session: Session, playbook: string): Promise<Triggered | undefined> {
  const { ledger, transport } = session
  const exchange = await transport.send(triggerFor(session, playbook))
  if (exchange.status === STATUS.notFound && !isListed(session, playbook)) throw notFound('playbook', 'trigger')
  const refusal = refusalOf(exchange)
  if (refusal !== undefined) {
    for (const id of ['S18', 'D02', 'A13', 'A14', 'A31', 'A34'] as const) ledger.skipped(id, refusal)
    noteRefusedInputs(session, exchange)
    return undefined
  }
  expectSuccess(session, exchange, text`triggerRun of ${quote(playbook)}`)
  return isSuccess(exchange.status) ? checkTriggered(ledger, exchange, playbook) : undefined
}

/** The run that a trigger started; undefined when its id is not in the response. Basis: D02, A14. */
export function checkTriggered(ledger: Ledger, exchange: Exchange, playbook: string): Triggered | undefined {
  const found = triggeredRunId(exchange)
  if (!found) return undefined
  ledger.passes('D02', text`the id of the run is in the response to its trigger: ${quote(found.id)}`, exchange)
  const { playbook_id: named, status } = Object(exchange.body) as Partial<TriggeredRun>
  if (named !== undefined && named !== playbook)
    ledger.fails(
      'A14',
      text`the response to a trigger of ${quote(playbook)} names the playbook ${quote(named)}`,
      exchange,
      {
        pointer: '/playbook_id',
      },
    )
  return { id: found.id, status: typeof status === 'string' ? status : undefined }
}

/** Whether the service itself names the playbook. */
const isListed = ({ facts }: Session, playbook: string): boolean =>
  (facts.bodies.listPlaybooks as PlaybookList | undefined)?.data.some(({ id }) => id === playbook) === true

/** Why a refusal shows nothing of the trigger; undefined when it is none that the service may give. */
function refusalOf({ status }: Checked): string | undefined {
  if (status === STATUS.badRequest || status === UNPROCESSABLE) return 'The playbook refused the inputs. Give others.'
  if (status === STATUS.forbidden || status === PAYMENT_REQUIRED || status === STATUS.rateLimited)
    return `The trigger was refused with ${status}: the key may lack the permission, or the run quota may be used up.`
  if (status === UNAVAILABLE) return `The trigger got ${status}, after which sending it again is not known to be safe.`
  return undefined
}

/** Basis: A22, A23. */
function noteRefusedInputs({ ledger }: Session, exchange: Checked): void {
  const { status } = exchange
  if (status === STATUS.badRequest)
    ledger.passes('A22', 'the inputs were refused with 400; give inputs that the playbook takes', exchange)
  else if (status === UNPROCESSABLE)
    ledger.fails('A22', `inputs that the playbook does not take are assumed to get 400, and got ${status}`, exchange, {
      keyword: 'status',
      fact: `inputs that the playbook does not take got ${status}`,
    })
  else ledger.skipped('A23', `A trigger was refused with ${status}. Whether the run quota is used up is not known.`)
}

/** RFC 9110, sections 15.5.21, 15.5.3 and 15.6.4. */
const UNPROCESSABLE = 422
const PAYMENT_REQUIRED = 402
const UNAVAILABLE = 503

/** Basis: A34. */
async function triggerAgain(session: Session, playbook: string, first: string): Promise<void> {
  const { ledger, transport } = session
  const exchange = await transport.send(triggerFor(session, playbook))
  const second = isSuccess(exchange.status) ? triggeredRunId(exchange)?.id : undefined
  if (second === undefined)
    ledger.skipped('A34', `The second trigger got ${exchange.status}, so two runs could not be told apart.`)
  else checkNewRun(ledger, exchange, second, new Set([first]))
}

/** That a trigger started another run than the triggers before. Basis: A34. */
export function checkNewRun(ledger: Ledger, exchange: Exchange, id: string, earlier: ReadonlySet<string>): void {
  if (earlier.has(id))
    ledger.fails('A34', text`two triggers started one run, ${quote(id)}`, exchange, { keyword: 'unique-id' })
  else if (earlier.size > 0) ledger.passes('A34', 'two triggers started two runs', exchange)
}
