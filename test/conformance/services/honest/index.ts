import { createService } from '../create.js'
import type { Change, Service } from '../types.js'
import { limits } from './limits.js'
import { operation } from './operation.js'
import { requests } from './requests.js'
import { type Rows, resources } from './resources.js'
import { runs } from './runs.js'

const groups: Record<string, Rows> = { ...resources, ...runs, ...requests, ...limits, ...operation }

const honest = (group: string, name: string, changes: Change[], beyond?: string): Service => ({
  ...{ name, class: group, kind: 'honest', ...(beyond && { beyond }) },
  create: (options) => createService(changes, options),
})

const single = Object.entries(groups).flatMap(([group, rows]) =>
  rows.map(([name, change, beyond]) => honest(group, name, [change], beyond)),
)

/** Numbers from 0 to 1 that are the same every time. */
function drawn(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Variations of different groups at once, drawn with a seed. */
function combinations(count: number, seed: number): Service[] {
  const drawnFrom = Object.keys(groups)
  const next = drawn(seed)
  const pick = <T>(from: T[]): T => from[Math.floor(next() * from.length)]!
  return Array.from({ length: count }, (_, index) => {
    const chosen = new Set<string>()
    while (chosen.size < 2 + (index % 4)) chosen.add(pick(drawnFrom))
    const rows = [...chosen].map((group) => pick(groups[group]!))
    const beyond = rows.flatMap((row) => row[2] ?? []).join(', ')
    const name = rows.map((row) => row[0]).join('; ')
    return honest(
      'combinations',
      name,
      rows.map((row) => row[1]),
      beyond,
    )
  })
}

export const honestServices: Service[] = [...single, ...combinations(60, 26)]
