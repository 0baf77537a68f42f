import { operationNodes, type ParameterNode } from '../../../generated/conformance.js'
import { type OperationId, protocol } from '../../../generated/operations.js'
import { validateRequest } from '../../../generated/validators.js'
import { STATUS } from '../../internal/status.js'
import { hasId, isSuccess, probedOperations, readingOperations, sharedBasis } from '../contract.js'
import type { Exchange } from '../exchange.js'
import type { Ledger } from '../ledger.js'
import { quote, text } from '../message.js'
import { type Check, expectStatus, requestFor, type Session } from '../session.js'

/** Every header and query parameter with values that its schema forbids. */
export const malformedParameterChecks = (): Check[] =>
  probedOperations.flatMap((operation) =>
    operationNodes[operation].parameters
      .filter((parameter) => parameter.in !== 'path')
      .flatMap((parameter) =>
        malformedValues(operation, parameter).map((value) => malformedCheck(operation, parameter, value)),
      ),
  )

function malformedCheck(operation: OperationId, parameter: ParameterNode, value: string): Check {
  const what = `${operation} with ${parameter.name} "${value}"`
  return {
    name: what,
    requests: 1,
    async run(session) {
      const id = sharedBasis(operation, parameter.basis, STATUS.badRequest)
      if (id === undefined) return
      const exchange = await session.transport.send(requestFor(session, operation, parameterWith(parameter, value)))
      if (exchange.status === STATUS.notFound && hasId(operation))
        session.ledger.skipped(id, 'The service looks at the id before it looks at the parameters.')
      else expectStatus(session, exchange, { status: STATUS.badRequest, basis: id, what })
    },
  }
}

const parameterWith = ({ in: where, name }: ParameterNode, value: string) =>
  where === 'query' ? { query: { [name]: value } } : { headers: { [name]: value } }

/** Values that the validators refuse. */
const malformedValues = (operation: OperationId, { in: where, name, type }: ParameterNode): string[] =>
  (type === 'string' ? ['malformed'] : ['0', 'malformed']).filter((value) =>
    validateRequest(operation, { [where === 'query' ? 'query' : 'headers']: { [name]: value } }).some(
      (problem) => problem.in === where && problem.name === name,
    ),
  )

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
  const { ledger, facts, settings, transport } = session
  const headers = { [protocol.versionHeader]: version }
  const exchange = await transport.send(requestFor(session, operation, { headers }))
  const what = `${operation} pinned to ${version}`
  // What fails without a pin as well shows nothing of the pin.
  if (facts.bodies[operation] === undefined || exchange.failure) return
  if (isSuccess(exchange.status)) {
    ledger.passes('S40', `${what} gets ${exchange.status}`, exchange)
    ledger.passes('A26', `${what} gets ${exchange.status}, as it does without a pin`, exchange)
    facts.pin = settings.serviceVersion
    if (operation === 'getCurrentWorkspace') checkSameWorkspace(ledger, facts.bodies[operation], exchange)
  } else if (settings.serviceVersion !== undefined)
    ledger.fails('S40', `${what} must get what a request without a pin gets, and got ${exchange.status}`, exchange)
  else
    ledger.fails('A26', `${what}, which may be no release, got ${exchange.status}`, exchange, {
      keyword: 'status',
      fact: `a request pinned to ${version}, which may be no release, got ${exchange.status}`,
    })
}

/** Basis: S03. */
export function checkSameWorkspace(ledger: Ledger, before: unknown, exchange: Exchange): void {
  const ids = [before, exchange.body].map((body) => (Object(body) as { id?: unknown }).id)
  if (ids[0] === ids[1]) ledger.passes('S03', 'the key reads the same workspace each time', exchange)
  else ledger.fails('S03', text`the key reads the workspace ${quote(ids[0])}, then ${quote(ids[1])}`, exchange)
}
