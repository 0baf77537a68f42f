/** Bytes in use, estimated: the text counts, not what an engine needs around it. */
export interface Budget {
  readonly used: number
  /** Whether more is in use than allowed. */
  readonly exceeded: boolean
  add(bytes: number): void
}

/** Counts bytes, here and in the parent. */
export function createBudget(max: number, parent?: Budget): Budget {
  let used = 0
  return {
    get used() {
      return used
    },
    get exceeded() {
      return used > max
    },
    add(bytes) {
      used += bytes
      parent?.add(bytes)
    },
  }
}

/** The bytes of a text at most: engines keep one or two for a character. */
export const bytesOf = (text: string | undefined): number => 2 * (text?.length ?? 0)
