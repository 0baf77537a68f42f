import type { OperationId } from '../../../../../generated/contract.js'
import { isTrigger, operationIds } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { collectionOf, hasId, probedOperations } from '../../judge/contract.js'
import { swapCase } from '../../report/curl.js'
import { refusals, spread, type TestCase } from '../cases/index.js'
import { isNumbered, ofSameForm } from '../cases/similar-ids.js'
import type { Session } from '../session.js'
import { mayStartAny } from '../variants.js'

/**
 * Any id that does not exist must get 404, and may get 400 when it is unlike every id that was seen. A trigger with one
 * starts nothing: while not all ids are known, none is derived from them. Basis: S22.
 */
export const ids = refusals('ids', (settings) =>
  probedOperations(settings)
    .filter(hasId)
    .flatMap((operation): TestCase[] => {
      const unknown = {
        ...{ operation, status: STATUS.notFound, what: 'with an id that does not exist', change: {} },
        // Such a one has letters then, which no other id may have.
        orElse: ({ known }: Session) =>
          mayStartAny({ operation }, known) && known.idsFor(operation).slice(-1).some(isNumbered) ? UNLIKE : [],
      }
      return [
        { ...unknown, of: 'plain', depth: 'quick' },
        { ...unknown, depth: 'normal' },
        ...unknownIds(operation).map(
          ({ idOf, ...other }): TestCase => ({
            ...{ operation, status: STATUS.notFound, ...other },
            change(session) {
              const { known } = session
              const id = idOf(session)
              if (id === undefined || known.idsFor(operation).includes(id)) return undefined
              return /^\d+$/.test(id) && mayStartAny({ operation }, known) ? undefined : { id }
            },
          }),
        ),
      ]
    }),
)

interface UnknownId extends Pick<TestCase, 'what' | 'isOptional' | 'depth'> {
  orElse?: readonly number[] | undefined
  idOf(session: Session): string | undefined
}

function unknownIds(operation: OperationId): UnknownId[] {
  const existing = (what: string, change: (id: string) => string, orElse?: readonly number[]): UnknownId => {
    const idOf = ({ known }: Session) => {
      if (mayStartAny({ operation }, known)) return undefined
      // Of numbered ids one that is cut may be another one.
      const all = known.idsFor(operation)
      return all.map(change).findLast((id) => !all.includes(id))
    }
    return { what: `with an existing id ${what}`, idOf, orElse, depth: 'normal' }
  }
  const collections = new Set(operationIds.map(collectionOf))
  collections.delete(collectionOf(operation))
  return [
    ...[...MAIN_FORMS, ...FORMS].map(([what, id, orElse = []], row): UnknownId => {
      const isUsual = row < MAIN_FORMS.length || spread(operationIds.filter(hasId), row, 1).includes(operation)
      const depth = isUsual ? 'normal' : 'thorough'
      return { what: `with ${what} as the id`, idOf: () => id, orElse: [STATUS.badRequest, ...orElse], depth }
    }),
    ...[...collections].map(
      (other): UnknownId => ({
        what: `with an id of ${other}`,
        idOf: ({ known }) => known.ids.get(other)?.values().next().value,
        orElse: [STATUS.badRequest, STATUS.forbidden],
        depth: 'normal',
      }),
    ),
    existing('and more after it', (id) => `${id}0`, UNLIKE),
    existing('without its end', (id) => id.slice(0, -1), UNLIKE),
    existing('with another end', (id) => ofSameForm(id, '9', 'f')),
    // Whether ids are compared with their case is not stated. A trigger that is accepted would start a run.
    ...(isTrigger(operation) ? [] : [{ ...existing('in another case', swapCase, UNLIKE), isOptional: true }]),
    existing('without its prefix', (id) => id.replace(/^[A-Za-z]+[_-]/, ''), UNLIKE),
    { ...existing('in quotes', (id) => `"${id}"`, UNLIKE), depth: 'thorough' },
    existing('and a wildcard', (id) => `${id.slice(0, -1)}%`, ATTACK),
    { ...existing('and a space', (id) => `${id} `, [STATUS.badRequest, ...GATEWAY]), depth: 'thorough' },
  ]
}

/** Section 7 has 404 for what does not exist; what cannot be an id may as well be a bad request. */
const UNLIKE = [STATUS.badRequest]
/** What a gateway may refuse before the service sees it. RFC 9110, section 15.5.15; RFC 6585, section 5. */
const GATEWAY = [414, 431]
/** What a gateway may take for an attack. */
const ATTACK = [STATUS.badRequest, STATUS.forbidden, ...GATEWAY]

type Form = readonly [what: string, id: string, orElse?: readonly number[]]

/** Those that services are known to fail at are tried on each operation at the depth `normal`, the others on one. */
const MAIN_FORMS: readonly Form[] = [
  ['quotes, a space, braces and emoji', `conformance '"{} 👩‍💻`, GATEWAY],
  ['1,000 characters', 'x'.repeat(1_000), GATEWAY],
  ['a number', '0'],
  ['a slash', 'conformance/check', ATTACK],
  ['paths that go up and control characters', '../conformance\\..\\check\u0000\r\n', ATTACK],
  ['an unused id of another kind', 'run_zzzzzzz'],
]

const FORMS: readonly Form[] = [
  ['a UUID', '00000000-0000-4000-8000-000000000000'],
  ['a negative number', '-1'],
  ['null', 'null'],
  ['a wildcard', '*'],
  ['a name that objects have', '__proto__'],
  ['an id in percent-encoding', 'conformance%20check', ATTACK],
]
