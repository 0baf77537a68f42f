import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { loadContract } from '../../scripts/contract/load.js'
import { repository, tsc } from '../support/project.js'
import { STRICT, usesOfAll } from './uses.js'

// With the openapi-fetch that is installed here; `libraries.test.ts` has the versions and libraries that users have.

/** Below the repository, so that the name of the package leads to what was built. */
const folder = join(repository, '.build/first-use')
const uses = usesOfAll(await loadContract(repository), [
  'openapi-fetch',
  'openapi-fetch-by-path',
  'our-methods',
  'our-paths',
])
// In a rehearsal, where the contract changes, a person would change these.
const written: string[] = process.env.REHEARSAL
  ? []
  : ['test/types/first-use/openapi-fetch.ts', 'test/types/fixtures.ts']
let printed = ''

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [file, text] of Object.entries(uses)) writeFileSync(join(folder, file), text)
  for (const file of written) copyFileSync(join(repository, file), join(folder, `written-${basename(file)}`))
  const files = [...Object.keys(uses), ...written.map((file) => `written-${basename(file)}`)]
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, files }))
  printed = (await tsc(folder, '-p', '.', '--pretty', 'false')).printed
})

it.each([...Object.keys(uses), ...written])('%s compiles, which uses each value as users write', (file) => {
  expect(printed.split('\n').filter((line) => line.includes(`${basename(file)}(`))).toEqual([])
})

it('all programs compile together', () => {
  expect(printed).toBe('')
})

it('the entries for tests compile where no library of the project has `using`', async () => {
  const own = join(folder, 'older')
  mkdirSync(own, { recursive: true })
  writeFileSync(
    join(own, 'uses.ts'),
    [
      "import { createTestService } from '@workflow-automation/contract/testing'",
      "import { connectSandbox } from '@workflow-automation/contract/sandbox/remote'",
      'console.log(createTestService, connectSandbox)',
    ].join('\n'),
  )
  const compilerOptions = { ...STRICT, lib: ['ES2022', 'DOM'], types: [] }
  writeFileSync(join(own, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['uses.ts'] }))
  expect((await tsc(own, '-p', '.', '--pretty', 'false')).printed).toBe('')
})
