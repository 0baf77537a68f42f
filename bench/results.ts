/**
 * Runs every measurement and writes what it printed to `bench/RESULTS.md`.
 *
 *     npm run build && npm --prefix bench ci && npx tsx bench/results.ts
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { join } from 'node:path'

const MEASUREMENTS: [title: string, command: string][] = [
  ['The sources and the tarball', 'npx tsx bench/sources.ts'],
  ['The build, beside the same tools one after another', 'npx tsx bench/build.ts 5'],
  ['The conformance kit', 'npx tsx bench/verify.ts'],
  ['A recording of 100 MB', 'node bench/har.mjs'],
  ['The documentation site', 'npx tsx bench/site.ts'],
  ['The client, beside its peers', 'npm --silent --prefix bench run bench'],
  ['A fleet of processes, beside its peers', 'npx tsx bench/fleet.ts'],
  ['A fleet whose Redis fails, beside its peers', 'npx tsx bench/fleet-outages.ts'],
  ['The sandbox, beside Prism and a bare server', 'node bench/sandbox.mjs'],
  ['The provider kit, beside frameworks with validation', 'node bench/service.mjs'],
  ['What the compiler pays, beside other clients', 'npx tsx bench/types.ts 3'],
  ['The build of larger contracts', 'npx tsx bench/growth.ts'],
  ['Changes of the contract', 'npm run --silent rehearsal'],
]

const machine = `Node ${process.version}, ${cpus().length} cores (${cpus()[0]?.model.trim()}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB`
const sections = [
  `# Results\n\nWritten by \`npx tsx bench/results.ts\`. Figures are medians; ratios travel better than times.\n\n${machine}\n`,
]

for (const [title, command] of MEASUREMENTS) {
  process.stderr.write(`${title}\n`)
  const [program = '', ...args] = command.split(' ')
  // A measurement that misses its target exits with 1, and its output says so.
  const { stdout: printed } = spawnSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  sections.push(`## ${title}\n\n\`${command}\`\n\n\`\`\`\n${printed.trimEnd()}\n\`\`\`\n`)
  writeFileSync(join(import.meta.dirname, 'RESULTS.md'), sections.join('\n'))
}
