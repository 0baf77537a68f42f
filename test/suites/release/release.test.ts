import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'
import { copyProject, type Finished, finish, type Project } from '../../support/project.js'

let project: Project
const read = (file: string) => readFileSync(join(project.root, file), 'utf8')
const git = (...args: string[]) => execFileSync('git', args, { cwd: project.root, encoding: 'utf8' })
const commit = (message: string) => git('commit', '--quiet', '-am', message)
const release = (...args: string[]): Promise<Finished> =>
  finish(process.execPath, ['--import', 'tsx', 'scripts/release.ts', ...args], project.root)
/** The tests of the project take a minute; here a script decides whether they pass. */
const tests = (script: string) => writeFileSync(join(project.root, '.build/tests.sh'), script)
/** The project after a release that did not come about. */
const untouched = () => ({
  status: git('status', '--porcelain'),
  tags: git('tag').trim().split('\n'),
  worktrees: git('worktree', 'list').trim().split('\n').length,
  stages: readdirSync(join(project.root, '.build')).filter((name) => name.startsWith('stage-')),
})
const NOTHING = (...tags: string[]) => ({ status: '', tags, worktrees: 1, stages: [] })
const today = new Date().toISOString().slice(0, 10)

beforeAll(async () => {
  project = copyProject()
  project.write('openapi/openapi.yaml', read('openapi/openapi.yaml').replace(/^ {2}version: .+$/m, '  version: 1.0.0'))
  for (const file of ['package.json', 'package-lock.json'])
    project.edit(file, /"version": "[^"]*"/, '"version": "1.0.0"')
  project.edit('package.json', /"test": "[^"]*"/, `"test": "sh '${project.root}/.build/tests.sh'"`)
  // The copy has neither tests nor the settings of the linters.
  project.edit('package.json', /"lint": "[^"]*"/, '"lint": "true"')
  project.write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n## 1.0.0 - 2026-01-01\n\nThe first.\n')
  expect(await project.build()).toMatchObject({ code: 0 })
  tests('npm run --silent build')
  project.write('openapi/released.yaml', read('generated/openapi.yaml'))
  git('init', '--quiet', '-b', 'main')
  git('config', 'user.name', 'A maintainer')
  git('config', 'user.email', 'maintainer@example.com')
  git('add', '.')
  git('commit', '--quiet', '-m', 'The contract')
  git('tag', 'v1.0.0')
  project.edit('CHANGELOG.md', '## Unreleased\n', '## Unreleased\n\n- Retries are quicker.\n')
  commit('Retry sooner')
})
afterAll(() => project.remove())

it('a release of a document that has not changed gets the next patch version, and the notes that were unreleased', async () => {
  const { code, printed } = await release()
  expect(printed).toContain('Released: committed and tagged v1.0.1.')
  expect(code).toBe(0)
  expect(git('tag').trim().split('\n')).toEqual(['v1.0.0', 'v1.0.1'])
  expect(git('status', '--porcelain')).toBe('')
  expect(read('CHANGELOG.md')).toBe(
    `# Changelog\n\n## Unreleased\n\n## 1.0.1 - ${today}\n\n- Retries are quicker.\n\n## 1.0.0 - 2026-01-01\n\nThe first.\n`,
  )
  for (const file of ['package.json', 'package-lock.json']) expect(JSON.parse(read(file)).version).toBe('1.0.1')
  expect(JSON.parse(read('package-lock.json')).packages[''].version).toBe('1.0.1')
  const { dependencies } = JSON.parse(read('examples/jest/package.json'))
  expect(dependencies['@workflow-automation/contract']).toBe('^1.0.1')
  expect(parse(read('openapi/released.yaml'))).toEqual(parse(read('generated/openapi.yaml')))
  expect(read('generated/contract.ts')).toContain('workflow-automation-contract/1.0.1')
  expect((await project.check()).printed).toContain('The document is that of 1.0.1.')
})

it('npm run check and a dry run say whom an added field and a changed parameter concern, and change nothing', async () => {
  project.edit(
    'openapi/components/schemas/Provider.yaml',
    'properties:\n',
    'properties:\n  region:\n    type: string\n    description: Where it is.\n    x-basis: [A03]\n',
  )
  expect(await project.build()).toMatchObject({ code: 0 })
  commit('Add a field')
  const { code, printed } = await release('--dry-run')
  expect({ code, printed }).toMatchObject({ code: 0 })
  expect(printed).toContain('Last release  1.0.1\nNext release  1.1.0\n')
  expect(printed).toMatch(/^For code that reads responses:\n {2}minor {2}GET \/providers: added .*region/m)
  expect(git('status', '--porcelain')).toBe('')
  const checked = await project.check()
  expect(checked.code).toBe(0)
  expect(checked.printed).toMatch(/^For code that reads responses:\n {2}minor {2}GET \/providers: added .*region/m)
})

it('a version that is too small for the changes of the document is refused, and a new major one without notes too', async () => {
  const small = await release('--dry-run', '--version', '1.0.2')
  expect(small).toEqual({
    code: 1,
    printed: '1.0.2 is too small: the changes of the document since 1.0.1 are minor. Release 1.1.0 or more.\n',
  })
  expect((await release('--dry-run', '--version', 'next')).printed).toContain('"next" is not a version.')
  const major = await release('--dry-run', '--version', '2.0.0')
  expect(major).toEqual({
    code: 1,
    printed: '2.0.0 breaks users of 1.0.1. Write what they have to do under "## Unreleased" of CHANGELOG.md.\n',
  })
})

it('a release is not made when the tests fail, and prints their output', async () => {
  tests('echo "1 test failed"; exit 1')
  const { code, printed } = await release()
  tests('npm run --silent build')
  expect(code).toBe(1)
  expect(printed).toContain('1 test failed')
  expect(printed).toContain('Nothing is released; every file is as it was.')
  expect(untouched()).toEqual(NOTHING('v1.0.0', 'v1.0.1'))
})

it('a release is not made when what is generated was changed by hand', async () => {
  const before = untouched()
  project.edit('generated/openapi.yaml', /$/, '# By hand.\n')
  commit('Edit a generated file')
  const { code, printed } = await release()
  git('reset', '--quiet', '--hard', 'HEAD~1')
  expect(code).toBe(1)
  expect(printed).toContain('generated/openapi.yaml  drift  This is not what openapi/ makes.')
  expect(printed).toContain('Nothing is released; every file is as it was.')
  expect(untouched()).toEqual(before)
})

it('a release restores every file and prints the output when a hook fails', async () => {
  const hook = join(project.root, '.git/hooks/pre-commit')
  writeFileSync(hook, '#!/bin/sh\necho "The hook says no."\nexit 1\n', { mode: 0o755 })
  const { code, printed } = await release()
  rmSync(hook)
  expect(code).toBe(1)
  expect(printed).toContain('The hook says no.')
  expect(untouched()).toEqual(NOTHING('v1.0.0', 'v1.0.1'))
})

it.each([
  ['SIGINT', 130],
  ['SIGHUP', 129],
] as const)('a release that %s interrupts leaves nothing behind, and no tests that go on', async (signal, code) => {
  const file = join(project.root, '.build/tests.pid')
  tests(`echo $$ > '${file}'; exec sleep 600`)
  const child = spawn(process.execPath, ['--import', 'tsx', 'scripts/release.ts'], {
    cwd: project.root,
    stdio: 'ignore',
  })
  const ended = once(child, 'exit')
  await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8').trim(), { timeout: 120_000 }).toBeTruthy()
  const pid = read('.build/tests.pid').trim()
  rmSync(file)
  child.kill(signal)
  expect(await ended).toEqual([code, null])
  // A process that has ended may still be listed, as a zombie.
  const isRunning = () => /^[^Z]/.test(spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' }).stdout)
  await expect.poll(isRunning, { timeout: 10_000 }).toBe(false)
  tests('npm run --silent build')
  expect(untouched()).toEqual(NOTHING('v1.0.0', 'v1.0.1'))
})

it('a release is refused while something is not committed', async () => {
  writeFileSync(join(project.root, 'notes.txt'), 'To do.')
  const { code, printed } = await release()
  rmSync(join(project.root, 'notes.txt'))
  expect(code).toBe(1)
  expect(printed).toContain('Something is not committed yet:\n\n?? notes.txt')
})

it('a breaking change fails the check until info.version is the next major one, which is then released', async () => {
  project.edit('openapi/components/schemas/Provider.yaml', /^ {2}name:\n( {4}.*\n)+/m, '')
  for (const page of ['ProviderList', 'ProviderListLastPage'])
    project.edit(`openapi/components/examples/${page}.yaml`, /^ {6}name: .*\n/gm, '')
  // The build checks the providers among the examples too.
  project.edit('examples/provider-hono/app.ts', /(\{ id: '(?:crm|mail)'), name: '[^']*'/g, '$1')
  const checked = await project.check()
  expect(checked.code).toBe(1)
  expect(checked.printed).toMatch(
    /^openapi\/openapi\.yaml {2}breaking {2}GET \/providers: removed .* name\. This breaks users of 1\.0\.1; undo it, or raise info\.version to 2\.0\.0\./m,
  )

  project.edit('openapi/openapi.yaml', '  version: 1.0.1', '  version: 2.0.0')
  expect(await project.build()).toMatchObject({ code: 0 })
  const raised = await project.check()
  expect({ code: raised.code, printed: raised.printed }).toMatchObject({ code: 0 })
  expect(raised.printed).toMatch(/^ {2}major {2}GET \/providers: removed .* name/m)
  expect(JSON.parse(read('package.json')).version).toBe('1.0.1')

  project.edit('CHANGELOG.md', '## Unreleased\n', '## Unreleased\n\nDo without the name of a provider.\n')
  commit('Take the name of a provider away')
  const { code, printed } = await release()
  expect(printed).toContain('tagged v2.0.0')
  expect(code).toBe(0)
  expect(JSON.parse(read('package.json')).version).toBe('2.0.0')
  expect(read('CHANGELOG.md')).toContain(
    `## Unreleased\n\n## 2.0.0 - ${today}\n\nDo without the name of a provider.\n\n## 1.0.1`,
  )
  expect(parse(read('openapi/released.yaml')).info.version).toBe('2.0.0')
  expect((await project.check()).code).toBe(0)
})
