import { errorMalformedParameter, errorNotFound, errorRateLimited, examples } from '../../generated/examples.js'
import { type OperationId, operations } from '../../generated/operations.js'
import { STATUS } from '../internal/status.js'

/** What a handler answers. `body` is a JSON value. */
export interface Answer {
  status: number
  headers?: Readonly<Record<string, string>>
  body: unknown
}

/** The answer of a success, with the status that the contract has for the operation. */
export const success = (operation: OperationId, body: unknown): Answer => ({
  status: operations[operation].success[0],
  body,
})

export const notFound: Answer = { status: STATUS.notFound, body: errorNotFound }

/** A 429 whose header and body come from one value, in seconds. Basis: S30, S31, S32. */
export const rateLimited = (requestsPerMinute: number, retryAfter: number): Answer => ({
  status: STATUS.rateLimited,
  headers: { 'retry-after': String(retryAfter) },
  body: {
    ...errorRateLimited,
    message: errorRateLimited.message.replace(/\d+/, String(requestsPerMinute)),
    retry_after: retryAfter,
  },
})

/** A 400 that says what is wrong. Basis: S26, A17. */
export const badRequest = (message: string): Answer => ({
  status: STATUS.badRequest,
  body: { ...errorMalformedParameter, message },
})

/** Something that no operation of the contract answers. */
export const undocumented = (
  status: number,
  error: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Answer => ({ status, ...(headers && { headers }), body: { error, message } })

/** The examples of an operation by status, then by scenario. */
export const examplesOf = (operation: OperationId): Readonly<Record<string, Readonly<Record<string, unknown>>>> =>
  examples[operation]

/** An example of the contract as an answer, with the header that belongs to its body. */
export const exampleAnswer = (status: number, body: unknown): Answer => {
  const seconds = (body as { retry_after?: number } | null)?.retry_after
  return { status, body, ...(seconds !== undefined && { headers: { 'retry-after': String(seconds) } }) }
}
