import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { type Document, isAlias, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { pointerTokens } from '../../src/internal/json-pointer.js'
import type { Diagnostic } from '../diagnostics.js'

interface Parsed {
  document: Document
  lines: LineCounter
}

/** The text of each file of the contract, by its path relative to the project's folder. */
export type Source = Map<string, string>

/** Where the contract starts, relative to the project's folder. */
export const ENTRY = 'openapi/openapi.yaml'
const NOT_REFERENCED = /^openapi\/(releases|workflows|guides)\//

/** Reads every YAML file below `openapi/` and reports what cannot be read, parsed or resolved. */
export function readSource(root: string): { source: Source; diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  const read = <T>(file: string, kind: string, advice: string, get: (path: string) => T): T | undefined => {
    try {
      return get(join(root, file))
    } catch (error) {
      const message = `The ${kind} cannot be read: ${(error as Error).message}. ${advice}`
      diagnostics.push({ file, rule: 'read', message })
    }
  }
  const list = (path: string) => readdirSync(path, { recursive: true }).map((entry) => join('openapi', `${entry}`))
  const source: Source = new Map()
  const parsed = new Map<string, Parsed>()
  for (const path of read('openapi', 'folder', "Run the build in the project's folder.", list)?.sort() ?? []) {
    const file = path.replaceAll('\\', '/')
    if (!file.endsWith('.yaml') || NOT_REFERENCED.test(file)) continue
    const text = read(file, 'file', 'Check that it is there and readable.', (path) => readFileSync(path, 'utf8'))
    if (text === undefined) continue
    source.set(file, text)
    const each = parseText(text)
    parsed.set(file, each)
    diagnostics.push(...syntaxProblems(file, each))
  }
  if (diagnostics.length === 0) diagnostics.push(...referenceProblems(root, parsed))
  return { source, diagnostics }
}

/** The document of a file, with the locations of its nodes. Parsed again when it is asked for, since locations are rarely needed. */
export function parseText(text: string): Parsed {
  const lines = new LineCounter()
  return { document: parseDocument(text, { lineCounter: lines, prettyErrors: false }), lines }
}

function syntaxProblems(file: string, { document, lines }: Parsed): Diagnostic[] {
  const problems = document.errors.map((error) => ({
    ...{ file, ...at(lines, error.pos[0]), rule: 'yaml' },
    message: `This is not YAML: ${error.message}. Correct it.`,
  }))
  if (document.contents !== null || problems.length > 0) return problems
  const message = 'The file is empty. Write the component, or delete the file and what refers to it.'
  return [{ file, line: 1, column: 1, rule: 'empty', message }]
}

/** References that lead nowhere, and files that no reference leads to. */
function referenceProblems(root: string, files: Map<string, Parsed>): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const reached = new Set([ENTRY])
  for (const [file, { document, lines }] of files) {
    visit(document, {
      Pair(_, { key, value }) {
        if (!isScalar(key) || key.value !== '$ref' || !isScalar(value)) return
        const [path = '', pointer = ''] = String(value.value).split('#')
        const target = path === '' ? file : relative(root, resolve(root, dirname(file), path)).replaceAll('\\', '/')
        if (target !== file) reached.add(target)
        const found = files.get(target)
        if (found && has(found.document, pointer)) return
        const [missing, advice] = found
          ? [`"#${pointer}" in ${target}`, 'Correct the pointer.']
          : [target, 'Correct the path or add the file.']
        const message = `"${value.value}" leads to ${missing}, which is not there. ${advice}`
        diagnostics.push({ file, ...at(lines, value.range?.[0] ?? 0), rule: 'reference', message })
      },
    })
  }
  const message = 'No reference leads to this file, so it is not part of the contract. Refer to it or delete it.'
  const unused = [...files.keys()].filter((file) => !reached.has(file))
  return [...diagnostics, ...unused.map((file) => ({ file, rule: 'unused', message }))]
}

const has = (document: Document, pointer: string): boolean =>
  pointer === '' || document.hasIn(pointerTokens(decodeURIComponent(pointer)))

/** The location of a path inside a file, or of the nearest node above it that is there. Lines and columns count from 1. */
export function locationOf(
  { document, lines }: Parsed,
  path: readonly (string | number)[],
): { line: number; column: number } {
  for (let length = path.length; length >= 0; length--) {
    const node = document.getIn(path.slice(0, length), true) as Node | undefined
    if (node && !isAlias(node) && node.range) return at(lines, node.range[0])
  }
  return { line: 1, column: 1 }
}

function at(lines: LineCounter, offset: number): { line: number; column: number } {
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}
