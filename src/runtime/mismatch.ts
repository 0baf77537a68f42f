import type { Problem } from './problems.js'

/** A request or a response that does not match the contract. */
export class MismatchError extends Error {
  override name = 'MismatchError'
  constructor(
    what: string,
    readonly problems: readonly Problem[],
  ) {
    super(`${what} does not match the contract: ${problems.map(({ message }) => message).join('; ')}.`)
  }
}

/** @throws MismatchError when there are problems */
export function throwIfMismatch(what: string, problems: readonly Problem[]): void {
  if (problems.length > 0) throw new MismatchError(what, problems)
}
