import { createService } from '../create.js'
import type { Service } from '../types.js'
import { OPERATION } from './honest-operation.js'
import { RESPONSES } from './honest-responses.js'

export const fromSpecificationHonest: Service[] = [...RESPONSES, ...OPERATION].map(([name, change, beyond]) => ({
  ...{ name, class: 'from the specification', kind: 'honest', ...(beyond !== undefined && { beyond }) },
  create: (options) => createService([change], options),
}))
