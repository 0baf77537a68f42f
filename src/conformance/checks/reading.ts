import { operationNodes } from '../../../generated/conformance.js'
import { type OperationId, protocol } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { isSuccess, readingOperations } from '../contract.js'
import type { Exchange } from '../exchange.js'
import type { Ledger } from '../ledger.js'
import { quote, text } from '../message.js'
import { notFound } from '../options.js'
import { isFollowable, learnCapabilities, runResults } from '../runs.js'
import { type Check, expectSuccess, type Session, send } from '../session.js'
import { checkFirstPage } from './paging.js'

/** Reads what can be read without an id. */
export const readingChecks = (): Check[] =>
  readingOperations.map((operation) => ({
    name: `${operation} with the key`,
    requests: 1,
    async run(session) {
      const exchange = await send(session, operation)
      if (expectSuccess(session, exchange, operation)) checkFirstPage(session, exchange)
    },
  }))

/** Reads the run that was named. */
export const runCheck = (run: string): Check => ({
  name: `getRun of ${run}`,
  requests: 1,
  async run(session) {
    const exchange = await send(session, 'getRun', { path: { id: run } })
    if (exchange.status === STATUS.notFound) throw notFound('run', 'run')
    if (!expectSuccess(session, exchange, 'getRun')) return
    session.facts.runId = run
    if (!isFollowable(exchange.body)) return
    learnCapabilities(session.facts, exchange.body)
    session.ledger.add(runResults(exchange.body, run), exchange)
  },
})

/** A version pin where no id is needed: it has to be accepted. Basis: S40, A26. */
export const pinChecks = (): Check[] =>
  readingOperations.flatMap((operation) =>
    operationNodes[operation].parameters
      .filter(({ name }) => name === protocol.versionHeader)
      .map(({ example }) => ({
        name: `${operation} pinned to a release`,
        requests: 1,
        run: (session) => checkPin(session, operation, session.settings.serviceVersion ?? String(example)),
      })),
  )

async function checkPin(session: Session, operation: OperationId, version: string): Promise<void> {
  const { ledger, facts, settings } = session
  const exchange = await send(session, operation, { headers: { [protocol.versionHeader]: version } })
  const { status } = exchange
  const what = `${operation} pinned to ${version}`
  // What fails without a pin as well shows nothing of the pin.
  if (facts.bodies[operation] === undefined || exchange.failure) return
  if (isSuccess(status)) {
    ledger.passes('S40', `${what} gets ${status}`, exchange)
    ledger.passes('A26', `${what} gets ${status}, as it does without a pin`, exchange)
    facts.pin = settings.serviceVersion
    if (operation === 'getCurrentWorkspace') checkSameWorkspace(ledger, facts.bodies[operation], exchange)
  } else if (settings.serviceVersion !== undefined)
    ledger.fails('S40', `${what} must get what a request without a pin gets, and got ${status}`, exchange)
  else {
    const fact = `a request pinned to ${version}, which may be no release, got ${status}`
    ledger.fails('A26', `${what}, which may be no release, got ${status}`, exchange, { keyword: 'status', fact })
  }
}

/** Basis: S03. */
export function checkSameWorkspace(ledger: Ledger, before: unknown, exchange: Exchange): void {
  const ids = [before, exchange.body].map((body) => (Object(body) as { id?: unknown }).id)
  if (ids[0] === ids[1]) ledger.passes('S03', 'the key reads the same workspace each time', exchange)
  else ledger.fails('S03', text`the key reads the workspace ${quote(ids[0])}, then ${quote(ids[1])}`, exchange)
}
