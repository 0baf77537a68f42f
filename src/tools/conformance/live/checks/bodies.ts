import { isTrigger } from '../../../../internal/contract/operations.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { probedOperations } from '../../judge/contract.js'
import { refusals, type TestCase } from '../cases/index.js'
import { wrongBodies } from '../cases/wrong-bodies.js'

/** Any wrong body must get 400, and whatever a service may accept must not fail it. Basis: S26, A21, A22. */
export const bodies = refusals('bodies', (settings) =>
  probedOperations(settings).flatMap((operation) =>
    wrongBodies(operation, settings).flatMap(({ body, headers, depth = 'normal', ...mistake }, index): TestCase[] => {
      const change = { body, ...(headers && { headers }) }
      const wrong = { ...mistake, operation, status: STATUS.badRequest, mayGoToExisting: true, change, depth }
      // The first one also as plainly as a client sends it.
      if (index > 0) return [wrong]
      const ofEach = isTrigger(operation) ? settings.triggers : []
      return [
        { ...wrong, of: 'plain', depth: 'quick' },
        wrong,
        ...ofEach.map(
          (id): TestCase => ({ ...wrong, of: 'plain', what: `${wrong.what} of ${id}`, change: { ...change, id } }),
        ),
      ]
    }),
  ),
)
