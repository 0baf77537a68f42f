import { ASSUMED } from './broken/assumed.js'
import { credentials } from './broken/credentials.js'
import { ids, pins, wrongBodies } from './broken/inputs.js'
import { limits } from './broken/limits.js'
import { lists } from './broken/lists.js'
import { overlooked } from './broken/overlooked.js'
import { refusals } from './broken/refusals.js'
import { runs } from './broken/runs.js'
import { time } from './broken/time.js'
import { permissions, workspaces } from './broken/workspaces.js'
import type { Broken } from './faults.js'
import { honestServices } from './honest/index.js'
import type { Service } from './types.js'

export type { Service } from './types.js'
export { honestServices }

const all: Broken[] = [
  ...[...credentials, ...permissions, ...workspaces, ...lists],
  ...[...ids, ...wrongBodies, ...pins, ...limits, ...runs, ...time, ...refusals, ...overlooked],
]
const titleOf = ({ class: group, name }: Service): string => `${group}: ${name}`

/** The services that violate what is stated or derived: verify must fail them. */
export const brokenServices = all.filter((service) => !Object.hasOwn(ASSUMED, titleOf(service)))
/** Those that violate only what is assumed, with its entry: verify must contradict it and fail nothing. */
export const assumedOtherwise = all.flatMap((service) => {
  const entry = ASSUMED[titleOf(service)]
  return entry === undefined ? [] : [{ service, entry }]
})
export const services: Service[] = [...honestServices, ...all]
