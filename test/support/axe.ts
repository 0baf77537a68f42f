import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

export interface Violation {
  rule: string
  where: string[]
}

/** Run by the debugger, which the page's policy for scripts does not hold. */
export async function violations(page: Page, impacts?: readonly string[]): Promise<Violation[]> {
  await page.evaluate(await readFile(axe, 'utf8'))
  return page.evaluate(async (wanted) => {
    const { violations } = await (window as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run()
    return violations
      .filter(({ impact }) => !wanted || wanted.includes(impact))
      .map(({ id, nodes }) => ({ rule: id, where: nodes.slice(0, 5).map(({ target }) => target.join(' ')) }))
  }, impacts)
}

export const seriousViolations = (page: Page) => violations(page, ['serious', 'critical'])

interface AxeResults {
  violations: { id: string; impact: string; nodes: { target: string[] }[] }[]
}
