/** @throws TypeError with the message unless it holds */
export function check(holds: boolean, message: string): asserts holds {
  if (!holds) throw new TypeError(message)
}

/** @throws TypeError unless it is a time */
export const checkTime = (name: string, ms: number): void => check(ms > 0, `${name} must be a number of ms above 0.`)
