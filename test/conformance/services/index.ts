import { credentials } from './broken/credentials.js'
import { honestServices } from './honest/index.js'
import type { Broken } from './situations.js'
import type { Service } from './types.js'

export type { Options, Running, Service } from './types.js'
export { honestServices }

export const brokenServices: Broken[] = [...credentials]
export const services: Service[] = [...honestServices, ...brokenServices]
