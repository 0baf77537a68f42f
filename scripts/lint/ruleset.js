import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse } from 'yaml'

const require = createRequire(import.meta.url)

/**
 * `.spectral.yaml` with its functions loaded. Spectral's own loader would bundle them first, which takes longer than
 * the lint.
 * @param {string} root the project's folder
 * @returns {Promise<any>}
 */
export async function rulesetOf(root) {
  const { oas } = require('@stoplight/spectral-rulesets')
  const { functions, functionsDir, rules } = parse(await readFile(resolve(root, '.spectral.yaml'), 'utf8'))
  const loaded = new Map(
    await Promise.all(
      functions.map(async (/** @type {string} */ name) => {
        const module = await import(pathToFileURL(resolve(root, functionsDir, `${name}.js`)).href)
        return [name, module.default]
      }),
    ),
  )
  for (const rule of Object.values(rules)) if (rule.then) rule.then.function = loaded.get(rule.then.function)
  return { extends: oas, rules }
}
