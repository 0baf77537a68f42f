import { operationNodes } from '../../../generated/conformance.js'
import type { BasisId, OperationId } from '../../../generated/operations.js'
import { validateRequest } from '../../../generated/validators.js'
import type { ParameterNode } from '../../internal/contract-nodes.js'
import { STATUS } from '../../internal/status.js'
import { errorBasis, hasId, probedOperations, sharedBasis } from '../contract.js'
import type { RequestSpec } from '../exchange.js'
import type { Settings } from '../options.js'
import { bearer, type Check, expectStatus, type Session, send } from '../session.js'

/** A request that differs from a right one in one respect, and the status that it must get. */
interface Probe {
  operation: OperationId
  /** How it differs, for people. */
  what: string
  change: Partial<RequestSpec>
  status: number
  /** The entry that the status rests on; without one nothing is tried. */
  basis: BasisId | undefined
}

/** Every operation with wrong credentials, ids, headers and query parameters. What exists is not touched. */
export const probeChecks = ({ apiKey, hobbyKey }: Settings): Check[] =>
  [
    ...probedOperations.flatMap((operation) => credentialProbes(operation, apiKey)),
    ...probedOperations.filter(hasId).map(unknownIdProbe),
    ...probedOperations.flatMap(parameterProbes),
    ...(hobbyKey === undefined ? [] : [hobbyProbe(hobbyKey)]),
  ].map((probe) => ({
    name: `${probe.operation} ${probe.what}`,
    requests: 1,
    run: (session) => tryOut(session, probe),
  }))

async function tryOut(session: Session, { operation, what, change, status, basis }: Probe): Promise<void> {
  if (basis === undefined) return
  const exchange = await send(session, operation, change)
  if (status === STATUS.badRequest && exchange.status === STATUS.notFound && hasId(operation))
    session.ledger.skipped(basis, 'The service looks at the id before it looks at the parameters.')
  else expectStatus(session, exchange, { status, basis, what: `${operation} ${what}` })
}

function credentialProbes(operation: OperationId, apiKey: string, id?: string): Probe[] {
  const refused = errorBasis(operation, STATUS.unauthorized)
  const otherCase = swapCase(apiKey)
  const credentials: [what: string, authorization: string | null, basis?: BasisId][] = [
    ['without a key', null],
    ['with a malformed key', 'Bearer'],
    ['with a wrong key', bearer('conformance-check-wrong-key')],
    ['with the key and more behind it', bearer(`${apiKey}0`)],
    ['with the key in another case', bearer(otherCase)],
    ['with the key in another scheme', `Token ${apiKey}`, 'S23'],
  ]
  return credentials
    .filter(([, authorization]) => authorization !== bearer(apiKey))
    .map(([what, authorization, basis = refused]) => ({
      operation,
      what: id === undefined ? what : `of an id that exists ${what}`,
      change: { authorization, ...(id !== undefined && { path: { id } }) },
      status: STATUS.unauthorized,
      basis,
    }))
}

/** Small letters as capitals and the other way round. */
export const swapCase = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))

/** Wrong credentials with the run and the playbook that exist. A trigger that is accepted starts a run, so it is tried on request only. */
export function realAuthChecks({ run, trigger, apiKey }: Settings): Check[] {
  const check = (operation: OperationId, noun: string, idOf: (session: Session) => string | undefined): Check => ({
    name: `${operation} of a ${noun} that exists, with credentials that are wrong`,
    requests: credentialProbes(operation, apiKey).length,
    async run(session) {
      const id = idOf(session)
      if (id !== undefined) for (const each of credentialProbes(operation, apiKey, id)) await tryOut(session, each)
    },
  })
  return [
    ...((run ?? trigger) === undefined ? [] : [check('getRun', 'run', ({ facts }) => facts.runId)]),
    ...(trigger === undefined ? [] : [check('triggerRun', 'playbook', () => trigger)]),
  ]
}

/** A trigger of what does not exist starts nothing. */
const unknownIdProbe = (operation: OperationId): Probe => ({
  operation,
  what: 'with an id that does not exist',
  change: {},
  status: STATUS.notFound,
  basis: errorBasis(operation, STATUS.notFound),
})

/** Every header and query parameter with values that the validators refuse. */
const parameterProbes = (operation: OperationId): Probe[] =>
  operationNodes[operation].parameters
    .filter((parameter) => parameter.in !== 'path')
    .flatMap((parameter) =>
      ['0', 'malformed']
        .filter((value) => isRefused(operation, parameter, value))
        .map((value) => ({
          operation,
          what: `with ${parameter.name} "${value}"`,
          change: parameterWith(parameter, value),
          status: STATUS.badRequest,
          basis: sharedBasis(operation, parameter.basis, STATUS.badRequest),
        })),
    )

const parameterWith = ({ in: where, name }: ParameterNode, value: string) =>
  where === 'query' ? { query: { [name]: value } } : { headers: { [name]: value } }

const isRefused = (operation: OperationId, parameter: ParameterNode, value: string): boolean =>
  (value !== '0' || parameter.type !== 'string') &&
  validateRequest(operation, parameterWith(parameter, value)).some(({ name }) => name === parameter.name)

/** Basis: A18. */
const hobbyProbe = (key: string): Probe => ({
  operation: 'getCurrentWorkspace',
  what: 'with the key of a plan without API access',
  change: { authorization: bearer(key) },
  status: STATUS.forbidden,
  basis: 'A18',
})
