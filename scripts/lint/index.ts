import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { lintFromString, loadConfig, lint as redoclyLint } from '@redocly/openapi-core'
import type { ISpectralDiagnostic, RulesetDefinition } from '@stoplight/spectral-core'
import { parse } from 'yaml'
import type { Json } from '../contract.js'
import type { Problem } from '../problems.js'
import { ENTRY, placeOf, type Source } from '../source.js'

const require = createRequire(import.meta.url)
const BUNDLE = 'generated/openapi.json'

/** Both linters on the files of the contract; each finding at its place in its file. */
export async function lintSource(source: Source): Promise<Problem[]> {
  const entry = join(source.root, ENTRY)
  const text = source.files.get(ENTRY)?.text ?? ''
  const [spectral, redocly] = [
    await runSpectral(source.root, text, entry),
    await runRedocly(source.root, { ref: entry }),
  ]
  return [
    ...spectral.map((finding) => {
      const file = relative(source.root, finding.source ?? entry).replaceAll('\\', '/')
      const known = source.files.get(file)
      // Spectral counts from 0 and does not know where a missing key would stand, so the place is looked up.
      const place = known
        ? placeOf(known, finding.path)
        : { line: finding.range.start.line + 1, column: finding.range.start.character + 1 }
      return { file, ...place, rule: String(finding.code), message: finding.message }
    }),
    ...redocly,
  ]
}

/** Both linters on the bundle, whose places are paths inside it. */
export async function lintBundle(root: string, document: Json): Promise<Problem[]> {
  const text = JSON.stringify(document, null, 2)
  const path = join(root, BUNDLE)
  const [spectral, redocly] = [
    await runSpectral(root, text, path),
    await runRedocly(root, { source: text, absoluteRef: path }),
  ]
  return [
    ...spectral.map((finding) => ({
      file: BUNDLE,
      line: finding.range.start.line + 1,
      column: finding.range.start.character + 1,
      rule: String(finding.code),
      message: `${finding.message} (at ${finding.path.join('.')})`,
    })),
    ...redocly,
  ]
}

async function runSpectral(root: string, text: string, path: string): Promise<ISpectralDiagnostic[]> {
  const { Spectral, Document } = require('@stoplight/spectral-core') as typeof import('@stoplight/spectral-core')
  const { httpAndFileResolver } =
    require('@stoplight/spectral-ref-resolver') as typeof import('@stoplight/spectral-ref-resolver')
  const { Yaml, Json } = require('@stoplight/spectral-parsers') as typeof import('@stoplight/spectral-parsers')
  const spectral = new Spectral({ resolver: httpAndFileResolver })
  spectral.setRuleset(await ruleset(root, path))
  return spectral.run(new Document(text, (path.endsWith('.json') ? Json : Yaml) as typeof Yaml, path))
}

/** `.spectral.yaml` as Spectral's own loader makes it, without the bundler that the loader needs. */
async function ruleset(root: string, path: string): Promise<RulesetDefinition> {
  const { oas } = require('@stoplight/spectral-rulesets') as typeof import('@stoplight/spectral-rulesets')
  const {
    functions,
    functionsDir,
    extends: _,
    overrides,
    ...written
  } = parse(await readFile(join(root, '.spectral.yaml'), 'utf8'))
  const loaded = new Map<string, unknown>(
    await Promise.all(
      functions.map(async (name: string) => [
        name,
        (await import(pathToFileURL(resolve(root, functionsDir, `${name}.js`)).href)).default,
      ]),
    ),
  )
  for (const rule of Object.values<Json>(written.rules))
    if (rule.then) rule.then.function = loaded.get(rule.then.function)
  const isSource = path === join(root, ENTRY)
  return { extends: oas, ...written, ...(isSource ? { rules: { ...written.rules, ...overrides[0].rules } } : {}) }
}

async function runRedocly(
  root: string,
  target: { ref: string } | { source: string; absoluteRef: string },
): Promise<Problem[]> {
  const config = await loadConfig({ configPath: join(root, 'redocly.yaml') })
  const findings =
    'ref' in target ? await redoclyLint({ ...target, config }) : await lintFromString({ ...target, config })
  const { getLineColLocation } = await import('@redocly/openapi-core')
  return findings
    .filter(({ ignored }) => !ignored)
    .map(({ ruleId, message, location }) => {
      const first = location[0]
      if (!first) return { file: ENTRY, rule: ruleId, message }
      const { start } = getLineColLocation(first)
      return {
        file: relative(root, first.source.absoluteRef).replaceAll('\\', '/'),
        line: start.line,
        column: start.col,
        rule: ruleId,
        message,
      }
    })
}
