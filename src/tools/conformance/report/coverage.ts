import { type OperationId, operationNodes, operations, schemaNodes } from '../../../../generated/contract.js'
import { operationIds } from '../../../internal/contract/operations.js'
import { getOrCreate } from '../../../internal/maps.js'
import type { OperationCoverage, Report } from '../../../shared/report.js'
import { documentedStatus } from '../judge/contract.js'
import type { Exchange } from '../judge/exchange.js'

/** Which responses of each operation came, and which properties of the contract had a value in them. */
export class Coverage {
  private readonly seen = new Map<OperationId, { counts: Map<number, Count>; properties: Set<string> }>()

  add({ operation, status, bodyState, body, failure }: Exchange): void {
    if (failure) return
    const { counts, properties } = this.of(operation)
    const { times, withBody } = counts.get(status) ?? NEVER
    counts.set(status, { times: times + 1, withBody: withBody + (bodyState === 'complete' ? 1 : 0) })
    const documented = documentedStatus(operation, status)
    const schema = operationNodes[operation].responses[documented]?.body?.schema
    if (schema) visit(schema, body, `${documented}`, properties)
  }

  result(): OperationCoverage[] {
    return operationIds.map((operation) => {
      const { counts, properties } = this.of(operation)
      const statuses = new Set([...documentedStatuses(operation), ...counts.keys()])
      return {
        operation,
        ...('deprecated' in operations[operation] && { deprecated: true as const }),
        responses: [...statuses].sort((a, b) => a - b).map((status) => ({ status, ...(counts.get(status) ?? NEVER) })),
        properties: propertiesOf(operation).map((name) => ({ name, seen: properties.has(name) })),
      }
    })
  }

  private of(operation: OperationId) {
    const nothing = () => ({ counts: new Map<number, Count>(), properties: new Set<string>() })
    return getOrCreate(this.seen, operation, nothing)
  }
}

type Count = Pick<OperationCoverage['responses'][number], 'times' | 'withBody'>
const NEVER: Count = { times: 0, withBody: 0 }

/** Every property that the contract has for an operation, by status and JSON path; a schema within itself once. */
const propertiesOf = (operation: OperationId): string[] =>
  documentedStatuses(operation).flatMap((status) => {
    const schema = operationNodes[operation].responses[status]?.body?.schema
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
    const inner = property.schema ?? property.items?.schema
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
    if (items?.schema && Array.isArray(own)) for (const item of own) visit(items.schema, item, at, seen)
  }
}
/** How many of the properties that the contract has were seen with a value, from 0 to 100. */
export function coveragePercent({ coverage }: Pick<Report, 'coverage'>): number {
  const all = coverage.flatMap(({ properties }) => properties)
  return all.length === 0 ? 0 : (100 * all.filter(({ seen }) => seen).length) / all.length
}
