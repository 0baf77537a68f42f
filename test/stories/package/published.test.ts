import { readFileSync } from 'node:fs'
import { type Analysis, checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Consumer, consumer } from '../../package/consumer.js'

let project: Consumer
beforeAll(async () => {
  project = await consumer()
})
afterAll(() => project.remove())

it('the package passes publint', async () => {
  const { messages, pkg } = await publint({ pkgDir: project.installed, strict: true, pack: false })
  expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([])
})

it('are-the-types-wrong reports only what every package of ES modules has', async () => {
  const tarball = createPackageFromTarballData(readFileSync(project.packed.path))
  const analysis = (await checkPackage(tarball)) as Analysis
  const found = analysis.problems.filter((problem) => !isExplained(problem))
  expect(Object.keys(analysis.entrypoints)).toContain('./sandbox/node')
  expect(found).toEqual([])
})

/** What every package of ES modules has. */
const isExplained = (problem: Problem): boolean =>
  // The resolution `node10` knows no `exports`. Every Node that runs this package does, and the main entry needs none.
  ('resolutionKind' in problem && problem.resolutionKind === 'node10' && problem.entrypoint !== '.') ||
  // `require()` returns the ES module itself, which every Node that runs this package can do.
  problem.kind === 'CJSResolvesToESM' ||
  // A YAML file is for tools that read files. It is no module, so it has no declarations.
  (problem.kind === 'NoResolution' && problem.entrypoint.endsWith('.yaml'))
