import { join, relative } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Json } from '../contract/index.js'
import { ENTRY, type Source } from '../contract/source.js'
import type { Diagnostic } from '../diagnostics.js'
import { placeInSource } from './place.js'
import type { Finding } from './spectral.js'

const BUNDLE = 'generated/openapi.json'

/**
 * Starts Spectral, which loads beside the rest of the build. The answered function lints one bundle and names each
 * finding's place in the source; Spectral's own reading of files that refer to each other loses references in a large
 * contract.
 */
export function startSpectral(root: string): (source: Source, document: Json) => Promise<Diagnostic[]> {
  const worker = new Worker(new URL('./spectral.js', import.meta.url), { workerData: { root }, execArgv: [] })
  worker.unref()
  return async (source, document) => {
    try {
      const findings = await new Promise<Finding[]>((resolve, reject) => {
        worker.once('error', reject)
        worker.once('message', ({ findings, error }: { findings?: Finding[]; error?: string }) =>
          findings ? resolve(findings) : reject(new Error(`Spectral could not run: ${error}`)),
        )
        worker.ref()
        worker.postMessage(document)
      })
      return findings.map(({ rule, message, path, line, column }) => ({
        ...(placeInSource(source, path) ?? { file: BUNDLE, line, column }),
        rule,
        message,
      }))
    } finally {
      await worker.terminate()
    }
  }
}

/** Redocly's lint of the files of the contract. */
export const lintSource = (root: string): Promise<Diagnostic[]> =>
  runRedocly(root, (redocly, config) => redocly.lint({ ref: join(root, ENTRY), config }))

/** Redocly's lint of the bundle. */
export const lintBundle = (root: string, document: Json): Promise<Diagnostic[]> =>
  runRedocly(root, (redocly, config) =>
    redocly.lintFromString({ source: JSON.stringify(document, null, 2), absoluteRef: join(root, BUNDLE), config }),
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
