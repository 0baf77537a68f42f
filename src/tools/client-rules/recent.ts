/** A map of at most MOST_REMEMBERED entries, which forgets the one that was set first. */
export class Recent<Value> {
  private readonly entries = new Map<string, Value>()

  get(key: string): Value | undefined {
    return this.entries.get(key)
  }

  delete(key: string): void {
    this.entries.delete(key)
  }

  set(key: string, value: Value): void {
    this.entries.delete(key)
    this.entries.set(key, value)
    if (this.entries.size > MOST_REMEMBERED) this.entries.delete(this.entries.keys().next().value as string)
  }
}

const MOST_REMEMBERED = 2_000
