import { operationNodes, type ParameterNode } from '../../../generated/conformance.js'
import { type OperationId, operations, protocol } from '../../../generated/operations.js'
import { validateRequest } from '../../../generated/validators.js'
import { STATUS } from '../../internal/status.js'
import { isSuccess } from '../contract.js'
import type { Exchange } from '../exchange.js'
import { callOf, expectStatus, hasId, type Session, sharedBasis } from '../session.js'
import { quote } from '../text.js'
import type { Check } from './check.js'

/** Every header and query parameter with values that its schema forbids. */
export const malformedParameterChecks = (): Check[] =>
  (Object.keys(operations) as OperationId[]).flatMap((operation) =>
    operationNodes[operation].parameters
      .filter((parameter) => parameter.in !== 'path')
      .flatMap((parameter) =>
        malformedValues(operation, parameter).map((value) => malformedCheck(operation, parameter, value)),
      ),
  )

function malformedCheck(operation: OperationId, parameter: ParameterNode, value: string): Check {
  const what = `${operation} with ${parameter.name} ${quote(value)}`
  return {
    name: what,
    requests: 1,
    async run(session) {
      const id = sharedBasis(operation, parameter.basis, STATUS.badRequest)
      if (id === undefined) return
      const answer = await session.transport.send(callOf(session, operation, parameterWith(parameter, value)))
      if (answer.status === STATUS.notFound && hasId(operation))
        session.ledger.skips(id, 'The service looks at the id before it looks at the parameters.')
      else expectStatus(session, answer, { status: STATUS.badRequest, basis: id, what })
    },
  }
}

const parameterWith = ({ in: place, name }: ParameterNode, value: string) =>
  place === 'query' ? { query: { [name]: value } } : { headers: { [name]: value } }

/** Values that the contract forbids, by the contract's own judgement. */
const malformedValues = (operation: OperationId, { in: place, name, type }: ParameterNode): string[] =>
  (type === 'string' ? ['malformed'] : ['0', 'malformed']).filter((value) =>
    validateRequest(operation, { [place === 'query' ? 'query' : 'headers']: { [name]: value } }).some(
      (problem) => problem.in === place && problem.name === name,
    ),
  )

/** A version pin where no id is needed: it has to be taken. Basis: S40, A26. */
export const pinChecks = (): Check[] =>
  (Object.keys(operations) as OperationId[])
    .filter((operation) => operations[operation].method === 'GET' && !hasId(operation))
    .flatMap((operation) =>
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
  const answer = await transport.send(callOf(session, operation, { headers: { [protocol.versionHeader]: version } }))
  const what = `${operation} pinned to ${version}`
  // What fails without a pin as well says nothing of the pin.
  if (facts.bodies[operation] === undefined || !answer.response) return
  if (isSuccess(answer.status)) {
    ledger.holds('S40', `${what} is answered ${answer.status}`, answer)
    ledger.holds('A26', `${what} is answered ${answer.status}, as it is without a pin`, answer)
    if (operation === 'getCurrentWorkspace') checkSameWorkspace(session, answer)
  } else if (settings.serviceVersion !== undefined)
    ledger.breaks(
      'S40',
      `${what} must be answered like a request without a pin, and was answered ${answer.status}`,
      answer,
    )
  else ledger.breaks('A26', `${what}, which may be no release, was answered ${answer.status}`, answer)
}

/** Basis: S03. */
function checkSameWorkspace({ ledger, facts }: Session, answer: Exchange): void {
  const ids = [facts.bodies[answer.operation], answer.body].map((body) => (body as { id?: unknown } | undefined)?.id)
  if (ids[0] === ids[1]) ledger.holds('S03', 'the key was answered the same workspace each time', answer)
  else ledger.breaks('S03', `the key was answered the workspace ${quote(ids[0])}, then ${quote(ids[1])}`, answer)
}
