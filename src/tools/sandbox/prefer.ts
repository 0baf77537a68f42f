import { type OperationId, operationNodes, operations } from '../../../generated/contract.js'
import { examplesOf } from '../service/response/examples.js'
import { badRequest, type ServiceResponse, withRetryAfter } from '../service/response/respond.js'

/**
 * The response that a Prefer header asks for, as in Prism: `code=` chooses the status, by default that of the success, and
 * `example=` the scenario, by default the first one. Undefined without either.
 */
export function preferredResponse(operation: OperationId, header: string): ServiceResponse | undefined {
  const { code, example } = preferencesOf(header)
  if (code === undefined && example === undefined) return undefined
  const status = code ?? String(operations[operation].success[0])
  const byStatus = examplesOf(operation)
  const scenarios = Object.hasOwn(byStatus, status) ? byStatus[status] : undefined
  if (!scenarios)
    return badRequest(
      `The header "Prefer" asks for the status ${status}, but ${operation} has ${statuses(operation).join(', ')}.`,
    )
  const scenario = example ?? Object.keys(scenarios)[0]!
  if (!Object.hasOwn(scenarios, scenario)) {
    const names = Object.keys(scenarios).join(', ')
    return badRequest(
      `The header "Prefer" asks for the example "${scenario}", but the ${status} of ${operation} has ${names}.`,
    )
  }
  return withRetryAfter(Number(status), scenarios[scenario])
}

const statuses = (operation: OperationId): number[] =>
  Object.keys(operationNodes[operation].responses).map(Number).filter(Number.isInteger)

/** RFC 7240: tokens with values, separated by commas; the first of each name is used. */
function preferencesOf(header: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const part of header.split(',')) {
    const [name = '', value = ''] = part.split(';')[0]!.split('=')
    found[name.trim().toLowerCase()] ??= value.trim().replace(/^"(.*)"$/, '$1')
  }
  return found
}
