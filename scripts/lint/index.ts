import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { isMap, isSeq, type Node } from 'yaml'
import type { Json } from '../contract/index.js'
import { ENTRY, locationOf, parseText, type Source } from '../contract/source.js'
import type { Diagnostic } from '../diagnostics.js'
import { emitYaml } from '../emit/openapi.js'
import { rulesetOf } from './ruleset.js'

const BUNDLE = 'generated/openapi.yaml'
const require = createRequire(import.meta.url)

/**
 * Spectral's lint of the bundle, each finding with its location in the source. Spectral is given the bundle because its
 * resolver loses references from some 200 files on.
 */
export async function lintWithSpectral(root: string, source: Source, document: Json): Promise<Diagnostic[]> {
  const { Spectral } = require('@stoplight/spectral-core') as typeof import('@stoplight/spectral-core')
  const spectral = new Spectral()
  spectral.setRuleset(await rulesetOf(root))
  return (await spectral.run(document)).map(({ code, message, path }) => ({
    ...(locationInSource(source, path) ?? { file: BUNDLE }),
    rule: String(code),
    message,
  }))
}

type Path = readonly (string | number)[]

/** The location in the source that a path of the bundle comes from, undefined when there is none. */
function locationInSource(source: Source, path: Path): { file: string; line: number; column: number } | undefined {
  const [first, kind, name, ...rest] = path
  const component = `openapi/components/${kind}/${name}.yaml`
  const inComponent = first === 'components' && source.has(component)
  const { file, within } = follow(source, inComponent ? component : ENTRY, inComponent ? rest : path)
  const text = source.get(file)
  return text === undefined ? undefined : { file, ...locationOf(parseText(text), within) }
}

/** Follows a path through the references on its way. */
function follow(source: Source, start: string, path: Path): { file: string; within: Path } {
  let file = start
  let within: (string | number)[] = []
  let document = parseText(source.get(file) ?? '').document
  for (const part of ['', ...path]) {
    if (part !== '') within.push(part)
    const node = document.getIn(within, true) as Node | undefined
    const reference = isMap(node) ? node.get('$ref') : undefined
    if (typeof reference === 'string' && !reference.includes('#')) {
      file = join(dirname(file), reference)
      within = []
      document = parseText(source.get(file) ?? '').document
    } else if (!isMap(node) && !isSeq(node)) break
  }
  return { file, within }
}

/** Redocly's lint of the files of the contract. */
export const lintSource = (root: string): Promise<Diagnostic[]> =>
  runRedocly(root, (redocly, config) => redocly.lint({ ref: join(root, ENTRY), config }))

/** Redocly's lint of the bundle. */
export const lintBundle = (root: string, document: Json): Promise<Diagnostic[]> =>
  runRedocly(root, (redocly, config) =>
    redocly.lintFromString({ source: emitYaml({ document }), absoluteRef: join(root, BUNDLE), config }),
  )

type Redocly = typeof import('@redocly/openapi-core')
type Config = Awaited<ReturnType<Redocly['loadConfig']>>

async function runRedocly(
  root: string,
  lint: (redocly: Redocly, config: Config) => ReturnType<Redocly['lint']>,
): Promise<Diagnostic[]> {
  const redocly = await import('@redocly/openapi-core')
  const findings = await lint(redocly, await redocly.loadConfig({ configPath: join(root, 'redocly.yaml') }))
  return findings.map(({ ruleId, message, location }) => {
    const first = location[0]
    if (!first) return { file: ENTRY, rule: ruleId, message }
    const { start } = redocly.getLineColLocation(first)
    const file = relative(root, first.source.absoluteRef).replaceAll('\\', '/')
    return { file, line: start.line, column: start.col, rule: ruleId, message }
  })
}
