/** Counts the estimated bytes of texts, without the overhead of an engine. They count in the parent too. */
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

/** The largest size of a text in bytes: engines use one or two per character. */
export const bytesOf = (text: string | undefined): number => 2 * (text?.length ?? 0)
