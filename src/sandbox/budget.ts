/** Counts the estimated bytes of values. They count in the parent too. */
export class Budget {
  used = 0
  constructor(
    readonly max: number,
    readonly parent?: Budget,
  ) {}
  get exceeded(): boolean {
    return this.used > this.max
  }
  add(bytes: number): void {
    this.used += bytes
    this.parent?.add(bytes)
  }
}

/** The estimated size of a JSON value in memory, in bytes: small objects take far more than their text. */
export function sizeOf(value: unknown): number {
  // Engines use one or two bytes per character.
  if (typeof value === 'string') return TEXT_BYTES + 2 * value.length
  if (typeof value !== 'object' || value === null) return NUMBER_BYTES
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + POINTER_BYTES + sizeOf(each), OBJECT_BYTES)
  return Object.entries(value).reduce(
    (sum, [name, each]) => sum + PROPERTY_BYTES + 2 * name.length + sizeOf(each),
    OBJECT_BYTES,
  )
}

/** As V8 has them on 64 bits, rounded up. */
const OBJECT_BYTES = 64
const PROPERTY_BYTES = 32
const POINTER_BYTES = 8
const NUMBER_BYTES = 16
const TEXT_BYTES = 24

/** Whether a value is nested at most `depth` levels deep, so that recursive functions can take it. */
export const isShallow = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((each) => isShallow(each, depth - 1)))
