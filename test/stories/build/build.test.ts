import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyProject, type Project, repository } from '../../support/project.js'

let project: Project
beforeAll(() => {
  project = copyProject()
})
afterAll(() => project.remove())

it('the build writes the same bytes each time, prints how long it took, and rebuilds after a change with --watch', async () => {
  const before = project.generated()
  const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/build.ts', '--no-site', '--watch'], {
    cwd: project.root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  const built = () =>
    new Promise<void>((resolve) =>
      child.stdout.on('data', (chunk) => {
        printed += chunk
        if (String(chunk).includes('Built generated/')) resolve()
      }),
    )
  try {
    await built()
    expect(printed).toMatch(/^ +\d+\.\d s {2}types +\d+ ms$/m)
    expect(project.generated()).toEqual(before)
    for (const file of ['src/index.js', 'src/index.d.ts', 'src/validators/index.js'])
      expect(existsSync(join(project.root, 'dist', file)), file).toBe(true)
    // As an editor saves: a new file takes the place of the old one. Then a change of the new file.
    const saved = built()
    const file = join(project.root, 'openapi/components/schemas/Run.yaml')
    writeFileSync(`${file}~`, readFileSync(file, 'utf8').replace('Identifies the run.', 'Names the run.'))
    renameSync(`${file}~`, file)
    await saved
    expect(project.generated()['types.ts']).toContain('Names the run.')
    const changed = built()
    project.edit('openapi/components/schemas/Run.yaml', 'Names the run.', 'Identifies the run.')
    await changed
    expect(project.generated()).toEqual(before)
  } finally {
    child.kill('SIGTERM')
    await once(child, 'close')
  }
})

it('generated/ in the repository is what the build writes', () => {
  const tracked = execFileSync('git', ['ls-files', 'generated'], { cwd: repository, encoding: 'utf8' })
    .trim()
    .split('\n')
  expect(tracked.map((file) => file.replace('generated/', '')).sort()).toEqual(Object.keys(project.generated()).sort())
})

it('npm run check reports an edited file of generated/, the files that a change of openapi/ makes stale, and a released document that is not that of the package', async () => {
  project.edit('generated/client/methods.ts', 'listPlaybooks', 'listAllPlaybooks')
  project.edit('openapi/components/schemas/Run.yaml', 'Identifies the run.', 'Names the run.')
  project.edit('openapi/released.yaml', /^ {2}version: .*/m, '  version: 0.9.0')
  const { code, printed } = await project.check()
  expect(code).toBe(1)
  for (const file of ['client/methods.ts', 'openapi.yaml', 'openapi.json', 'types.ts'])
    expect(printed).toContain(
      `generated/${file}  drift  This is not what openapi/ makes. Run "npm run build" and commit the result.`,
    )
  expect(printed).not.toContain('generated/examples.ts')
  expect(printed).toMatch(
    /^openapi\/released\.yaml {2}released {2}This is the document of 0\.9\.0, and package\.json is of /m,
  )
})
