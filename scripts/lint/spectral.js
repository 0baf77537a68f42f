import { createRequire } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { rulesetOf } from './ruleset.js'

/**
 * A worker that runs Spectral on a document, beside the rest of the build. It begins to load when it is started, long
 * before the document is there. JavaScript, so that the worker needs no loader.
 *
 * @typedef {{ rule: string, message: string, path: (string | number)[], line: number, column: number }} Finding
 */

const require = createRequire(import.meta.url)
const spectral = prepare(workerData.root)
// An error of the preparation is thrown again, and told, when a document comes.
spectral.catch(() => {})

parentPort?.on('message', async (/** @type {Record<string, unknown>} */ document) => {
  try {
    const findings = await (await spectral).run(document)
    parentPort?.postMessage({
      findings: findings.map(({ code, message, path, range }) => ({
        rule: String(code),
        message,
        path,
        line: range.start.line + 1,
        column: range.start.character + 1,
      })),
    })
  } catch (error) {
    parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) })
  }
})

/** @param {string} root */
async function prepare(root) {
  const { Spectral } = /** @type {typeof import('@stoplight/spectral-core')} */ (require('@stoplight/spectral-core'))
  const spectral = new Spectral()
  spectral.setRuleset(await rulesetOf(root))
  return spectral
}
