import { operationNodes, schemaNodes } from '../../../generated/conformance.js'
import type { BasisId, OperationId } from '../../../generated/operations.js'
import type { SchemaNode } from '../../internal/contract-nodes.js'
import { STATUS } from '../../internal/status.js'
import { errorBasis, isSuccess, probedOperations, sharedBasis } from '../contract.js'
import { type Check, expectStatus, noResponse, requestBody, requestFor, type Session } from '../session.js'

/** Every operation with a body, with bodies that the contract forbids. */
export const bodyChecks = (): Check[] =>
  probedOperations.flatMap((operation) =>
    malformedBodies(operation).map((malformed) => ({
      name: `${operation} with ${malformed.what}`,
      requests: 1,
      maxRequests: 2,
      run: (session) => checkBody(session, operation, malformed),
    })),
  )

interface Malformed {
  what: string
  text(session: Session): string
  /** The entry that the refusal rests on; default the one of a wrong body. */
  basis?: BasisId | undefined
  /** An entry that a refusal shows, and that an acceptance does not fail. */
  shows?: BasisId | undefined
}

/** It goes to an id that does not exist, so that nothing is started; to the named playbook only if that shows nothing. */
async function checkBody(session: Session, operation: OperationId, malformed: Malformed): Promise<void> {
  const { ledger, settings, transport } = session
  const id = malformed.basis ?? errorBasis(operation, STATUS.badRequest)
  if (id === undefined) return
  const body = malformed.text(session)
  const what = `${operation} with ${malformed.what}`
  let exchange = await transport.send(requestFor(session, operation, { body }))
  if (exchange.status === STATUS.notFound && malformed.shows === undefined) {
    if (settings.trigger === undefined)
      return ledger.skipped(id, 'The service looks at the id before it looks at the body. Name a playbook to trigger.')
    exchange = await transport.send(requestFor(session, operation, { body, path: { id: settings.trigger } }))
  }
  if (exchange.failure) return noResponse(ledger, id, what, exchange)
  if (malformed.shows === undefined) expectStatus(session, exchange, { status: STATUS.badRequest, basis: id, what })
  else if (exchange.status === STATUS.badRequest) ledger.passes(malformed.shows, `${what} is refused`, exchange)
  else if (isSuccess(exchange.status) || exchange.status === STATUS.notFound)
    ledger.skipped(malformed.shows, 'How inputs are checked is not shown, and a number as an input was not refused.')
}

function malformedBodies(operation: OperationId): Malformed[] {
  const node = schemaNodes[operationNodes[operation].request ?? '']
  if (!node) return []
  const valid = (session: Session) => requestBody(session.settings) as unknown as Record<string, unknown>
  const change = (what: string, changed: (body: Record<string, unknown>) => unknown): Malformed => ({
    what,
    text: (session) => JSON.stringify(changed(valid(session))),
  })
  return [
    { what: 'a body that is not JSON', text: (session) => JSON.stringify(valid(session)).slice(0, -1) },
    change('a body that is not an object', () => 'conformance check'),
    ...(node.required ?? []).map((name) => change(`a body without ${name}`, ({ [name]: _, ...rest }) => rest)),
    ...Object.entries(node.properties ?? {}).flatMap(([name, { schema }]) => {
      const own: SchemaNode | undefined = schemaNodes[schema ?? '']
      return [
        change(`a body whose ${name} is not an object`, (body) => ({ ...body, [name]: 'conformance check' })),
        ...(own?.valueType === 'string'
          ? [
              {
                ...change(`a body whose ${name} hold a number`, (body) => ({ ...body, [name]: { conformance: 42 } })),
                shows: own.basis[0],
              },
            ]
          : []),
      ]
    }),
    {
      ...change('a body that has an unknown property', (body) => ({ ...body, conformance_check: {} })),
      basis: sharedBasis(operation, node.basis, STATUS.badRequest),
    },
  ]
}
