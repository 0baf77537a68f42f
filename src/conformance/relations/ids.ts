import { STATUS } from '../../internal/status.js'
import { collectionOf, hasId, probedOperations } from '../contract.js'
import type { ConformanceSettings } from '../options.js'
import { pathOf, type Session, type Step } from '../session.js'
import { hasKnownBody } from './bodies.js'
import { stepOf } from './related.js'

/** Any id that does not exist must get 404, whatever its form. A trigger with one starts nothing. Basis: S22. */
export const idSteps = (settings: ConformanceSettings): Step[] =>
  probedOperations(settings)
    .filter((operation) => hasId(operation) && hasKnownBody(operation))
    .flatMap((operation) => {
      const collection = collectionOf(operation)
      const step = (what: string, idOf: (session: Session) => string | undefined, tier: number, orElse: readonly number[] = []) => {
        const change = (session: Session) => {
          const id = idOf(session)
          const isReal = id === undefined || session.facts.ids.get(collection)?.has(id)
          return isReal ? undefined : { path: pathOf(operation, id) }
        }
        return stepOf({ relation: 'ids', operation, what, change, status: STATUS.notFound, orElse }, tier, settings)
      }
      const plain = { relation: 'ids', operation, what: 'with an id that does not exist', change: () => ({}), status: STATUS.notFound }
      const existing = (change: (id: string) => string) => (session: Session) => {
        const id = session.facts.idFor(operation)
        return id === undefined ? undefined : change(id)
      }
      return [
        ...stepOf(plain, 1, settings),
        ...FORMS.flatMap(([what, id, orElse], index) => step(`with ${what} as the id`, () => id, index < 4 ? 2 : 3, orElse)),
        ...['playbooks', 'runs', 'providers', 'workspaces']
          .filter((other) => other !== collection)
          .flatMap((other) => step(`with an id of ${other}`, ({ facts }) => facts.ids.get(other)?.values().next().value, 2, [STATUS.forbidden])),
        ...step('with an existing id and more after it', existing((id) => `${id}0`), 2),
        ...step('with an existing id without its end', existing((id) => id.slice(0, -1)), 3),
        ...step('with an existing id in quotes', existing((id) => `"${id}"`), 3),
        ...step('with an existing id and a wildcard', existing((id) => `${id.slice(0, -1)}%`), 3),
        ...step('with an existing id and a space', existing((id) => `${id} `), 3, GATEWAY),
      ]
    })

/** What a gateway may refuse before the service sees it. RFC 9110, sections 15.5.1 and 15.5.15; RFC 6585, section 5. */
const GATEWAY = [400, 414, 431]

const FORMS: readonly [what: string, id: string, orElse?: readonly number[]][] = [
  ['a quote', "conformance'check", GATEWAY],
  ['emoji', '👩‍💻', GATEWAY],
  ['1,000 characters', 'x'.repeat(1_000), GATEWAY],
  ['a UUID', '00000000-0000-4000-8000-000000000000'],
  ['a number', '0'],
  ['a negative number', '-1'],
  ['null', 'null'],
  ['a wildcard', '*'],
  ['a percent sign', '%', GATEWAY],
  ['a name that objects have', '__proto__'],
  ['SQL', "' OR '1'='1", GATEWAY],
  ['a slash', 'conformance/check', GATEWAY],
  ['a null character', 'conformance\u0000check', GATEWAY],
  ['a space', ' ', GATEWAY],
]
