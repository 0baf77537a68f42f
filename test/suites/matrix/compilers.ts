import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './run.js'
import type { Outcome, Row } from './runtimes.js'
import { type TypeProject, tsconfigOf, typeProjects } from './types.js'

/** The versions of TypeScript that are tried; the README names the least. */
export const VERSIONS = { 'typescript5.4': '5.4', typescript7: '7.0' }

/** Every way to compile the package, under each version of TypeScript. */
export async function compilerRows(root: string, tools: string, project: string): Promise<Row[]> {
  await cp(join(root, 'test/types'), join(project, 'types'), { recursive: true })
  await cp(join(tools, '@types/node'), join(project, 'node_modules/@types/node'), { recursive: true })
  await cp(join(tools, 'undici-types'), join(project, 'node_modules/undici-types'), { recursive: true })
  return Object.entries(VERSIONS).map(([name, version]) => ({
    name: `TypeScript ${version}`,
    run: () => compile(join(tools, name, 'bin/tsc'), version, project, typeProjects(version)),
  }))
}

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
