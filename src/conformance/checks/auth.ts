import { type OperationId, operations } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { bearer, callOf, errorBasis, expectStatus } from '../session.js'
import type { Check } from './check.js'

/** Every operation without a key, with a header that holds none, and with a key that nobody has given out. */
export const authChecks = (): Check[] =>
  (Object.keys(operations) as OperationId[]).flatMap((operation) => {
    const id = errorBasis(operation, STATUS.unauthorized)
    return id === undefined
      ? []
      : CREDENTIALS.map(({ what, authorization }) => ({
          name: `${operation} ${what}`,
          requests: 1,
          async run(session) {
            const answer = await session.transport.send(callOf(session, operation, { authorization }))
            expectStatus(session, answer, { status: STATUS.unauthorized, basis: id, what: `${operation} ${what}` })
          },
        }))
  })

const CREDENTIALS = [
  { what: 'without a key', authorization: null },
  { what: 'with a malformed key', authorization: 'Bearer' },
  { what: 'with a wrong key', authorization: bearer('conformance-check-wrong-key') },
]
