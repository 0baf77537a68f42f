/** @throws TypeError with the message unless it holds */
export function check(holds: boolean, message: string): asserts holds {
  if (!holds) throw new TypeError(message)
}

/** @throws TypeError unless it is a number from `least` */
export const checkNumber = (name: string, value: number, least: number): void =>
  check(value >= least, `${name} must be a number from ${least}.`)
