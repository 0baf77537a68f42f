import type { BasisId, OperationId } from '../../../../../generated/contract.js'
import { operationNodes } from '../../../../../generated/contract.js'
import { STATUS } from '../../../../internal/contract/status.js'
import { validateRequest } from '../../../../validators/index.js'
import { probedOperations, sharedBasis } from '../../judge/contract.js'
import { refusals, type TestCase } from '../cases/index.js'
import type { Change } from '../request.js'

/**
 * Headers and query parameters with values that the validators refuse must get what the contract assumes; the first value of each name
 * at the depth `normal`. Basis: A20.
 */
export const parameters = refusals('parameters', (settings) => {
  const tried = new Set<string>()
  return probedOperations(settings).flatMap((operation) =>
    malformedParameters(operation).map(({ name, value, change, basis }): TestCase => {
      const depth = tried.size === tried.add(name).size ? 'thorough' : 'normal'
      return { operation, status: STATUS.badRequest, basis, what: `with ${name} "${value}"`, change, depth }
    }),
  )
})

interface Malformed {
  name: string
  value: string
  change: Change
  basis: BasisId
}

export const malformedParameters = (operation: OperationId): Malformed[] =>
  operationNodes[operation].parameters.flatMap(({ in: where, name, types, basis: ids }) => {
    const basis = sharedBasis(operation, ids, STATUS.badRequest)
    const changeTo = (value: string) => ({ [where === 'query' ? 'query' : 'headers']: { [name]: value } })
    const isRefused = (value: string) =>
      (value !== '0' || !types.includes('string')) &&
      validateRequest(operation, changeTo(value)).some((problem) => problem.name === name)
    if (where === 'path' || basis === undefined) return []
    return VALUES.filter(isRefused).map((value) => ({ name, value, change: changeTo(value), basis }))
  })

const VALUES = ['0', 'malformed', '-1', '1.5', '1e9', '99999999999999999999', '2026-02-30', '2026-1-1', '26-11-21']
