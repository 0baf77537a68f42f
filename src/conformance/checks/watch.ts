import type { Run } from '../../../generated/types.js'
import { isSuccess } from '../contract.js'
import { quote, seconds, text } from '../message.js'
import {
  changeResults,
  historyResults,
  isFollowable,
  isTerminal,
  learnCapabilities,
  runResults,
  statusResults,
} from '../runs.js'
import type { Checked } from '../sender.js'
import { expectSuccess, requestFor, type Session } from '../session.js'

/** Polls a run until it ends or the wait is over, and records how it and its steps change. Basis: S21, A07, A08, A11. */
export async function watchRun(
  session: Session,
  playbook: string,
  { id, status }: { id: string; status: string | undefined },
): Promise<void> {
  const { settings, transport, ledger } = session
  const history: Run[] = []
  const from = settings.clock.now()
  let pause = FIRST_PAUSE
  let hasEnded = false
  for (;;) {
    const exchange = await transport.send(requestFor(session, 'getRun', { path: { id } }))
    if (!isPolled(session, exchange, id, history.length)) break
    if (isFollowable(exchange.body)) {
      const run = exchange.body
      noteRun(session, exchange, { run, id, playbook, previous: history.at(-1), status })
      history.push(run)
      if (hasEnded) break
      hasEnded = isTerminal(run.status)
    }
    const left = from + settings.maxWait - settings.clock.now()
    if (left <= 0) {
      const reason = text`After ${seconds(settings.maxWait)} the run was ${quote(history.at(-1)?.status ?? 'unknown')}. Wait longer.`
      for (const each of ['A05', 'A07'] as const) ledger.skipped(each, reason)
      break
    }
    await transport.sleep(Math.min(pause, left), hasEnded ? 'to see that the run changes no more' : 'to poll the run')
    pause = Math.min(pause * GROWTH, LONGEST_PAUSE)
  }
  ledger.add(historyResults(history), undefined)
}

/** Whether a poll got the run. Once it did, it has to stay there. Basis: S19, S21. */
function isPolled(session: Session, exchange: Checked, id: string, before: number): boolean {
  const { ledger, facts } = session
  if (before === 0) expectSuccess(session, exchange, 'getRun of the triggered run')
  else if (!isSuccess(exchange.status))
    ledger.fails('S21', `poll ${before + 1} of the run got ${exchange.status || 'no response'}`, exchange, {
      keyword: 'status',
    })
  if (isSuccess(exchange.status)) facts.runId = id
  return isSuccess(exchange.status)
}

interface Poll {
  run: Run
  id: string
  playbook: string
  previous: Run | undefined
  /** The status in the response to the trigger. */
  status: string | undefined
}

function noteRun({ ledger, facts }: Session, exchange: Checked, poll: Poll): void {
  const { run, id, playbook, previous, status } = poll
  learnCapabilities(facts, run)
  ledger.add(runResults(run, id, playbook), exchange)
  ledger.add(previous ? changeResults(previous, run) : statusResults(status, run.status), exchange)
}

/** How many polls fit into a wait, in ms. */
export function maxPolls(maxWait: number): number {
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
