import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { SerializedResponse } from '../../service/respond.js'

/** A file of the console, by its name below `/__sandbox/`; undefined for another name. */
export function consoleFile(name: string): SerializedResponse | undefined {
  const type = FILES.get(name)
  if (type === undefined) return undefined
  const text = readFileSync(join(packageFolder(), 'dist/src/console', name || 'index.html'), 'utf8')
  return { status: 200, headers: { 'content-type': `${type}; charset=utf-8` }, text }
}

const FILES = new Map([
  ['', 'text/html'],
  ['console.js', 'text/javascript'],
  ['styles.css', 'text/css'],
])

/** Resolved by the package's own name, because sources, built modules and releases are in different folders. */
const packageFolder = (): string =>
  join(createRequire(import.meta.url).resolve('@workflow-automation/contract/package.json'), '..')
