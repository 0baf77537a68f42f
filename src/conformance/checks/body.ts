import { operationNodes, type SchemaNode, schemaNodes } from '../../../generated/conformance.js'
import { type BasisId, type OperationId, operations } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import type { Exchange } from '../exchange.js'
import { callOf, errorBasis, expectStatus, requestBody, type Session, sharedBasis, unanswered } from '../session.js'
import type { Check } from './check.js'

/** Every operation with a body, with bodies that the contract forbids. */
export const bodyChecks = (): Check[] =>
  (Object.keys(operations) as OperationId[]).flatMap((operation) =>
    malformedBodies(operation).map((malformed) => ({
      name: `${operation} with ${malformed.what}`,
      requests: 1,
      run: (session) => checkBody(session, operation, malformed),
    })),
  )

interface Malformed {
  what: string
  text(session: Session): string
  /** The entry that the refusal rests on; default the one of a wrong body. */
  basis?: BasisId | undefined
  /** An entry that a refusal shows as well. */
  shows?: BasisId | undefined
}

/** It goes to an id that does not exist, so that nothing is started; to the named playbook only if that tells nothing. */
async function checkBody(session: Session, operation: OperationId, malformed: Malformed): Promise<void> {
  const { ledger, settings, transport } = session
  const id = malformed.basis ?? errorBasis(operation, STATUS.badRequest)
  if (id === undefined) return
  const body = malformed.text(session)
  const what = `${operation} with ${malformed.what}`
  let answer: Exchange = await transport.send(callOf(session, operation, { body }))
  if (answer.status === STATUS.notFound) {
    if (settings.trigger === undefined)
      return ledger.skips(id, 'The service looks at the id before it looks at the body. Name a playbook to trigger.')
    const call = callOf(session, operation, { body, path: { id: settings.trigger } })
    answer = await transport.send(call, { repeat: false })
  }
  if (answer.failure) return unanswered(ledger, id, what, answer)
  if (expectStatus(session, answer, { status: STATUS.badRequest, basis: id, what }) && malformed.shows)
    ledger.holds(malformed.shows, `${what} is refused`, answer)
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
    { what: 'a body that is no JSON', text: (session) => JSON.stringify(valid(session)).slice(0, -1) },
    change('a body that is no object', () => 'conformance check'),
    ...(node.required ?? []).map((name) => change(`a body without ${name}`, ({ [name]: _, ...rest }) => rest)),
    ...Object.entries(node.properties ?? {}).flatMap(([name, { schema }]) => {
      const own: SchemaNode | undefined = schemaNodes[schema ?? '']
      return [
        change(`a body whose ${name} is no object`, (body) => ({ ...body, [name]: 'conformance check' })),
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
