import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'

const require = createRequire(import.meta.url)

/**
 * `.spectral.yaml` with its functions loaded. Spectral's own loader bundles them first, which takes longer than the lint.
 * @param {string} root the project's folder
 * @returns {Promise<any>}
 */
export async function rulesetOf(root) {
  const { oas } = require('@stoplight/spectral-rulesets')
  const core = /** @type {Record<string, unknown>} */ (require('@stoplight/spectral-functions'))
  const { functions, functionsDir, aliases, rules } = parse(await readFile(resolve(root, '.spectral.yaml'), 'utf8'))
  const own = new Map()
  for (const name of functions)
    own.set(name, (await import(pathToFileURL(resolve(root, functionsDir, `${name}.js`)).href)).default)
  for (const rule of Object.values(rules))
    for (const then of [rule.then ?? []].flat()) then.function = own.get(then.function) ?? core[then.function]
  return { extends: oas, aliases, rules }
}
