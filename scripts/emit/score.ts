import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Contract } from '../contract/index.js'
import { run } from '../process.js'

export interface Score {
  /** From 0 to 100. */
  total: number
  /** What is not full, worst first. */
  losses: { name: string; percent: number }[]
}

/** How Redocly rates the bundle for those who integrate it. */
export async function scoreContract(
  contract: Contract,
  root: string,
  staged: string,
  signal: AbortSignal,
): Promise<Score> {
  const input = join(staged, 'score-input.json')
  await writeFile(input, JSON.stringify(contract.document))
  const { agentReadiness, subscores } = JSON.parse(
    await run('redocly', ['score', input, '--format', 'json'], { cwd: root, signal }),
  )
  const losses = Object.entries<number>(subscores)
    .map(([name, share]) => ({ name, percent: Math.round(share * 100) }))
    .filter(({ percent }) => percent < 100)
    .sort((a, b) => a.percent - b.percent)
  return { total: agentReadiness, losses }
}
