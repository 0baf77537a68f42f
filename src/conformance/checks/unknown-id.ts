import { STATUS } from '../../internal/status.js'
import { errorBasis, hasId, probedOperations } from '../contract.js'
import { type Check, expectStatus, requestFor } from '../session.js'

/** Every operation that takes an id, with one that does not exist. A trigger of it starts nothing. */
export const unknownIdChecks = (): Check[] =>
  probedOperations.filter(hasId).flatMap((operation) => {
    const id = errorBasis(operation, STATUS.notFound)
    if (id === undefined) return []
    const what = `${operation} with an id that does not exist`
    return [
      {
        name: what,
        requests: 1,
        async run(session) {
          const exchange = await session.transport.send(requestFor(session, operation))
          expectStatus(session, exchange, { status: STATUS.notFound, basis: id, what })
        },
      },
    ]
  })
