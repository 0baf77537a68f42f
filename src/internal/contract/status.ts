import type { Bodies } from '../../../generated/bodies.js'
import type { OperationId } from '../../../generated/contract.js'

type DocumentedStatus = { [Id in OperationId]: keyof Bodies[Id]['responses'] }[OperationId]

/** The HTTP statuses by meaning; a status that leaves the contract no longer compiles here. */
export const STATUS = {
  badRequest: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  rateLimited: 429,
  internalError: 500,
} as const satisfies Record<string, DocumentedStatus>

/** Whether a response with this status has no body, a "null body status" of the Fetch standard, section 2.2.3. */
export const hasNullBody = (status: number): boolean => status === 204 || status === 205 || status === 304

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9
type NumberOf<Text> = Text extends `${infer Value extends number}` ? Value : never

/** Any status from 200 to 299, which a contract writes as `2XX`. */
export type AnySuccess = NumberOf<`2${Digit}${Digit}`>
