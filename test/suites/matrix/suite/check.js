/** A few assertions that need nothing of the runtime. */
export const check = {
  ok(value, message = 'expected a true value') {
    if (!value) throw new Error(message)
  },
  same(actual, expected) {
    const [seen, wanted] = [actual, expected].map((each) => JSON.stringify(each))
    if (seen !== wanted) throw new Error(`expected ${wanted}, got ${seen}`)
  },
  async rejects(promise, type) {
    try {
      await promise
    } catch (error) {
      if (error instanceof type) return error
      throw new Error(`expected ${type.name}, got ${error}`)
    }
    throw new Error(`expected ${type.name}, but nothing was thrown`)
  },
}

/**
 * Runs cases one after another.
 *
 * @param {Record<string, () => unknown>} cases what is tried, by the sentence that it shows to be true
 * @returns {Promise<{ passed: number, failed: string[] }>}
 */
export async function runCases(cases) {
  const failed = []
  for (const [name, run] of Object.entries(cases)) {
    try {
      await run()
    } catch (error) {
      failed.push(`${name}: ${error?.message ?? error}`)
    }
  }
  return { passed: Object.keys(cases).length - failed.length, failed }
}
