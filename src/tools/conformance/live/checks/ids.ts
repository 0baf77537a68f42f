import type { OperationId } from '../../../../../generated/operations.js'
import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { collectionOf, hasId, operationIds, probedOperations } from '../../judge/contract.js'
import type { ConformanceSettings } from '../../options.js'
import { probeSteps, USUAL } from '../cases/index.js'
import { ofSameForm, swapCase } from '../cases/similar-ids.js'
import { pathOf } from '../request.js'
import { plainShape } from '../shapes.js'
import type { Session, Step } from '../step.js'

/**
 * Any id that does not exist must get 404, and may get 400 when it is unlike every id that was seen. A trigger with one
 * starts nothing. Basis: S22.
 */
export const idSteps = (settings: ConformanceSettings): Step[] =>
  probeSteps(
    probedOperations(settings)
      .filter(hasId)
      .flatMap((operation) => {
        const common = { relation: 'ids' as const, operation, status: STATUS.notFound }
        const unknown = { ...common, what: 'with an id that does not exist', change: () => ({}) }
        return [
          { ...unknown, base: () => plainShape(operation), priority: 0 },
          { ...unknown, subject: `${operation} with everything`, priority: 2 },
          ...unknownIds(operation).map(({ idOf, weight = USUAL, ...other }) => ({
            ...common,
            ...other,
            weight,
            change: (session: Session) => {
              const id = idOf(session)
              const isReal = id === undefined || session.facts.ids.get(collectionOf(operation))?.has(id)
              return isReal ? undefined : { path: pathOf(operation, id) }
            },
          })),
        ]
      }),
    settings,
  )

interface UnknownId {
  what: string
  idOf(session: Session): string | undefined
  priority: number
  weight?: number
  /** Statuses that are as good as 404. */
  orElse?: readonly number[] | undefined
  /** Whether a service may find something by it. */
  isOptional?: boolean
}

function unknownIds(operation: OperationId): UnknownId[] {
  const existing = (what: string, change: (id: string) => string, priority: number, orElse?: readonly number[]) => {
    // Of numbered ids one that is cut may be another one.
    const idOf = ({ facts }: Session) => {
      const ids = facts.ids.get(collectionOf(operation)) ?? new Set()
      return [...ids].map(change).findLast((id) => !ids.has(id))
    }
    return { what: `with an existing id ${what}`, idOf, priority, orElse }
  }
  return [
    ...FORMS.map(([what, id, orElse], index) => ({
      what: `with ${what} as the id`,
      idOf: () => id,
      priority: 2,
      weight: index < MAIN_FORMS ? USUAL : 1,
      orElse: [STATUS.badRequest, ...(orElse ?? [])],
    })),
    ...operationIds
      .map((each) => collectionOf(each))
      .filter((other, index, all) => other !== collectionOf(operation) && all.indexOf(other) === index)
      .map((other) => ({
        what: `with an id of ${other}`,
        idOf: ({ facts }: Session) => facts.ids.get(other)?.values().next().value,
        priority: 2,
        orElse: [STATUS.badRequest, STATUS.forbidden],
      })),
    existing('and more after it', (id) => `${id}0`, 2, UNLIKE),
    existing('without its end', (id) => id.slice(0, -1), 2, UNLIKE),
    existing('with another end', (id) => ofSameForm(id, '9', 'f'), 1),
    // Whether ids are compared with their case is not stated. A trigger that is accepted would start a run.
    ...(isTrigger(operation) ? [] : [{ ...existing('in another case', swapCase, 2, UNLIKE), isOptional: true }]),
    existing('without its prefix', (id) => id.replace(/^[A-Za-z]+[_-]/, ''), 2, UNLIKE),
    existing('in quotes', (id) => `"${id}"`, 3, UNLIKE),
    existing('and a wildcard', (id) => `${id.slice(0, -1)}%`, 2, ATTACK),
    existing('and a space', (id) => `${id} `, 3, [STATUS.badRequest, ...GATEWAY]),
  ]
}

/** Section 7 has 404 for what does not exist; what cannot be an id may as well be a bad request. */
const UNLIKE = [STATUS.badRequest]
/** What a gateway may refuse before the service sees it. RFC 9110, section 15.5.15; RFC 6585, section 5. */
const GATEWAY = [414, 431]
/** What a gateway may take for an attack. */
const ATTACK = [STATUS.badRequest, STATUS.forbidden, ...GATEWAY]

/** Those that services are known to fail at come first. */
const MAIN_FORMS = 6
const FORMS: readonly [what: string, id: string, orElse?: readonly number[]][] = [
  ['quotes, a space, braces and emoji', `conformance '"{} 👩‍💻`, GATEWAY],
  ['1,000 characters', 'x'.repeat(1_000), GATEWAY],
  ['a number', '0'],
  ['a slash', 'conformance/check', ATTACK],
  ['paths that go up and control characters', '../conformance\\..\\check\u0000\r\n', ATTACK],
  ['an unused id of another kind', 'run_zzzzzzz'],
  ['a UUID', '00000000-0000-4000-8000-000000000000'],
  ['a negative number', '-1'],
  ['null', 'null'],
  ['a wildcard', '*'],
  ['a name that objects have', '__proto__'],
  ['an id in percent-encoding', 'conformance%20check', ATTACK],
]
