import { errorFields } from '../../../../generated/errors.js'
import {
  errorForbidden,
  errorInternal,
  errorInvalidKey,
  errorMalformedParameter,
  errorNotFound,
  errorRateLimited,
  examples,
} from '../../../../generated/examples.js'
import type { OperationId } from '../../../../generated/operations.js'
import { isTrigger } from '../../../internal/contract/operations.js'
import { STATUS } from '../../../internal/contract/status.js'
import { BAD_GATEWAY, unknownRun } from './bad-gateway.js'

// The examples of the contract, and the bodies of errors that are made of them.

/** The examples of an operation by status, then by scenario. */
export const examplesOf = (operation: OperationId): Readonly<Record<string, Readonly<Record<string, unknown>>>> =>
  examples[operation]

/** The body of an error that the service itself sends: the properties of its example that are true of every such error. */
export const errorBodyOf = <Body extends object>(status: number, example: Body): Body =>
  withFields(example, errorFields[status], ['known', 'asked'])

/** `known` have the same value in every such error; `asked` are required, and only their author knows their value. */
type FieldKinds = readonly (keyof (typeof errorFields)[number])[]

function withFields<Body extends object>(
  body: Body,
  fields: (typeof errorFields)[number] | undefined,
  kinds: FieldKinds,
): Body {
  if (!fields) return body
  const names = kinds.flatMap((kind) => fields[kind])
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name))) as Body
}

/** The properties that are true of every error with this status; a handler knows the others. */
export function documentedError(operation: OperationId, status: number): object | undefined {
  if (status === BAD_GATEWAY && isTrigger(operation)) return unknownRun
  if (SERVICE_ERRORS[status]) return SERVICE_ERRORS[status]
  const [example] = Object.values(examplesOf(operation)[status] ?? {})
  return typeof example === 'object' && example !== null
    ? withFields(example, errorFields[status], ['known'])
    : undefined
}

/** The bodies of the errors that the service sends itself, by status. */
export const SERVICE_ERRORS: Record<number, object> = Object.fromEntries(
  (
    [
      [STATUS.badRequest, { ...errorMalformedParameter, message: 'The request is not valid.' }],
      [STATUS.unauthorized, errorInvalidKey],
      [STATUS.forbidden, errorForbidden],
      [STATUS.notFound, errorNotFound],
      // Clients keep to a limit that a 429 states, and a handler may have none.
      [STATUS.rateLimited, { ...errorRateLimited, message: 'Too many requests.' }],
      [STATUS.internalError, errorInternal],
    ] as const
  ).map(([status, example]) => [status, errorBodyOf(status, example)]),
)
