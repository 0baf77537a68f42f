import { readdirSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { dirname, join } from 'node:path/posix'
import * as redocly from '@redocly/openapi-core'
import { toPointer, valueAt } from '../../src/runtime/json-pointer.js'
import { type Diagnostic, throwIfProblems } from '../support/diagnostics.js'
import { withKnownValues } from './decorate.js'
import { type BasisEntry, type Contract, indexContract, type Json } from './index.js'
import { published, registerProblems } from './register.js'

/** Where the contract starts, relative to the project's folder. */
export const ENTRY = 'openapi/openapi.yaml'
const NOT_REFERENCED = /^openapi\/(released\.yaml$|workflows\/)/

type Location = Omit<Diagnostic, 'rule' | 'message'>

/** The files of the contract, by path relative to the project's folder. */
export type Source = Map<string, redocly.Document>

/**
 * Reads every YAML file of the contract.
 *
 * @throws BuildError with what cannot be read or parsed
 */
export async function readSource(root: string): Promise<Source> {
  const resolver = new redocly.BaseResolver()
  const files = readdirSync(join(root, 'openapi'), { recursive: true })
    .map((file) => `openapi/${file}`.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.yaml') && !NOT_REFERENCED.test(file))
  const source: Source = new Map()
  const problems: Diagnostic[] = []
  for (const file of files.sort())
    try {
      const document = (await resolver.resolveDocument(null, resolve(root, file))) as redocly.Document
      source.set(file, document)
      const message = 'The file is empty. Write the component, or delete the file and what refers to it.'
      if (document.parsed === null) problems.push({ file, line: 1, column: 1, rule: 'empty', message })
    } catch (error) {
      problems.push(readProblem(file, error as Error))
    }
  throwIfProblems(problems)
  return source
}

function readProblem(file: string, error: Error): Diagnostic {
  if (error instanceof redocly.YamlParseError) {
    const message = `This is not YAML: ${error.message.replace(/ in ".*$/, '')}. Correct it.`
    return { file, line: error.line, column: error.col, rule: 'yaml', message }
  }
  const message = `The file cannot be read: ${error.message}. Check that it is there and readable.`
  return { file, rule: 'read', message }
}

/**
 * Bundles the contract of a project into one document, completes and indexes it.
 *
 * @throws BuildError with references that lead nowhere, and files that no reference leads to
 */
export async function loadContract(root: string, source = readSource(root)): Promise<Contract> {
  const files = await source
  const config = await redocly.createConfig({ extends: ['minimal'] })
  const { bundle, problems, fileDependencies } = await redocly.bundle({ ref: resolve(root, ENTRY), config })
  const message = 'No reference leads to this file, so it is not part of the contract. Refer to it or delete it.'
  const unused = [...files.keys()].filter((file) => !fileDependencies.has(resolve(root, file)))
  throwIfProblems([
    ...problems.map((problem) => referenceProblem(root, files, problem.location[0]!)),
    ...unused.map((file) => ({ file, rule: 'unused', message })),
  ])
  const locateEntry = (path: readonly (string | number)[]) => locate(root, files, REGISTER, path)
  const register = files.get(REGISTER)?.parsed as Partial<BasisEntry>[] | undefined
  if (register !== undefined) throwIfProblems(registerProblems(register, locateEntry))
  const contract = indexContract(withKnownValues(bundle.parsed))
  contract.document['x-basis-register'] &&= contract.document['x-basis-register'].map(published)
  return contract
}

export const REGISTER = 'openapi/basis.yaml'

function referenceProblem(root: string, source: Source, location: redocly.LocationObject): Diagnostic {
  const found = locationOf(root, { ...location, pointer: `${location.pointer}/$ref` })
  const reference = String(valueAt(source.get(found.file)?.parsed, `${location.pointer?.slice(1)}/$ref`))
  const [path = '', inside] = reference.split('#')
  const target = path ? join(dirname(found.file), path) : found.file
  const [missing, advice] = source.has(target)
    ? [`"#${inside}" in ${target}`, 'Correct the pointer.']
    : [target, 'Correct the path or add the file.']
  return { ...found, rule: 'reference', message: `"${reference}" leads to ${missing}, which is not there. ${advice}` }
}

/** The location of a path in a file, or in the one that a reference on its way leads to. */
export function locate(root: string, source: Source, file: string, path: readonly (string | number)[]): Location {
  const document = source.get(file)
  let node: Json = document?.parsed
  for (const [index, key] of [...path, ''].entries()) {
    if (typeof node?.$ref === 'string' && !node.$ref.includes('#'))
      return locate(root, source, join(dirname(file), node.$ref), path.slice(index))
    node = node?.[key]
  }
  return document ? locationOf(root, { source: document.source, pointer: `#${toPointer(path)}` }) : { file }
}

/** The location of a path in the bundle, in the file that the node is written in. */
export function locateInBundle(root: string, source: Source, path: readonly (string | number)[]): Location {
  const [first, kind, name, ...rest] = path
  const component = `openapi/components/${kind}/${name}.yaml`
  const isComponent = first === 'components' && source.has(component)
  return isComponent ? locate(root, source, component, rest) : locate(root, source, ENTRY, path)
}

/** The location of a finding of Redocly, the nearest node above it that is there. Lines and columns count from 1. */
export function locationOf(root: string, location: redocly.LocationObject): Location {
  const { source, start } = redocly.getLineColLocation(location)
  return { file: relative(root, source.absoluteRef).replaceAll('\\', '/'), line: start.line, column: start.col }
}
