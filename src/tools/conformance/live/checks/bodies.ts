import { STATUS } from '../../../../internal/contract/status.js'
import { probedOperations } from '../../judge/contract.js'
import type { ConformanceSettings } from '../../options.js'
import { probeSteps, USUAL } from '../cases/index.js'
import { wrongBodies } from '../cases/wrong-bodies.js'
import { plainShape } from '../shapes.js'
import type { Step } from '../step.js'

/** Any wrong body must get 400, and whatever a service may accept must not fail it. Basis: S26, A21, A22. */
export const bodySteps = (settings: ConformanceSettings): Step[] =>
  probeSteps(
    probedOperations(settings).flatMap((operation) =>
      wrongBodies(operation, settings).flatMap(({ body, headers, isRare, isPart, isOnly, ...mistake }, index) => {
        const probe = {
          ...{ ...mistake, relation: 'bodies' as const, operation, status: STATUS.badRequest, hasWrongBody: true },
          change: () => ({ body, ...(headers && { headers }) }),
          priority: isPart ? 3 : index < 4 || isOnly ? 1 : 2,
          weight: isRare ? 1 : USUAL,
        }
        // The first one also as plainly as a client sends it.
        const plain = { ...probe, base: () => plainShape(operation), priority: 0 }
        return index === 0
          ? [plain, { ...probe, subject: `${operation} with everything`, priority: 2, weight: 1 }]
          : [probe]
      }),
    ),
    settings,
  )
