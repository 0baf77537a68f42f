/**
 * Puts the contract before the tools of others: readers, linters, fuzzers, mocks and generators for other languages.
 *
 *     npm run suite -- interop [part of a name …] [--quick] [--save] [--document FILE]
 *
 * `dist/` has to be built. Downloads stay in `.interop/`. `--quick` takes the tools that npm and PyPI have, without the
 * fuzzer, for a release. `--save` writes the results of the chosen tools to `test/suites/interop/results.yaml`, which the site
 * shows. `--document` takes another document, for example openapi/released.yaml.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { parse, stringify } from 'yaml'
import { type Result, runTool, type Subject } from './run.js'
import { readTools, type Tool } from './tools.js'

/** More than a machine has cores: much of the time is spent on downloads and waits. */
const TOGETHER = 3

async function main(root: string): Promise<boolean> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      document: { type: 'string', default: 'generated/openapi.yaml' },
      quick: { type: 'boolean', default: false },
      save: { type: 'boolean', default: false },
    },
  })
  const tools = await readTools()
  const chosen = tools
    .filter((tool) => !values.quick || isQuick(tool))
    .filter(({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)))
  const results = await runAll({ root, document: resolve(root, values.document) }, chosen)
  if (values.save) await save(tools, results)
  const count = (outcome: Result['outcome']) => results.filter((each) => each.outcome === outcome).length
  process.stdout.write(`\n${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped\n`)
  return count('failed') === 0
}

/** Writes what was found, and keeps what an earlier run found of the other tools. */
async function save(tools: Tool[], results: Result[]): Promise<void> {
  const file = join(import.meta.dirname, 'results.yaml')
  const earlier: Result[] = parse(await readFile(file, 'utf8').catch(() => '[]'))
  const found = new Map([...earlier, ...results].map(({ detail, ...saved }) => [saved.name, saved]))
  const comment = '# Written by `npm run suite -- interop --save`; the guide "Other languages" shows it.\n'
  const lines = tools
    .flatMap(({ name }) => found.get(name) ?? [])
    .map((saved) => `- ${stringify(saved, { collectionStyle: 'flow', lineWidth: 0 })}`)
  await writeFile(file, comment + lines.join(''))
}

const isQuick = ({ install, needs, quick = true }: Tool): boolean => quick && !needs && !install?.maven && !install?.go

/** Runs all, a few at a time, and prints a line for each. */
async function runAll(subject: Subject, tools: Tool[]): Promise<Result[]> {
  const results: Result[] = []
  const waiting = [...tools.entries()]
  const width = Math.max(...tools.map(({ name }) => name.length)) + 2
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [index, tool] = next
      const from = performance.now()
      const result = await runTool(subject, tool)
      results[index] = result
      const seconds = ((performance.now() - from) / 1000).toFixed(1).padStart(6)
      process.stdout.write(
        `${tool.name.padEnd(width)}${result.version.padEnd(12)}${result.outcome.padEnd(9)}${seconds} s  ${result.reason ?? result.does}\n`,
      )
      if (result.detail) process.stdout.write(`  ${result.detail.replaceAll('\n', '\n  ')}\n`)
    }
  }
  await Promise.all(Array.from({ length: TOGETHER }, work))
  return results
}

main(process.cwd()).then(
  (passed) => process.exit(passed ? 0 : 1),
  (error) => {
    process.stderr.write(`The interop tests did not start: ${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  },
)
