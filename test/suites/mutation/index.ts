/**
 * Changes the code in small ways, and counts the changes that no test notices.
 *
 *     npm run suite -- mutation [wing …] [--files 'src/tools/redis/limiter.ts']
 *
 * Without names all wings of `wings.ts`, which takes a night. The report of each is `.build/mutation/<wing>.json`: what it has
 * is tried again only when the code changed, or the test that noticed, or when another test may notice now.
 */
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { WING, WINGS } from './wings.js'

/** The least percentage of changes that a test of the wing has to notice. */
const LEAST = 93

async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { files: { type: 'string' } } })
  const rows: string[] = []
  let passed = true
  for (const [name, { mutate }] of Object.entries(WINGS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue
    process.env[WING] = name
    const stryker = new Stryker({
      configFile: 'test/suites/mutation/stryker.config.json',
      mutate: values.files ? [values.files] : mutate,
      incremental: true,
      incrementalFile: `.build/mutation/${name}.json`,
    })
    const statuses = (await stryker.runMutationTest()).map(({ status }) => status)
    const noticed = statuses.filter((status) => status === 'Killed' || status === 'Timeout').length
    const all = noticed + statuses.filter((status) => status === 'Survived' || status === 'NoCoverage').length
    const score = (100 * noticed) / all
    passed &&= score >= LEAST
    rows.push(`${name.padEnd(10)}${`${noticed} of ${all}`.padStart(14)}${score.toFixed(1).padStart(8)} %`)
  }
  process.stdout.write(`\n${rows.join('\n')}\n`)
  return passed
}

main().then(
  (passed) => process.exit(passed ? 0 : 1),
  (error) => {
    process.stderr.write(`The mutation tests did not start: ${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  },
)
