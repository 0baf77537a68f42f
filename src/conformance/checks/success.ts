import { readingOperations } from '../contract.js'
import { isFollowable, learnCapabilities, runResults } from '../runs.js'
import { type Check, expectSuccess, requestFor } from '../session.js'
import { checkFirstPage } from './paging.js'

/** Reads what can be read without an id. */
export const readingChecks = (): Check[] =>
  readingOperations.map((operation) => ({
    name: `${operation} with the key`,
    requests: 1,
    async run(session) {
      const exchange = await session.transport.send(requestFor(session, operation))
      if (expectSuccess(session, exchange, operation)) checkFirstPage(session, exchange)
    },
  }))

/** Reads the run that was named. */
export const runCheck = (run: string): Check => ({
  name: `getRun of ${run}`,
  requests: 1,
  async run(session) {
    const exchange = await session.transport.send(requestFor(session, 'getRun', { path: { id: run } }))
    if (!expectSuccess(session, exchange, 'getRun')) return
    session.facts.runId = run
    if (!isFollowable(exchange.body)) return
    learnCapabilities(session.facts, exchange.body)
    session.ledger.add(runResults(exchange.body, run), exchange)
  },
})
