import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pack } from '../../scripts/pack.js'
import { run } from './run.js'
import type { Outcome, Row } from './runtimes.js'
import { pinnedProjects, type TypeProject, tsconfigOf, typeProjects } from './types.js'

const VERSIONS = { 'typescript5.4': '5.4', 'typescript5.9': '5.9', typescript7: '7.0' }

/** Every way to compile the package, under each version of TypeScript. */
export async function compilerRows(root: string, tools: string, project: string): Promise<Row[]> {
  await cp(join(root, 'test/types'), join(project, 'types'), { recursive: true })
  await cp(join(tools, '@types/node'), join(project, 'node_modules/@types/node'), { recursive: true })
  await cp(join(tools, 'undici-types'), join(project, 'node_modules/undici-types'), { recursive: true })
  const pinned = await withReleases(root, project)
  return Object.entries(VERSIONS).flatMap(([name, version]) => {
    const tsc = join(tools, name, 'bin/tsc')
    return [
      { name: `TypeScript ${version}`, run: () => compile(tsc, version, project, typeProjects(version)) },
      { name: `TypeScript ${version}, pinned`, run: () => compile(tsc, version, pinned, pinnedProjects()) },
    ]
  })
}

/** The project once more, with the package of releases, where the first release has no names of providers. */
async function withReleases(root: string, project: string): Promise<string> {
  const folder = `${project}-pinned`
  await rm(folder, { recursive: true, force: true })
  await cp(project, folder, { recursive: true })
  const installed = join(folder, 'node_modules/@workflow-automation/contract-releases')
  await mkdir(installed)
  const { path } = await pack(join(root, 'packages/releases'), folder)
  await run('tar', ['-xzf', path, '-C', installed, '--strip-components=1'], folder)
  const declarations = join(installed, 'dist', FIRST_RELEASE, 'operations.d.ts')
  const text = await readFile(declarations, 'utf8')
  const without = text.replace(/\btype Provider = \{[\s\S]*?\n\}/, (provider) =>
    provider.replace(/\bname\?: string;/, ''),
  )
  if (without === text) throw new Error(`${declarations} has no name of a provider.`)
  await writeFile(declarations, without)
  return folder
}

/** The one that `test/types/pinned.ts` names. */
const FIRST_RELEASE = '2026-11-21'

async function compile(tsc: string, version: string, project: string, projects: TypeProject[]): Promise<Outcome> {
  const outcome: Outcome = { passed: 0, failed: [] }
  for (const each of projects) {
    const file = `${version}-${each.name.replaceAll(/\W+/g, '-')}.json`
    await writeFile(join(project, file), JSON.stringify(tsconfigOf(each, 'types')))
    const { code, stdout, stderr } = await run(process.execPath, [tsc, '-p', file, '--pretty', 'false'], project)
    if (code === 0) outcome.passed++
    else outcome.failed.push(`${each.name}: ${(stdout || stderr).trim().split('\n').slice(0, 5).join('\n')}`)
  }
  return outcome
}
