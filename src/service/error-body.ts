import { jsonValue } from './json-value.js'
import { type ServiceOptions, validationOf } from './options.js'
import { eventOf, type Report, type ServiceExchange } from './parts.js'
import { operationOf } from './pipeline.js'
import { type ServiceResponse, withRequestId } from './respond.js'
import { InvalidResponseError, responseProblems } from './validate.js'

/** An error with the body that `errorBody` makes of it; with its own when that cannot be sent. */
export function withOwnBody<Context>(
  response: ServiceResponse,
  exchange: ServiceExchange<Context>,
  options: ServiceOptions<Context>,
  report: Report<Context>,
): ServiceResponse {
  const { status, reason } = response
  if (!options.errorBody || status < 400 || reason?.type === 'disconnect') return response
  try {
    // A copy, because many errors share a body.
    const body = jsonValue(response.body)
    const own = jsonValue(options.errorBody({ ...eventOf(exchange), status, reason, body }))
    if (typeof own !== 'object' || own === null)
      throw new TypeError(`errorBody must return an object, and returned ${own}.`)
    const sent = withRequestId({ ...response, body: own }, exchange.requestId)
    const operation = validationOf(options) ? operationOf(exchange) : undefined
    if (!operation) return sent
    const problems = responseProblems(operation, sent).filter((problem) => problem.in === 'body')
    if (problems.length > 0) throw new InvalidResponseError(operation, problems)
    return sent
  } catch (error) {
    report(error, exchange)
    return response
  }
}
