import type { BasisId, OperationId } from '../../../generated/operations.js'
import { STATUS } from '../../internal/status.js'
import { errorBasis, probedOperations } from '../contract.js'
import type { RequestSpec } from '../exchange.js'
import type { Settings } from '../options.js'
import { bearer, type Check, expectStatus, requestFor, type Session } from '../session.js'

/** Every operation with credentials that must be refused, with ids that do not exist. */
export const authChecks = (settings: Settings): Check[] =>
  probedOperations.flatMap((operation) =>
    credentialsOf(settings).map((credentials) => ({
      name: `${operation} ${credentials.what}`,
      requests: 1,
      run: (session) => expectRefusal(session, operation, credentials, {}),
    })),
  )

/** The same with the run and the playbook that exist. A trigger that is accepted starts a run, so it is tried on request only. */
export function realAuthChecks({ run, trigger, apiKey }: Settings): Check[] {
  const all = credentialsOf({ apiKey })
  const read: Check = {
    name: 'getRun of a run that exists, with credentials that are wrong',
    requests: all.length,
    async run(session) {
      const { runId: id } = session.facts
      if (id === undefined) return
      for (const credentials of all) await expectRefusal(session, 'getRun', credentials, { path: { id } })
    },
  }
  const start: Check = {
    name: 'triggerRun of a playbook that exists, with credentials that are wrong',
    requests: all.length,
    async run(session) {
      const id = trigger ?? ''
      for (const credentials of all) await expectRefusal(session, 'triggerRun', credentials, { path: { id } })
    },
  }
  return [...((run ?? trigger) === undefined ? [] : [read]), ...(trigger === undefined ? [] : [start])]
}

interface Credentials {
  what: string
  authorization: string | null
  /** The entry that a refusal rests on; default the one of a 401. */
  basis?: BasisId
}

const credentialsOf = ({ apiKey }: Pick<Settings, 'apiKey'>): Credentials[] => [
  { what: 'without a key', authorization: null },
  { what: 'with a malformed key', authorization: 'Bearer' },
  { what: 'with a wrong key', authorization: bearer('conformance-check-wrong-key') },
  { what: 'with the key and more behind it', authorization: bearer(`${apiKey}0`) },
  ...(swapCase(apiKey) === apiKey
    ? []
    : [{ what: 'with the key in another case', authorization: bearer(swapCase(apiKey)) }]),
  { what: 'with the key in another scheme', authorization: `Token ${apiKey}`, basis: 'S23' as const },
]

/** Small letters as capitals and the other way round. */
export const swapCase = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))

async function expectRefusal(
  session: Session,
  operation: OperationId,
  { what, authorization, basis }: Credentials,
  changes: Partial<RequestSpec>,
): Promise<void> {
  const id = basis ?? errorBasis(operation, STATUS.unauthorized)
  if (id === undefined) return
  const exchange = await session.transport.send(requestFor(session, operation, { authorization, ...changes }))
  const where = changes.path ? ' of an id that exists' : ''
  expectStatus(session, exchange, { status: STATUS.unauthorized, basis: id, what: `${operation}${where} ${what}` })
}
