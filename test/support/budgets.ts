import { budgetsOf } from '../../scripts/budgets.js'
import { repository } from './project.js'

/** A budget that only a test can measure, from `budgets.json`. */
export function budget(name: string): number {
  const most = budgetsOf(repository).tests?.[name]
  if (most === undefined) throw new Error(`budgets.json has no "${name}" for tests.`)
  return most
}
