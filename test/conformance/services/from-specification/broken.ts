import { createService } from '../create.js'
import type { Broken } from '../faults.js'
import { CONTENT } from './content.js'
import { KEYS_AND_WORKSPACES } from './critical-keys.js'
import { RUNS } from './critical-runs.js'
import type { Flags, Row } from './frame.js'
import { KEYS_AND_ERRORS } from './keys-and-errors.js'
import { LIMIT_ROWS } from './limits.js'

type FromSpecification = Broken & Flags
const service = ([sentence, name, change, show, flags]: Row): FromSpecification => ({
  ...{ name, class: 'from the specification', kind: 'broken', sentence, show, ...flags },
  create: (options) => createService([change], options),
})
export const fromSpecificationBroken: FromSpecification[] = [
  ...KEYS_AND_WORKSPACES,
  ...RUNS,
  ...KEYS_AND_ERRORS,
  ...LIMIT_ROWS,
  ...CONTENT,
].map(service)
