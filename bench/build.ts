/**
 * Is the build, which does all of it and more, quicker than the same tools one after another through npx?
 *
 *     npx tsx bench/build.ts [rounds]
 *
 * Limits: 0.75 of the sequence, and 1.25 of it with TypeScript 7. The build also makes the validators, the reference and the site, which
 * no tool of the sequence makes and which take more than half of its time. It compiles with TypeScript 7, so the sequence is measured with that and with the `tsc` that
 * npx finds, 5.9.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NATIVE_TSC } from '../scripts/support/process.js'
import { median, printTargets } from './table.js'

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
const NATIVE = [NATIVE_TSC, '-p', 'tsconfig.build.json', '--outDir', join(out, 'native')]

// openapi-typescript refuses a Redocly configuration that does not name its output.
writeFileSync(join(out, 'none.yaml'), '{}\n')

const timed = (work: () => void): number => {
  const from = performance.now()
  work()
  return (performance.now() - from) / 1000
}
const call = (command: string, args: string[]) => execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })

const builds: number[] = []
const steps: number[][] = SEQUENCE.map(() => [])
const natives: number[] = []
for (let round = 0; round < rounds; round++) {
  builds.push(timed(() => call('npm', ['run', 'build'])))
  for (const [index, args] of SEQUENCE.entries()) steps[index]?.push(timed(() => call('npx', args)))
  natives.push(timed(() => call('node', NATIVE)))
}
rmSync(out, { recursive: true })

const sequence = steps.map(median)
const total = sequence.reduce((sum, each) => sum + each, 0)
const totalWithNative = total - (sequence.at(-1) ?? 0) + median(natives)
const row = (name: string, value: number) => console.log(`${name.padEnd(40)} ${value.toFixed(2).padStart(6)} s`)
row('npm run build', median(builds))
const nameOf = (args: string[]) =>
  `npx ${args
    .slice(0, 2)
    .filter((word) => /^[a-z]/.test(word))
    .join(' ')}`
for (const [index, args] of SEQUENCE.entries()) row(`  ${nameOf(args)}`, sequence[index] ?? 0)
row('  TypeScript 7 in the place of npx tsc', median(natives))
row('one after another', total)
row('one after another, with TypeScript 7', totalWithNative)
printTargets([
  ['npm run build, times the sequence', median(builds) / total, 0.75],
  ['the same with TypeScript 7', median(builds) / totalWithNative, 1.25],
])
