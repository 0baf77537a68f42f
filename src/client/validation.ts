import type { OperationId } from '../../generated/operations.js'
import type { Problem } from '../../generated/validators.js'
import { ContractMismatchError } from './errors.js'
import { notify } from './hooks.js'

/** Whether and how responses are validated against the contract. */
export interface Validation {
  /** Finds what does not fit the contract: `validateResponse` of the package's validators. Nothing is validated without. */
  validate?:
    | ((operation: OperationId, response: { status: number; headers: Headers; body?: unknown }) => Problem[])
    | undefined
  /** `throw`, the default, rejects with the mismatch when it is in a success; a function receives every mismatch. */
  onMismatch?: 'throw' | ((mismatch: ContractMismatchError) => unknown) | undefined
}

/** @throws ContractMismatchError when a success does not fit the contract */
export function checkContract(
  { validate, onMismatch = 'throw' }: Validation,
  operation: OperationId | undefined,
  { status, headers, ok }: Response,
  body: unknown,
): void {
  if (!validate || !operation) return
  const problems = validate(operation, { status, headers, body })
  if (problems.length === 0) return
  const message = `${operation} responded ${status} with what does not fit the contract: ${problems[0]?.message}.`
  const mismatch = new ContractMismatchError(message, { operation, status, problems })
  if (onMismatch !== 'throw') notify(onMismatch, mismatch)
  else if (ok) throw mismatch
}
