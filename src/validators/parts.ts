import checks from '../../generated/checks.js'
import { operationNodes } from '../../generated/contract.js'
import { partsOf } from '../runtime/validate.js'

/** What is checked of the requests and responses of each operation. */
export const operationParts = partsOf(operationNodes, checks)
