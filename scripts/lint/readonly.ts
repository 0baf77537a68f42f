import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Diagnostic } from '../support/diagnostics.js'

/** What the layers of the client hand on: calls, requests and replies, which several of them have at the same time. */
const FILE = 'src/client/request/call.ts'

/** The properties of calls, requests and replies that could be written, each with its location. */
export function lintReadonly(root: string): Diagnostic[] {
  const lines = readFileSync(join(root, FILE), 'utf8').split('\n')
  return lines.flatMap((text, index) => {
    const [, name] = /^ {2}(?!readonly )(\w+)\??:/.exec(text) ?? []
    const message = `"${name}" can be written. Make it readonly: a layer hands on another call, and no two write to one.`
    return name ? [{ file: FILE, line: index + 1, column: 3, rule: 'readonly', message }] : []
  })
}
