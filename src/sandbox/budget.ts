/** Bytes in use, estimated: the text counts, not what an engine needs around it. They count in the parent too. */
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

/** The bytes of a text at most: engines keep one or two for a character. */
export const bytesOf = (text: string | undefined): number => 2 * (text?.length ?? 0)
