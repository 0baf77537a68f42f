import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { toolPath } from '../../scripts/process.js'
import { copyProject, finish, type Project, repository } from '../support/project.js'

let project: Project
beforeEach(() => {
  project = copyProject()
})
afterEach(() => project.remove())

it('makes generated/ and dist/ again, the same bytes every time, and tells the time of each step and the score', async () => {
  const before = project.generated()
  const { code, printed } = await project.build()
  expect(printed).toMatch(/^ +\d+\.\d s {2}types +\d+ ms$/m)
  expect(printed).toMatch(/^redocly score \d+(\.\d)? of 100; below full: /m)
  expect(code).toBe(0)
  expect(project.generated()).toEqual(before)
  for (const file of ['src/index.js', 'src/index.d.ts', 'generated/validators.js', 'docs/index.html'])
    expect(existsSync(join(project.root, 'dist', file)), file).toBe(true)
  expect(readdirSync(join(project.root, '.build'))).toEqual([])
})

it('check passes on what openapi/ makes, and names the file that somebody edited', async () => {
  expect((await project.build('--check')).code).toBe(0)
  project.edit('generated/operations.ts', /requestsPerMinute: \d+/, 'requestsPerMinute: 61')
  const { code, printed } = await project.build('--check')
  expect(code).toBe(1)
  expect(printed).toContain(
    'generated/operations.ts  drift  This is not what openapi/ makes. Run "npm run build" and commit the result.',
  )
})

it('check fails when openapi/ was edited and not built', async () => {
  project.edit('openapi/components/schemas/Run.yaml', 'Identifies the run.', 'Names the run.')
  const { code, printed } = await project.build('--check')
  expect(code).toBe(1)
  for (const file of ['openapi.yaml', 'openapi.json', 'types.ts']) expect(printed).toContain(`generated/${file}  drift`)
})

it('--watch builds again when the contract changes', async () => {
  const build = spawn(process.execPath, ['--import', 'tsx', 'scripts/build.ts', '--watch'], {
    cwd: project.root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const built = () =>
    new Promise<void>((resolve) =>
      build.stdout.on('data', (chunk) => {
        if (String(chunk).includes('redocly score')) resolve()
      }),
    )
  try {
    await built()
    const again = built()
    project.edit('openapi/components/schemas/Run.yaml', 'Identifies the run.', 'Names the run.')
    await again
    expect(project.generated()['types.ts']).toContain('Names the run.')
  } finally {
    build.kill('SIGTERM')
    await once(build, 'close')
  }
})

it('Spectral and Redocly find nothing, neither in the source nor in the bundle, when they are called by hand', async () => {
  const spectral = await finish(
    process.execPath,
    [toolPath('spectral'), 'lint', 'openapi/openapi.yaml', 'generated/openapi.yaml'],
    repository,
  )
  expect(spectral.printed).toContain("No results with a severity of 'error' found!")
  const redocly = await finish(
    process.execPath,
    [toolPath('redocly'), 'lint', 'contract', 'generated/openapi.yaml'],
    repository,
  )
  expect(redocly.printed).toContain('Your API descriptions are valid')
})

it('the repository holds what the build makes', () => {
  const tracked = execFileSync('git', ['ls-files', 'generated'], { cwd: repository, encoding: 'utf8' })
    .trim()
    .split('\n')
  expect(tracked.map((file) => file.replace('generated/', '')).sort()).toEqual(Object.keys(project.generated()).sort())
})
