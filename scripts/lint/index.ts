import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path/posix'
import { pathToFileURL } from 'node:url'
import { lint, loadConfig } from '@redocly/openapi-core'
import { parse } from 'yaml'
import type { Json } from '../contract/index.js'
import { ENTRY, locateInBundle, locationOf, type Source } from '../contract/load.js'
import type { Diagnostic } from '../support/diagnostics.js'

const require = createRequire(import.meta.url)

/** `.spectral.yaml` with its functions loaded. Spectral's own loader bundles them first, which takes longer than the lint. */
export async function rulesetOf(root: string): Promise<Json> {
  const { oas } = require('@stoplight/spectral-rulesets')
  const core = require('@stoplight/spectral-functions')
  const { functions: names, functionsDir, aliases, rules } = parse(readFileSync(join(root, '.spectral.yaml'), 'utf8'))
  const functions = new Map<string, unknown>()
  for (const name of names)
    functions.set(name, (await import(pathToFileURL(join(root, functionsDir, `${name}.js`)).href)).default)
  for (const rule of Object.values<Json>(rules))
    for (const then of [rule.then ?? []].flat()) then.function = functions.get(then.function) ?? core[then.function]
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
  return (await spectral.run(document)).map(({ code, message, path }) => ({
    ...locateInBundle(root, source, path),
    rule: String(code),
    message,
  }))
}

/** Redocly's lint of the files of the contract. */
export async function lintWithRedocly(root: string): Promise<Diagnostic[]> {
  const config = await loadConfig({ configPath: join(root, 'redocly.yaml') })
  const findings = await lint({ ref: join(root, ENTRY), config })
  return findings.map(({ ruleId, message, location: [location] }) => ({
    ...(location ? locationOf(root, location) : { file: ENTRY }),
    rule: ruleId,
    message,
  }))
}
