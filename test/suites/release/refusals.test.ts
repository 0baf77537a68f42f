import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { addressOf, replaceAddress } from '../../../scripts/release/address.js'
import { unreleasedNotes, withRelease } from '../../../scripts/release/changelog.js'
import { chosenVersion } from '../../../scripts/release/document.js'
import { requireReady } from '../../../scripts/release/ready.js'
import { finish, repository } from '../../support/project.js'

let folder: string
let root: string
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'refusals-'))
  root = join(folder, 'project')
  mkdirSync(root)
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a repository', () => {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' })
  const commit = (text: string) => {
    write('notes.txt', text)
    git('add', '.')
    git('commit', '--quiet', '-m', text)
  }
  beforeEach(() => {
    git('init', '--quiet', '-b', 'main')
    git('config', 'user.name', 'A maintainer')
    git('config', 'user.email', 'maintainer@example.com')
    commit('Release 4.0.0')
    git('tag', '-a', 'v4.0.0', '-m', 'Release 4.0.0')
  })

  it('a release is refused while nothing has changed since the last one', async () => {
    await expect(requireReady(root, '4.0.0')).rejects.toThrow('Nothing has changed since v4.0.0. There is nothing to')
    commit('Something else')
    expect(await requireReady(root, '4.0.0')).toBe('main')
  })

  it('a release is made on main, or on the branch of the last major version', async () => {
    commit('Something else')
    git('switch', '--quiet', '-c', 'topic')
    await expect(requireReady(root, '4.0.0')).rejects.toThrow(
      'This is the branch topic. Release from main, or from 4.x',
    )
    git('switch', '--quiet', '--detach')
    await expect(requireReady(root, '4.0.0')).rejects.toThrow('This is no branch. Release from main')
    git('switch', '--quiet', '-c', '4.x')
    expect(await requireReady(root, '4.0.0')).toBe('4.x')
  })

  it('a release is refused when others have pushed to its branch, and not when it is ahead', async () => {
    const [remote, other] = [join(folder, 'remote'), join(folder, 'other')]
    git('init', '--quiet', '--bare', remote)
    git('push', '--quiet', '--set-upstream', remote, 'main')
    git('remote', 'add', 'origin', remote)
    git('config', 'branch.main.remote', 'origin')
    commit('Something else')
    expect(await requireReady(root, '4.0.0')).toBe('main')
    git('clone', '--quiet', '-b', 'main', remote, other)
    const there = ['-C', other, '-c', 'user.name=Another', '-c', 'user.email=another@example.com']
    git(...there, 'commit', '--quiet', '--allow-empty', '-m', 'What another has done')
    git('-C', other, 'push', '--quiet')
    await expect(requireReady(root, '4.0.0')).rejects.toThrow('origin/main has 1 commit that is not here. Pull first')
  })

  it('a release is refused while something is not committed', async () => {
    write('todo.txt', 'To do.')
    await expect(requireReady(root, '4.0.0')).rejects.toThrow('Something is not committed yet:\n\n?? todo.txt')
  })
})

describe('the arguments', () => {
  const release = (args: string[], env: NodeJS.ProcessEnv = {}) => {
    symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'))
    return finish(process.execPath, ['--import', 'tsx', join(repository, 'scripts/release.ts'), ...args], root, env)
  }

  it('npm run release --dry-run, whose option npm keeps for itself, is refused', async () => {
    const { code, printed } = await release([], { npm_config_dry_run: 'true' })
    expect({ code, printed }).toEqual({
      code: 1,
      printed: 'npm has kept --dry-run for itself. Write npm run release -- --dry-run\n',
    })
  })

  it('a command takes no options', async () => {
    const { code, printed } = await release(['address', 'https://git.example.org/a/b', '--dry-run'])
    expect(code).toBe(1)
    expect(printed).toMatch(/^The command takes no options\.\n\nnpm run release -- /)
  })
})

it('npm pack and npm publish are refused, and say how the package is packed', async () => {
  const { prepack } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).scripts
  write('package.json', JSON.stringify({ name: 'contract', version: '1.0.0', scripts: { prepack } }))
  const { code, printed } = await finish('npm', ['pack'], root)
  expect(code).toBe(1)
  expect(printed).toContain('Write npm run release -- tarball, which packs what is published')
  expect(readdirSync(root)).toEqual(['package.json'])
})

describe('the address', () => {
  const files = ['package.json', 'README.md', 'SECURITY.md', 'docs/guides/testing.md']
  beforeEach(() => {
    for (const file of files) write(file, readFileSync(join(repository, file), 'utf8'))
  })

  it.each(['https://git.example.org/a/b', 'https://git.example.org/a/b.git', 'https://git.example.org/group/a/b'])(
    '%s replaces the one that the files have',
    (address) => {
      const before = addressOf(root)
      replaceAddress(root, address)
      const after = address.replace(/\.git$/, '')
      expect(addressOf(root)).toBe(after)
      for (const file of files) {
        expect(readFileSync(join(root, file), 'utf8')).toBe(
          readFileSync(join(repository, file), 'utf8').replaceAll(before, after),
        )
      }
    },
  )

  it.each([
    'https://git.example.org/a',
    'https://git.example.org/a/',
    'http://git.example.org/a/b',
    'git.example.org/a/b',
  ])('%s is refused', (address) =>
    expect(() => replaceAddress(root, address)).toThrow(`"${address}" is not an address.`),
  )
})

describe('the version', () => {
  const comparison = { last: '4.0.0', changes: [], impact: undefined, needed: '4.0.1', notEnforced: [] }
  const choose = (wanted?: string, more: { written?: string; needed?: string; impact?: 'minor' } = {}) => {
    const { written = '4.0.0', ...rest } = more
    write('openapi/openapi.yaml', `info:\n  version: ${written}\n`)
    return chosenVersion(root, wanted, { ...comparison, ...rest })
  }

  it.each(['4.0.1', '4.1.0', '5.0.0'])('%s may follow 4.0.0', (version) => expect(choose(version)).toBe(version))

  it.each(['50.0.0', '4.0.2', '4.2.0', '4.1.1', '5.0.1'])('%s does not follow 4.0.0', (version) => {
    expect(() => choose(version)).toThrow(`${version} does not follow 4.0.0. Release 4.0.1, 4.1.0 or 5.0.0.`)
  })

  it.each(['4.0.0', '3.9.9'])('%s is refused because it is not greater than the last release', (version) => {
    expect(() => choose(version)).toThrow(`${version} is not greater than 4.0.0, the last release.`)
  })

  it('a version that openapi.yaml has mistyped is refused', () => {
    expect(() => choose(undefined, { written: '50.0.0' })).toThrow('50.0.0 does not follow 4.0.0.')
  })

  it('a version below that of openapi.yaml is refused', () => {
    expect(choose(undefined, { written: '5.0.0' })).toBe('5.0.0')
    expect(() => choose('4.1.0', { written: '5.0.0' })).toThrow(
      '4.1.0 is less than 5.0.0, the info.version of openapi/openapi.yaml.',
    )
  })

  it('a version that is too small for the changes is refused', () => {
    expect(() => choose('4.0.1', { needed: '4.1.0', impact: 'minor' })).toThrow(
      '4.0.1 is too small: the changes of the document since 4.0.0 are minor. Release 4.1.0 or more.',
    )
  })

  it('what is not three numbers is refused', () => {
    expect(() => choose('next')).toThrow('"next" is not a version. Write three numbers, for example 4.0.1.')
  })
})

describe('the changelog', () => {
  it.each(['# Changelog\n\n## 4.0.0\n\nThe first.\n', '# Changelog\n\n## unreleased\n\n- Quicker.\n'])(
    'a changelog without the heading is refused: %j',
    (changelog) => {
      const sentence = 'CHANGELOG.md has no line "## Unreleased". Write it above the notes of the next release.'
      expect(() => unreleasedNotes(changelog)).toThrow(sentence)
      expect(() => withRelease(changelog, '4.0.1', '2026-01-01')).toThrow(sentence)
    },
  )

  it('a section without notes says that users notice nothing', () => {
    expect(withRelease('# Changelog\n\n## Unreleased\n\n## 4.0.0\n', '4.0.1', '2026-01-01')).toBe(
      '# Changelog\n\n## Unreleased\n\n## 4.0.1 - 2026-01-01\n\nNothing that users notice has changed.\n\n## 4.0.0\n',
    )
  })
})
