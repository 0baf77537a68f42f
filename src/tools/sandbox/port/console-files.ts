import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { ServiceRequest } from '../../service/request/index.js'
import type { SerializedResponse } from '../../service/response/serialize.js'
import { CONTROL, WORLDS } from '../world/name.js'

/** The page of the console for browsers; other clients get the list of commands. */
export function requestedFile({ method, path, header }: ServiceRequest): SerializedResponse | undefined {
  const [, name] = FILE.exec(path) ?? []
  if (method !== 'GET' || name === undefined) return undefined
  return name === '' && !header('accept')?.includes('text/html') ? undefined : consoleFile(name)
}

const FILE = new RegExp(`^(?:${WORLDS}[^/]+)?${CONTROL}/([^/]*)$`)

/** A file of the console, by its name below `/__sandbox/`; undefined for another name. */
function consoleFile(name: string): SerializedResponse | undefined {
  const type = FILES.get(name)
  if (type === undefined) return undefined
  const text = readFileSync(join(packageFolder(), 'dist/src/tools/console', name || 'index.html'), 'utf8')
  return { status: 200, headers: { 'content-type': `${type}; charset=utf-8` }, text }
}

const FILES = new Map([
  ['', 'text/html'],
  ['console.js', 'text/javascript'],
  ['styles.css', 'text/css'],
])

/** Resolved by the package's own name, because sources and built modules are in different folders. */
const packageFolder = (): string =>
  join(createRequire(import.meta.url).resolve('@workflow-automation/contract/package.json'), '..')
