import { credentials } from './broken/credentials.js'
import { ids, pins, wrongBodies } from './broken/inputs.js'
import { limits } from './broken/limits.js'
import { lists } from './broken/lists.js'
import { runs } from './broken/runs.js'
import { time } from './broken/time.js'
import { permissions, workspaces } from './broken/workspaces.js'
import type { Broken } from './faults.js'
import { honestServices } from './honest/index.js'
import type { Service } from './types.js'

export type { Service } from './types.js'
export { honestServices }

export const brokenServices: Broken[] = [
  ...[...credentials, ...permissions, ...workspaces, ...lists],
  ...[...ids, ...wrongBodies, ...pins, ...limits, ...runs, ...time],
]
export const services: Service[] = [...honestServices, ...brokenServices]
