import { type OperationId, operations } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { callOf, errorBasis, expectStatus } from '../session.js'
import type { Check } from './check.js'

/** Every operation that takes an id, with one that does not exist. A trigger of it starts nothing. */
export const unknownIdChecks = (): Check[] =>
  (Object.keys(operations) as OperationId[]).flatMap((operation) => {
    const id = errorBasis(operation, STATUS.notFound)
    const what = `${operation} with an id that does not exist`
    return id === undefined
      ? []
      : [
          {
            name: what,
            requests: 1,
            async run(session) {
              const answer = await session.transport.send(callOf(session, operation))
              expectStatus(session, answer, { status: STATUS.notFound, basis: id, what })
            },
          },
        ]
  })
