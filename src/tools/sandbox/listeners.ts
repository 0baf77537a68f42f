/** Functions that are called at each change. */
export function createListeners() {
  const listeners = new Set<() => void>()
  return {
    /** Returns a function that removes the listener. */
    add(listener: () => void): () => void {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    notify(): void {
      for (const listener of listeners) listener()
    },
  }
}
