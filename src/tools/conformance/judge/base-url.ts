import { protocol, rules } from '../../../../generated/contract.js'
import { type Result, resultOf } from './result.js'

/** Whether the base URL ends in the version. Basis: S04. */
export function baseUrlResults(baseUrl: string): Result[] {
  const { versionSegment } = protocol
  const path = new URL(baseUrl).pathname
  const message = `the base URL: expected a path that ends in ${versionSegment}, got ${path}`
  return [resultOf(rules.baseUrl, path.endsWith(versionSegment), message)]
}
