import { type OperationId, operations } from '../../../generated/operations.js'
import { noteRun } from '../facts.js'
import { callOf, expectSuccess, hasId } from '../session.js'
import type { Check } from './check.js'
import { checkPage } from './paging.js'

/** Reads what can be read without an id. */
export const readingChecks = (): Check[] =>
  (Object.keys(operations) as OperationId[])
    .filter((operation) => operations[operation].method === 'GET' && !hasId(operation))
    .map((operation) => ({
      name: `${operation} with the key`,
      requests: 1,
      async run(session) {
        const answer = await session.transport.send(callOf(session, operation))
        if (expectSuccess(session, answer, operation) && 'paged' in operations[operation]) checkPage(session, answer)
      },
    }))

/** Reads the run that was named. */
export const runCheck = (run: string): Check => ({
  name: `getRun of ${run}`,
  requests: 1,
  async run(session) {
    const answer = await session.transport.send(callOf(session, 'getRun', { path: { id: run } }))
    if (!expectSuccess(session, answer, 'getRun')) return
    session.facts.runId = run
    noteRun(session, answer, run)
  },
})
