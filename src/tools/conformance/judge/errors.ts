import { operationNodes, rules } from '../../../../generated/contract.js'
import { STATUS } from '../../../internal/contract/status.js'
import { parseJson } from '../../../internal/http/json.js'
import { validate } from '../../../validators/index.js'
import { errorBasis, hasId, OTHER_STATUS } from './contract.js'
import type { Exchange } from './exchange.js'
import type { JudgedExchange } from './judge.js'
import { passed, type Result } from './result.js'
import { statusResults, successResults } from './status.js'

/** What an error shows beyond its body. A 500 needs the next request to show something. */
export function errorResults(exchange: JudgedExchange): Result[] {
  const { operation, status, results } = exchange
  const isWrong = isWrongBody(exchange)
  if (status === OTHER_STATUS.notImplemented) return successResults(exchange, operation)
  if (status === OTHER_STATUS.unprocessable && operationNodes[operation].requestBody) {
    const basis = isWrong ? rules.wrongBody : rules.inputValidation
    const what = `${operation} with a body that is refused`
    return statusResults(exchange, { status: STATUS.badRequest, basis, what })
  }
  const id = errorBasis(operation, status)
  if (id === undefined || status === STATUS.internalError) return []
  const isExplained = status === STATUS.badRequest ? isWrong : status !== STATUS.notFound || hasId(operation)
  const isOfQuota = results.some(({ outcome, basis }) => outcome === 'skipped' && basis === rules.quotaUsedUp)
  return isExplained && !isOfQuota ? [passed(id, `${operation} gets ${status}`, { exchange })] : []
}

function isWrongBody({ operation, request: { body, isCut } }: Exchange): boolean {
  const schema = operationNodes[operation].requestBody?.schema as Parameters<typeof validate>[0] | undefined
  return schema !== undefined && typeof body === 'string' && !isCut && validate(schema, parseJson(body)).length > 0
}
