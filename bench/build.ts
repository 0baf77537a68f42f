/**
 * `npm run build` beside the same tools run one after another through npx: medians of alternating rounds.
 *
 *     npx tsx bench/build.ts [rounds]
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const rounds = Number(process.argv[2] ?? 5)
const out = mkdtempSync(join(tmpdir(), 'bench-build-'))
const SEQUENCE = [
  ['spectral', 'lint', 'openapi/openapi.yaml'],
  ['redocly', 'lint'],
  ['redocly', 'bundle', 'contract', '-o', join(out, 'openapi.yaml')],
  ['openapi-typescript', join(out, 'openapi.yaml'), '--redocly', join(out, 'none.yaml'), '-o', join(out, 'types.ts')],
  ['redocly', 'build-docs', join(out, 'openapi.yaml'), '--inlineBundle', '-o', join(out, 'index.html')],
  ['tsc', '-p', 'tsconfig.build.json', '--outDir', join(out, 'dist')],
]

// openapi-typescript refuses a Redocly configuration that does not name its output.
writeFileSync(join(out, 'none.yaml'), '{}\n')

const timed = (work: () => void): number => {
  const from = performance.now()
  work()
  return (performance.now() - from) / 1000
}
const call = (command: string, args: string[]) => execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const builds: number[] = []
const steps: number[][] = SEQUENCE.map(() => [])
for (let round = 0; round < rounds; round++) {
  builds.push(timed(() => call('npm', ['run', 'build'])))
  for (const [index, args] of SEQUENCE.entries()) steps[index]?.push(timed(() => call('npx', args)))
}
rmSync(out, { recursive: true })

const sequence = steps.map(median)
const total = sequence.reduce((sum, each) => sum + each, 0)
const row = (name: string, value: number) => console.log(`${name.padEnd(34)} ${value.toFixed(2).padStart(6)} s`)
row('npm run build', median(builds))
for (const [index, args] of SEQUENCE.entries())
  row(`  npx ${args.slice(0, 2).join(' ').slice(0, 28)}`, sequence[index] ?? 0)
row('the tools one after another', total)
console.log(`ratio ${(median(builds) / total).toFixed(2)} (at most 0.60), median of ${rounds} rounds`)
