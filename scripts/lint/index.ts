import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { relative } from 'node:path'
import { dirname, join } from 'node:path/posix'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'
import type { Json } from '../contract/index.js'
import { ENTRY, locationOf, type Path, parseText, type Source } from '../contract/source.js'
import type { Diagnostic } from '../diagnostics.js'

const require = createRequire(import.meta.url)

/** `.spectral.yaml` with its functions loaded. Spectral's own loader bundles them first, which takes longer than the lint. */
export async function rulesetOf(root: string): Promise<Json> {
  const { oas } = require('@stoplight/spectral-rulesets')
  const core = require('@stoplight/spectral-functions')
  const { functions, functionsDir, aliases, rules } = parse(readFileSync(join(root, '.spectral.yaml'), 'utf8'))
  const own = new Map<string, unknown>()
  for (const name of functions)
    own.set(name, (await import(pathToFileURL(join(root, functionsDir, `${name}.js`)).href)).default)
  for (const rule of Object.values<Json>(rules))
    for (const then of [rule.then ?? []].flat()) then.function = own.get(then.function) ?? core[then.function]
  return { extends: oas, aliases, rules }
}

/**
 * Spectral's lint of the bundle, each finding with its location in the source. Spectral is given the bundle because its
 * resolver loses references from some 200 files on.
 */
export async function lintWithSpectral(root: string, source: Source, document: Json): Promise<Diagnostic[]> {
  const { Spectral } = require('@stoplight/spectral-core') as typeof import('@stoplight/spectral-core')
  const spectral = new Spectral()
  spectral.setRuleset(await rulesetOf(root))
  return (await spectral.run(document)).map(({ code, message, path }) => {
    const [first, kind, name, ...rest] = path
    const component = `openapi/components/${kind}/${name}.yaml`
    const isComponent = first === 'components' && source.has(component)
    const location = isComponent ? locate(source, component, rest) : locate(source, ENTRY, path)
    return { ...location, rule: String(code), message }
  })
}

/** The location of a path in a file, or in the one that a reference on its way leads to. */
function locate(source: Source, file: string, path: Path): Omit<Diagnostic, 'rule' | 'message'> {
  const parsed = parseText(source.get(file) ?? '')
  for (let length = 0; length <= path.length; length++) {
    const reference = parsed.document.getIn([...path.slice(0, length), '$ref'])
    if (typeof reference === 'string' && !reference.includes('#'))
      return locate(source, join(dirname(file), reference), path.slice(length))
  }
  return { file, ...locationOf(parsed, path) }
}

/** Redocly's lint of the files of the contract. */
export async function lintWithRedocly(root: string): Promise<Diagnostic[]> {
  const redocly = await import('@redocly/openapi-core')
  const config = await redocly.loadConfig({ configPath: join(root, 'redocly.yaml') })
  const findings = await redocly.lint({ ref: join(root, ENTRY), config })
  return findings.map(({ ruleId, message, location: [location] }) => {
    if (!location) return { file: ENTRY, rule: ruleId, message }
    const { start } = redocly.getLineColLocation(location)
    const file = relative(root, location.source.absoluteRef).replaceAll('\\', '/')
    return { file, line: start.line, column: start.col, rule: ruleId, message }
  })
}
