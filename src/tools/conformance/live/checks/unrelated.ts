import type { OperationId } from '../../../../../generated/contract.js'
import { isSafe, isServerError, isSuccess, probedOperations, readsByIdFirst } from '../../judge/contract.js'
import type { ConformanceSettings } from '../../options.js'
import type { Check } from '../check.js'
import { type Change, mayExist, variantsOf } from '../request.js'
import type { Session } from '../session.js'
import { readAgain } from './reading.js'

/** What a header or a parameter may not change: a service may refuse it, or respond as it does without it. Basis: S03, S17. */
export const unrelated: Check = {
  name: 'unrelated',
  depth: 'normal',
  cost(settings) {
    const requests =
      unrelatedReads(settings).length * (settings.otherWorkspaceKey === undefined ? 1 : VARIATIONS.length)
    return { requests, most: 4 * requests }
  },
  async *run(session) {
    for (const operation of unrelatedReads(session.settings))
      for (const [variation, changeOf] of VARIATIONS) {
        const change = changeOf(session)
        const mayGet = (status: number) => !isSuccess(status) && !isServerError(status)
        const [plain] = variantsOf(operation, session.settings)
        if (change) yield* readAgain(session, plain, change, { relation: 'unrelated', variation, mayGet })
      }
  },
}

const unrelatedReads = (settings: ConformanceSettings): OperationId[] =>
  readsByIdFirst(probedOperations(settings).filter(isSafe)).filter((operation) => mayExist(operation, settings))

/** Undefined while the other workspace is not known. */
const VARIATIONS: readonly (readonly [variation: string, changeOf: (session: Session) => Change | undefined])[] = [
  ['with Accept-Language', () => ({ headers: { 'accept-language': 'de' } })],
  ['with headers that name another workspace', (session) => named(HEADERS, session, 'headers')],
  ['with parameters that name another workspace', (session) => named(PARAMETERS, session, 'query')],
]

function named(names: readonly string[], { known }: Session, where: 'headers' | 'query'): Change | undefined {
  const { id } = Object(known.theirs.get('getCurrentWorkspace')?.body)
  if (typeof id !== 'string' || !/^[\x21-\x7e]+$/.test(id)) return
  return { [where]: Object.fromEntries(names.map((name) => [name, id])) }
}

const KINDS = ['workspace', 'tenant', 'account', 'organization', 'org', 'project', 'team']
const HEADERS = KINDS.flatMap((kind) => [`x-${kind}`, `x-${kind}-id`, `${kind}-id`])
const PARAMETERS = KINDS.flatMap((kind) => [kind, `${kind}_id`, `${kind}Id`])
