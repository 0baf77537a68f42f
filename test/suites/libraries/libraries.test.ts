import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadContract } from '../../../scripts/contract/load.js'
import { pack } from '../../../scripts/pack.js'
import { STRICT, usesOfAll } from '../../package/uses.js'
import { finish, repository } from '../../support/project.js'

const projects: Record<string, Record<string, string>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'libraries.json'), 'utf8'),
)
const contract = await loadContract(repository)
const written = join(repository, 'test/types')
const require = createRequire(import.meta.url)
const compilerIn = (name: string) => join(require.resolve(`${name}/package.json`), '../bin/tsc')

describe.each(Object.entries(projects))('%s', (_, packages) => {
  const root = mkdtempSync(join(tmpdir(), 'libraries-'))
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  beforeAll(async () => {
    writeFileSync(join(root, 'package.json'), '{ "private": true, "type": "module" }\n')
    const { path } = await pack(repository, root)
    const versions = Object.entries(packages).map(([name, version]) => `${name}@${version}`)
    const more = [path, 'typescript5.4@npm:typescript@5.4.5', '@types/node@20.19.43']
    const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--legacy-peer-deps']
    execFileSync('npm', ['install', ...quiet, ...versions, ...more], { cwd: root, stdio: 'pipe' })
    mkdirSync(join(root, 'uses'))
    const clients = ['openapi-fetch', 'openapi-fetch-by-path', 'openapi-react-query', 'swr-openapi'] as const
    const used = clients.filter((name) => name.startsWith('openapi-fetch') || packages[name])
    for (const [file, text] of Object.entries(usesOfAll(contract, [...used, 'our-methods', 'our-paths'])))
      writeFileSync(join(root, 'uses', file), text)
    for (const file of readdirSync(join(written, 'first-use')))
      if (packages[file.replace(/\.ts$/, '')])
        cpSync(join(written, 'first-use', file), join(root, 'uses', `own-${file}`))
    cpSync(join(written, 'fixtures.ts'), join(root, 'uses/own-fixtures.ts'))
    writeFileSync(join(root, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, include: ['uses'] }))
  })

  it.each([
    ['5.4', () => join(root, 'node_modules/typescript5.4/bin/tsc')],
    ['5.9', () => compilerIn('typescript')],
    ['7', () => compilerIn('typescript-native')],
  ])('each value is used as users write, under TypeScript %s', async (_, compiler) => {
    const { printed } = await finish(process.execPath, [compiler(), '-p', '.', '--pretty', 'false'], root)
    // Declarations of a library that an older compiler cannot read are for the library to mend.
    const ours = printed.split('\n').filter((line) => !/^( |node_modules\/(?!@workflow-automation\/))/.test(line))
    expect(ours.join('\n')).toBe('')
  })
})
