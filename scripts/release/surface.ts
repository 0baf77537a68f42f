import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import semver from 'semver'
import ts from 'typescript'
import type { Change, Impact } from './wire.js'

/**
 * What users rely on beside the document and the types, frozen with a release: facts with their values, by package, by
 * command, and defaults and exit codes by folder of `src/`.
 */
export type Surface = Record<string, Record<string, string>>

const MANIFESTS = ['package.json', 'packages/releases/package.json']
const DEFAULTS = 'defaults and exit codes'
/** Facts that allow less than before when they are added or narrowed, and more when they are removed. */
const DEMAND = /^(engine|peer|optional peer) /

/**
 * Reads the surface of a project.
 *
 * @param cli the built command line, whose help is read
 */
export async function surfaceOf(root: string, cli: string): Promise<Surface> {
  const manifests = MANIFESTS.map((file) => JSON.parse(readFileSync(join(root, file), 'utf8')))
  return {
    ...Object.fromEntries(manifests.map((manifest) => [manifest.name, packageFacts(manifest)])),
    ...(await commandFacts(cli)),
    [DEFAULTS]: defaultFacts(join(root, 'src')),
  }
}

/** The differences between the surface of a release and today's. */
export const surfaceChanges = (before: Surface, after: Surface): Change[] =>
  Object.keys({ ...before, ...after }).flatMap((subject) => {
    const [was = {}, is = {}] = [before[subject], after[subject]]
    return Object.keys({ ...was, ...is }).flatMap((fact) => {
      if (was[fact] === is[fact]) return []
      const text = phraseOf(fact, was[fact], is[fact])
      const compiles = !(fact.startsWith('entry ') && is[fact] === undefined)
      return [{ subject, text, impact: impactOf(fact, was[fact], is[fact]), compiles }]
    })
  })

const phraseOf = (fact: string, was?: string, is?: string): string =>
  was === undefined
    ? `added \`${fact}\``
    : is === undefined
      ? `removed \`${fact}\``
      : `modified \`${fact}\` from ${was || 'nothing'} to ${is || 'nothing'}`

function impactOf(fact: string, was?: string, is?: string): Impact {
  if (!DEMAND.test(fact)) return was === undefined ? 'minor' : 'major'
  if (is === undefined) return 'minor'
  if (was === undefined) return fact.startsWith('optional') ? 'minor' : 'major'
  return semver.subset(was, is) ? 'minor' : 'major'
}

interface Manifest {
  exports: Record<string, string | object>
  bin?: Record<string, string>
  engines: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

function packageFacts({ exports, bin, engines, peerDependencies, peerDependenciesMeta }: Manifest) {
  const entries = Object.entries(exports).flatMap(([entry, target]) =>
    (typeof target === 'string' ? ['default'] : Object.keys(target)).map((name) => [`entry ${entry} (${name})`, '']),
  )
  const peers = Object.entries(peerDependencies ?? {}).map(([name, range]) => [
    `${peerDependenciesMeta?.[name]?.optional ? 'optional peer' : 'peer'} ${name}`,
    range,
  ])
  return Object.fromEntries([
    ...entries,
    ...Object.keys(bin ?? {}).map((name) => [`bin ${name}`, '']),
    ...Object.entries(engines).map(([name, range]) => [`engine ${name}`, range]),
    ...peers,
  ])
}

const exec = promisify(execFile)

/** The commands as `--help` shows them. */
async function commandFacts(cli: string): Promise<Surface> {
  const help = async (...args: string[]) => (await exec(process.execPath, [cli, ...args, '--help'])).stdout
  const list = /^Commands:\n([\s\S]*?)^$/m.exec(await help())?.[1] ?? ''
  const names = [...list.matchAll(/^ {2}(\w[\w-]*)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help')
  const texts = await Promise.all(names.map((name) => help(name)))
  return Object.fromEntries(names.map((name, index) => [`command ${name}`, optionFacts(texts[index] ?? '')]))
}

/** The arguments, options, choices and defaults in the help of a command. */
function optionFacts(help: string): Record<string, string> {
  const lines = help.replaceAll(/\n {10,}/g, ' ').matchAll(/^ {2}(-\S.*?)(?: {2,}(.*))?$/gm)
  const options = [...lines].flatMap(([, flags = '', text = '']) => {
    const [, list = ''] = /\(choices: ((?:"[^"]*"(?:, )?)+)/.exec(text) ?? []
    // Every release adds its date to the choices of --release.
    const choices = [...list.matchAll(/"([^"]*)"/g)].filter(([, choice = '']) => !/^\d{4}-\d\d-\d\d$/.test(choice))
    const value = /default: ([^()]+)\)$/.exec(text)?.[1] ?? ''
    const [, short, name = ''] = /^(?:(-\w), )?(.*)$/.exec(flags) ?? []
    return [...(short ? [[short, name]] : []), [name, value], ...choices.map(([, each]) => [`${name}: ${each}`, ''])]
  })
  const [, usage = ''] = /^Usage: \S+ \S+ (.*)$/m.exec(help) ?? []
  return Object.fromEntries([['arguments', usage], ...options])
}

/** The properties of the module constants whose comment names defaults or exit codes. */
function defaultFacts(src: string): Record<string, string> {
  const files = readdirSync(src, { recursive: true }).map(String)
  const found = files
    .filter((file) => /(?<!\.d)\.tsx?$/.test(file))
    .flatMap((file) => {
      const source = ts.createSourceFile(file, readFileSync(join(src, file), 'utf8'), ts.ScriptTarget.Latest, true)
      const [wing = ''] = file.split(/[/\\]/)
      return source.statements
        .filter(ts.isVariableStatement)
        .filter((node) => /\/\*\*(?:(?!\*\/)[\s\S])*\b(?:defaults?|exit codes?)\b/i.test(node.getFullText()))
        .flatMap(({ declarationList }) => declarationList.declarations)
        .flatMap(({ initializer }) => valuesIn(initializer))
        .map(([name, value]) => [`${wing} ${name}`, value] as const)
    })
  return Object.fromEntries(found.sort(([a], [b]) => a.localeCompare(b)))
}

/** The values of an object literal by their names. */
function valuesIn(node: ts.Expression | undefined): [string, string][] {
  if (node && (ts.isAsExpression(node) || ts.isSatisfiesExpression(node))) return valuesIn(node.expression)
  if (!node || !ts.isObjectLiteralExpression(node)) return []
  return node.properties
    .filter(ts.isPropertyAssignment)
    .map(({ name, initializer }) => [name.getText(), initializer.getText().replaceAll(/(?<=\d)_(?=\d)/g, '')])
}
