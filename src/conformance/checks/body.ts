import { operationNodes, schemaNodes } from '../../../generated/conformance.js'
import type { BasisId, OperationId } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { errorBasis, isSuccess, probedOperations, sharedBasis } from '../contract.js'
import type { Settings } from '../options.js'
import { type Check, expectStatus, noResponse, requestBody, type Session, send } from '../session.js'

/** Every operation with a body, with bodies that the contract forbids. */
export const bodyChecks = (settings: Settings): Check[] =>
  probedOperations.flatMap((operation) =>
    malformedBodies(operation, settings).map((malformed) => ({
      name: `${operation} with ${malformed.what}`,
      requests: 1,
      maxRequests: 2,
      run: (session) => checkBody(session, operation, malformed),
    })),
  )

interface Malformed {
  what: string
  body: string
  /** The entry that the refusal rests on. */
  basis: BasisId | undefined
  /** Whether a refusal confirms the entry, and an acceptance shows nothing. */
  isOptional?: boolean
}

/** It goes to an id that does not exist, so that nothing is started; to the named playbook only if that shows nothing. */
async function checkBody(session: Session, operation: OperationId, malformed: Malformed): Promise<void> {
  const { ledger, settings } = session
  const { basis, body, isOptional } = malformed
  if (basis === undefined) return
  const what = `${operation} with ${malformed.what}`
  let exchange = await send(session, operation, { body })
  if (exchange.status === STATUS.notFound && !isOptional) {
    if (settings.trigger === undefined)
      return ledger.skipped(
        basis,
        'The service looks at the id before it looks at the body. Name a playbook to trigger.',
      )
    exchange = await send(session, operation, { body, path: { id: settings.trigger } })
  }
  if (exchange.failure) noResponse(ledger, basis, what, exchange)
  else if (!isOptional) expectStatus(session, exchange, { status: STATUS.badRequest, basis, what })
  else if (exchange.status === STATUS.badRequest) ledger.passes(basis, `${what} is refused`, exchange)
  else if (isSuccess(exchange.status) || exchange.status === STATUS.notFound)
    ledger.skipped(basis, 'How inputs are checked is not shown, and a number as an input was not refused.')
}

function malformedBodies(operation: OperationId, settings: Settings): Malformed[] {
  const node = schemaNodes[operationNodes[operation].request ?? '']
  if (!node) return []
  const valid = requestBody(settings)
  const refused = errorBasis(operation, STATUS.badRequest)
  const malformed = (what: string, body: unknown, basis = refused, isOptional = false): Malformed => ({
    what,
    body: JSON.stringify(body),
    basis,
    isOptional,
  })
  const without = (name: string) => Object.fromEntries(Object.entries(valid).filter(([key]) => key !== name))
  return [
    { what: 'a body that is not JSON', body: JSON.stringify(valid).slice(0, -1), basis: refused },
    malformed('a body that is not an object', 'conformance check'),
    ...(node.required ?? []).map((name) => malformed(`a body without ${name}`, without(name))),
    ...Object.entries(node.properties ?? {}).flatMap(([name, { schema = '' }]) => {
      const { valueType, basis: [own] = [] } = schemaNodes[schema] ?? {}
      const numbers = { ...valid, [name]: { conformance: 42 } }
      return [
        malformed(`a body whose ${name} is not an object`, { ...valid, [name]: 'conformance check' }),
        ...(valueType === 'string' ? [malformed(`a body whose ${name} hold a number`, numbers, own, true)] : []),
      ]
    }),
    malformed(
      'a body that has an unknown property',
      { ...valid, conformance_check: {} },
      sharedBasis(operation, node.basis, STATUS.badRequest) ?? refused,
    ),
  ]
}
