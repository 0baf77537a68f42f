import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyProject, type Finished, finish, type Project } from '../support/project.js'

let project: Project
const read = (file: string) => readFileSync(join(project.root, file), 'utf8')
const git = (...args: string[]) => execFileSync('git', args, { cwd: project.root, encoding: 'utf8' })
const release = (...args: string[]): Promise<Finished> =>
  finish(process.execPath, ['--import', 'tsx', 'scripts/release.ts', ...args], project.root)
const otherTools = (script: string) => {
  mkdirSync(join(project.root, '.interop'), { recursive: true })
  writeFileSync(join(project.root, '.interop/tools.sh'), script)
}
/** The project after a release that did not come about. */
const untouched = () => ({
  status: git('status', '--porcelain'),
  tags: git('tag').trim().split('\n'),
  worktrees: git('worktree', 'list').trim().split('\n').length,
  stages: readdirSync(join(project.root, '.build')),
})

beforeAll(async () => {
  project = copyProject()
  rmSync(join(project.root, 'openapi/releases'), { recursive: true, force: true })
  rmSync(join(project.root, 'CHANGELOG.md'), { force: true })
  project.write('openapi/openapi.yaml', read('openapi/openapi.yaml').replace(/^ {2}version: .+$/m, '  version: 1.0.0'))
  // Other people's tools take minutes; here a script decides how they fare.
  project.edit('package.json', /"test:interop": "[^"]*"/, '"test:interop": "sh .interop/tools.sh"')
  otherTools('exit 0')
  git('init', '--quiet')
  git('config', 'user.name', 'A maintainer')
  git('config', 'user.email', 'maintainer@example.com')
  git('add', '.')
  git('commit', '--quiet', '-m', 'The contract')
  const { code, printed } = await release('--date', '2026-11-21')
  expect(printed).toContain('Released: committed and tagged v1.0.0.')
  expect(code).toBe(0)
})
afterAll(() => project.remove())

it('a release freezes and tags the first version, writes its changelog section and adds its date to the types', () => {
  expect(git('tag').trim()).toBe('v1.0.0')
  expect(git('status', '--porcelain')).toBe('')
  // The example of Service-Version is the newest release, which a release is not before it is made.
  const today = read('generated/openapi.yaml').replace(/^ +example: "2026-11-21"\n/m, '')
  expect(read('openapi/releases/2026-11-21.yaml')).toBe(today)
  expect(read('CHANGELOG.md')).toContain('## 1.0.0 - 2026-11-21')
  expect(read('generated/operations.ts')).toContain('export const releases = ["2026-11-21"] as const')
  expect(JSON.parse(read('dist/sbom.cdx.json')).bomFormat).toBe('CycloneDX')
})

it('a release is refused for a date that is not in the calendar', async () => {
  expect(await release('--date', '2026-02-30')).toEqual({
    code: 1,
    printed: '"2026-02-30" is not a date. Write --date YYYY-MM-DD.\n',
  })
})

it('a release restores every file and prints the output when a hook fails', async () => {
  project.edit('openapi/components/schemas/Run.yaml', /description: One execution.*/, 'description: An execution.')
  git('commit', '--quiet', '-am', 'Say it shorter')
  const hook = join(project.root, '.git/hooks/pre-commit')
  writeFileSync(hook, '#!/bin/sh\necho "The hook says no."\nexit 1\n', { mode: 0o755 })
  const { code, printed } = await release('--date', '2026-11-22')
  rmSync(hook)
  expect(code).toBe(1)
  expect(printed).toContain('The hook says no.')
  expect(printed).toContain('Nothing is released; every file is as it was.')
  expect(untouched()).toEqual({ status: '', tags: ['v1.0.0'], worktrees: 1, stages: [] })
})

it('a release that changes nothing on the wire gets the next patch version', async () => {
  expect((await release('--date', '2026-11-22')).printed).toContain('tagged v1.0.1')
  expect(read('CHANGELOG.md').match(/^## .+/gm)).toEqual([
    '## Unreleased',
    '## 1.0.1 - 2026-11-22',
    '## 1.0.0 - 2026-11-21',
  ])
  for (const file of ['package.json', 'packages/releases/package.json'])
    expect(JSON.parse(read(file)).version).toBe('1.0.1')
  expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe('1.0.1')
})

it('--dry-run plans a minor version and the next free date for an added field, and changes nothing', async () => {
  project.edit(
    'openapi/components/schemas/Provider.yaml',
    'properties:\n',
    'properties:\n  region:\n    type: string\n    description: Where it is.\n    x-basis: [A03]\n',
  )
  git('commit', '--quiet', '-am', 'Add a field')
  const { code, printed } = await release('--dry-run', '--date', '2026-11-21')
  expect(code).toBe(0)
  expect(printed).toContain('Next release  1.1.0, frozen as 2026-11-22')
  expect(printed).toContain('release with --date 2026-11-22, or from that day on.')
  expect(printed).toMatch(/### Changed\n\n\| where \| what \|\n.*\n\| GET \/providers \| added .*region/)
  expect(existsSync(join(project.root, 'openapi/releases/2026-11-22.yaml'))).toBe(false)
  expect(git('status', '--porcelain')).toBe('')

  expect(printed).toContain('The tag v1.1.0 starts .github/workflows/publish.yml')
  expect(printed).toMatch(
    /npm publish \.\/tarballs\/contract\.tgz --provenance --access public\n {2}@workflow-automation\/contract: \d+ files, \d+ kB, with dist\/sbom\.cdx\.json \(.*openapi-fetch/,
  )
  expect(printed).toMatch(
    /contract-releases\.tgz --provenance --access public\n {2}@workflow-automation\/contract-releases: /,
  )

  const small = await release('--dry-run', '--date', '2026-12-01', '--version', '1.0.2')
  expect(small.code).toBe(1)
  expect(small.printed).toContain(
    '1.0.2 is too small: the changes since 1.0.0 are minor, and the last release is 1.0.1. Release 1.1.0 or more.',
  )
})

describe('a release of an added field', () => {
  const UNTOUCHED = { status: '', tags: ['v1.0.0', 'v1.0.1'], worktrees: 1, stages: [] }

  it('a release is not made when another tool cannot read the contract, and prints its output', async () => {
    otherTools('echo "prism  failed  a schema does not compile"; exit 1')
    const { code, printed } = await release('--date', '2026-12-01')
    otherTools('exit 0')
    expect(code).toBe(1)
    expect(printed).toContain('prism  failed  a schema does not compile')
    expect(printed).toContain('Nothing is released; every file is as it was.')
    expect(untouched()).toEqual(UNTOUCHED)
  })

  it('an interrupted release leaves nothing behind', async () => {
    otherTools('exec sleep 60')
    const args = ['--import', 'tsx', 'scripts/release.ts', '--date', '2026-12-01']
    const child = spawn(process.execPath, args, { cwd: project.root, stdio: ['ignore', 'pipe', 'ignore'] })
    await new Promise<void>((resolve) =>
      child.stdout.on('data', (chunk) => {
        if (String(chunk).includes('npm run test:interop')) resolve()
      }),
    )
    child.kill('SIGINT')
    expect(await once(child, 'exit')).toEqual([130, null])
    otherTools('exit 0')
    expect(untouched()).toEqual(UNTOUCHED)
  })
})

describe('a breaking change', () => {
  it('a breaking change fails the check until the version is the next major one, and is not released without a migration text', async () => {
    project.edit('openapi/components/schemas/Provider.yaml', /^ {2}name:\n( {4}.*\n)+/m, '')
    for (const page of ['ProviderList', 'ProviderListLastPage'])
      project.edit(`openapi/components/examples/${page}.yaml`, /^ {6}name: .*\n/gm, '')
    const checked = await project.check()
    expect(checked.code).toBe(1)
    expect(checked.printed).toMatch(
      /^openapi\/openapi\.yaml {2}breaking {2}GET \/providers: removed .* name\. This breaks those who use 1\.0\.0; undo it, or give the contract the version 2\.0\.0/m,
    )

    project.edit('openapi/openapi.yaml', '  version: 1.0.1', '  version: 2.0.0')
    expect((await project.check()).printed).not.toContain('breaking')

    git('commit', '--quiet', '-am', 'Take the name of a provider away')
    const refused = await release('--dry-run', '--date', '2026-12-01')
    expect(refused.code).toBe(1)
    expect(refused.printed).toContain('in a file that you name with --migration FILE')

    const migration = join(project.root, '.interop/migration.md')
    writeFileSync(migration, 'Do without the name of a provider.\n')
    project.write(
      'CHANGELOG.md',
      read('CHANGELOG.md').replace('## Unreleased\n', '## Unreleased\n\nRegions are new.\n'),
    )
    git('commit', '--quiet', '-am', 'Write the notes')
    const { code, printed } = await release('--date', '2026-12-01', '--migration', migration)
    expect(printed).toContain('tagged v2.0.0')
    expect(code).toBe(0)
    const changelog = read('CHANGELOG.md')
    expect(changelog).toMatch(
      /## 2\.0\.0 - 2026-12-01[\s\S]+Regions are new\.\n\n### How to migrate\n\nDo without[\s\S]+### Breaking[\s\S]+removed .* name[\s\S]+## 1\.0\.1 - [\s\S]+## 1\.0\.0 - 2026-11-21/,
    )
    expect(changelog).toMatch(/^## Unreleased\n\n## 2\.0\.0 /m)
    expect(read('generated/operations.ts')).toContain('export const releases = ["2026-11-21", "2026-12-01"] as const')
  })

  it('the sandbox and the document of the previous release stay unchanged', async () => {
    const providers = async (entry: string) => {
      const script = `import { createSandbox } from './${entry}'
        const { fetch, baseUrl, keys } = createSandbox()
        const response = await fetch(baseUrl + '/providers', { headers: { authorization: 'Bearer ' + keys.valid } })
        console.log(JSON.stringify((await response.json()).data))`
      const { printed } = await finish(process.execPath, ['--input-type=module', '-e', script], project.root)
      return JSON.parse(printed) as object[]
    }
    const frozen = (date: string) => providers(`packages/releases/dist/${date}/sandbox.js`)
    expect((await providers('dist/src/sandbox/index.js'))[0]).not.toHaveProperty('name')
    expect((await frozen('2026-12-01'))[0]).not.toHaveProperty('name')
    expect((await frozen('2026-11-21'))[0]).toHaveProperty('name')
    expect(read('openapi/releases/2026-11-21.yaml')).toBe(git('show', 'v1.0.0:openapi/releases/2026-11-21.yaml'))
  })
})
