import { operationNodes, schemaNodes } from '../../../generated/conformance/nodes.js'
import { type OperationId, operations } from '../../../generated/operations.js'
import type { OperationCoverage, Report } from '../../internal/report.js'
import { documentedStatus, operationIds } from '../contract.js'
import type { Exchange } from '../exchange.js'

/** Which responses of each operation came, and which properties of the contract had a value in them. */
export class Coverage {
  private readonly counts = new Map<string, { times: number; withBody: number }>()
  private readonly seen = new Map<OperationId, Set<string>>()

  add({ operation, status, bodyState, body, failure }: Exchange): void {
    if (failure) return
    const key = `${operation} ${status}`
    const count = this.counts.get(key) ?? { times: 0, withBody: 0 }
    count.times++
    if (bodyState === 'complete') count.withBody++
    this.counts.set(key, count)
    const schema = operationNodes[operation].responses[documentedStatus(operation, status)]?.schema
    const seen = this.seen.get(operation) ?? new Set()
    this.seen.set(operation, seen)
    if (schema) visit(schema, body, `${documentedStatus(operation, status)}`, seen)
  }

  result(): OperationCoverage[] {
    return operationIds.map((operation) => {
      const documented = documentedStatuses(operation)
      const own = [...this.counts.keys()].flatMap((key) =>
        key.startsWith(`${operation} `) ? [Number(key.split(' ')[1])] : [],
      )
      const statuses = [...new Set([...documented, ...own])].sort((a, b) => a - b)
      const seen = this.seen.get(operation) ?? new Set()
      return {
        operation,
        ...('deprecated' in operations[operation] && { deprecated: true as const }),
        responses: statuses.map((status) => ({
          status,
          ...(this.counts.get(`${operation} ${status}`) ?? { times: 0, withBody: 0 }),
        })),
        properties: propertiesOf(operation).map((name) => ({ name, seen: seen.has(name) })),
      }
    })
  }
}

/** Every property that the contract has for an operation, by status and JSON path; a schema within itself once. */
const propertiesOf = (operation: OperationId): string[] =>
  documentedStatuses(operation).flatMap((status) => {
    const schema = operationNodes[operation].responses[status]?.schema
    return schema ? namesOf(schema, `${status}`, []) : []
  })

/** A range of statuses, such as 2XX, has no count. */
const documentedStatuses = (operation: OperationId): number[] =>
  Object.keys(operationNodes[operation].responses)
    .map(Number)
    .filter((status) => !Number.isNaN(status))

function namesOf(schema: string, path: string, above: readonly string[]): string[] {
  if (above.includes(schema)) return []
  return Object.entries(schemaNodes[schema]?.properties ?? {}).flatMap(([name, property]) => {
    const own = `${path}.${name}${property.items ? '[]' : ''}`
    const inner = property.schema ?? property.items
    return [own, ...(inner ? namesOf(inner, own, [...above, schema]) : [])]
  })
}

function visit(schema: string, value: unknown, path: string, seen: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, { items, schema: inner }] of Object.entries(schemaNodes[schema]?.properties ?? {})) {
    const own: unknown = (value as Record<string, unknown>)[name]
    if (own === undefined || own === null) continue
    const at = `${path}.${name}${items ? '[]' : ''}`
    seen.add(at)
    if (inner) visit(inner, own, at, seen)
    if (items && Array.isArray(own)) for (const item of own) visit(items, item, at, seen)
  }
}
/** How many of the properties that the contract has were seen with a value, from 0 to 100. */
export function coveragePercent({ coverage }: Pick<Report, 'coverage'>): number {
  const all = coverage.flatMap(({ properties }) => properties)
  return all.length === 0 ? 0 : (100 * all.filter(({ seen }) => seen).length) / all.length
}
