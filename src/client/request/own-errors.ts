/** What is no failure of the network, and happens again at the next attempt. */
const ownErrors = new WeakSet<object>()

export function ownError(message: string): TypeError {
  const error = new TypeError(message)
  ownErrors.add(error)
  return error
}

export const isOwnError = (error: unknown): boolean => ownErrors.has(Object(error))
